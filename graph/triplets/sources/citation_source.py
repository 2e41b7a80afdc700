"""Citations as positives (SPECTER, sections 2.3 and 2.4), in one direction or in both."""

from typing import Any

from specter_graph.core.triplet_settings import Citations
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.sources.candidates import MAX_LINKS, Candidates, SeededOrder


class CitationSource:
    """A source whose positives are cited by the query, and hard negatives by the positives.

    The query does not cite a hard negative. With `cited_by`, citations are followed in both
    directions at either step: a positive cites the query or is cited by it, and a hard negative
    cites a positive or is cited by it, but has no citation to or from the query. A batch takes one
    statement, rarely two.
    """

    def __init__(self, db: Database, source: Citations, seed: int, holdout: float) -> None:
        self._db = db
        self._hard = source.hard
        # One reference is followed for each hard negative. Few queries need a second statement, and
        # following all references would cost more than twice as much. Every candidate is equally
        # likely, however many references lead to it.
        self._fanout = MAX_LINKS if source.exclude_cocited else source.hard
        self._exclude_cocited = source.exclude_cocited
        self._text = batch_text(cited_by=source.cited_by)
        self._parameters = {"held_out": held_out_below(holdout), **SeededOrder(seed).parameters}

    def find(self, ids: list[str]) -> list[Candidates]:
        """Return the candidates of these query papers, in their order."""
        rows = self._read(ids, self._fanout)
        self._complete(rows)
        return [
            Candidates(query, sample_key, cited, hard, cited)
            for query, sample_key, cited, hard in rows
        ]

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

    def _complete(self, rows: list[list[Any]]) -> None:
        """Follow all references of the queries whose first references gave too few negatives."""
        incomplete = {
            query: position
            for position, (query, _, cited, hard) in enumerate(rows)
            if len(hard) < self._hard and len(cited) > self._fanout
        }
        if incomplete:
            for row in self._read(list(incomplete), MAX_LINKS):
                rows[incomplete[row[0]]] = row


def batch_text(*, cited_by: bool) -> str:
    """Return the statement for references, or for citations in both directions."""
    return statement("triplets/batch").text.replace("{{to}}", "-" if cited_by else "->")
