"""Citations as positives (SPECTER, sections 2.3 and 2.4), in one direction or in both."""

from typing import Any

from specter_graph.core.triplet_settings import Citations
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.sources.candidates import MAX_LINKS, Found, Keys


class CitationFinder:
    """Positives are what the query cites; hard negatives are what those cite, and it does not.

    With `cited_by` a citation counts in both directions, at either step: positives cite or are
    cited, and a hard negative does so with a positive, but not with the query. One statement a
    batch, seldom two.
    """

    def __init__(self, db: Database, source: Citations, seed: int, holdout: float) -> None:
        self._db = db
        self._hard = source.hard
        # One reference walked for each hard negative: few queries have to be asked again, and
        # walking all references would cost more than twice as much. It is what makes every
        # candidate equally likely, however many references lead to it.
        self._fanout = MAX_LINKS if source.exclude_cocited else source.hard
        self._exclude_cocited = source.exclude_cocited
        self._text = batch_text(cited_by=source.cited_by)
        self._parameters = {"held_out": held_out_below(holdout), **Keys(seed).parameters}

    def find(self, ids: list[str]) -> list[Found]:
        """What is eligible for these query papers, in their order."""
        rows = self._read(ids, self._fanout)
        self._ask_again(rows)
        return [Found(query, draw, cited, hard, cited) for query, draw, cited, hard in rows]

    def _read(self, ids: list[str], fanout: int) -> list[list[Any]]:
        rows: list[list[Any]] = self._db.value(
            self._text,
            ids=ids,
            fanout=fanout,
            links=MAX_LINKS,
            hard=self._hard,
            exclude_cocited=self._exclude_cocited,
            **self._parameters,
        )
        return rows

    def _ask_again(self, rows: list[list[Any]]) -> None:
        """Walk all references of the queries whose first ones gave too few hard negatives."""
        short = {
            query: place
            for place, (query, _, cited, hard) in enumerate(rows)
            if len(hard) < self._hard and len(cited) > self._fanout
        }
        if short:
            for again in self._read(list(short), MAX_LINKS):
                rows[short[again[0]]] = again


def batch_text(*, cited_by: bool) -> str:
    """The statement that finds references, or citations in both directions."""
    return statement("triplets/batch").text.replace("{{to}}", "-" if cited_by else "->")
