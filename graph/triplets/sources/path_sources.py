"""Positives by paths in the graph.

- Citations, in one direction or in both (SPECTER, sections 2.3 and 2.4).
- Papers that share readers or citations with the query (section 6).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.triplet_settings import CitationTriplets, CooccurrenceTriplets
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.sources.candidates import MAX_LINKS, Candidates, SeededOrder
from specter_graph.loaders.records import SAMPLE_PRIME

_CITED, _CITING = "-[:CITES]->", "<-[:CITES]-"
_STATEMENTS = {
    "co_view": ("triplets/co_readings", {"kind": "VIEWED"}),
    "co_read": ("triplets/co_readings", {"kind": "SAVED"}),
    "co_citation": ("triplets/shared_citations", {"to": _CITING, "back": _CITED}),
    "coupling": ("triplets/shared_citations", {"to": _CITED, "back": _CITING}),
}


class CitationSource:
    """A source whose positives are cited by the query, and hard negatives by the positives.

    The query does not cite a hard negative. With `cited_by`, citations are followed in both
    directions at either step: a positive cites the query or is cited by it, and a hard negative
    cites a positive or is cited by it, but has no citation to or from the query. A batch takes one
    statement, rarely two.
    """

    def __init__(self, db: Database, source: CitationTriplets, seed: int, holdout: float) -> None:
        self._db = db
        self._hard = source.hard
        # One reference is followed for each hard negative. Few queries need a second statement, and
        # following all references would cost more than twice as much.
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
    return statement("triplets/batch").filled(to="-" if cited_by else "->")


def cooccurrence_text(source: str) -> str:
    """Return the statement for a source of `CooccurrenceTriplets`."""
    name, parts = _STATEMENTS[source]
    return statement(name).filled(**parts)


class CooccurrenceSource:
    """A source whose positives share the most with the query, and whose hard negatives the least.

    Papers share readers (co_view, co_read), papers that cite both (co_citation), or papers that
    both cite (coupling). A paper that cites the query or is cited by it is not a negative. A paper
    that shares anything with the query is not an easy negative.
    """

    def __init__(
        self, db: Database, source: CooccurrenceTriplets, seed: int, holdout: float
    ) -> None:
        self._db = db
        self._source = source
        self._text = cooccurrence_text(source.source)
        self._held_out = held_out_below(holdout)
        self._keys = SeededOrder(seed)

    def find(self, ids: list[str]) -> list[Candidates]:
        """Return the candidates of these query papers, in their order."""
        rows = self._db.values(
            self._text, ids=ids, links=MAX_LINKS, held_out=self._held_out, **self._keys.parameters
        )
        return [self._candidates(*row) for row in rows]

    def _candidates(
        self,
        query: str,
        sample_key: int,
        papers: list[str],
        sample_keys: list[int],
        counts: list[int],
        linked: list[str],
    ) -> Candidates:
        keys = self._keys.of(sample_key, np.array(sample_keys, np.int64))
        frequent, rarest = rank_by_cooccurrence(
            np.array(counts, np.int64), keys, weighted=self._source.weighted
        )
        positives = [papers[place] for place in frequent]
        near = {*linked}
        hard = [papers[place] for place in rarest if papers[place] not in near]
        return Candidates(
            query, sample_key, positives, hard[: self._source.hard], near.union(papers)
        )


def rank_by_cooccurrence(
    counts: NDArray[np.int64], keys: NDArray[np.int64], *, weighted: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide papers into positives and hard negatives by their counts, and order both.

    Args:
        counts: What each paper shares with the query, (n,), positive.
        keys: Random in [0, 2^31 - 1), (n,).
        weighted: Draw positives one after another with probability proportional to their counts
            (Efraimidis and Spirakis 2006: the order of -ln(u) / count, u uniform in (0, 1)).

    Returns:
        Positions of the papers with more than the minimum count, greatest first (all papers, if all
        counts are equal), and of those with the minimum count, in the order of the keys.
    """
    if not len(counts):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    by_key = np.argsort(keys, kind="stable")
    is_rarest = counts[by_key] == counts.min()
    positives, hard = (
        (by_key, by_key[:0]) if is_rarest.all() else (by_key[~is_rarest], by_key[is_rarest])
    )
    if weighted:
        drawn = -np.log((keys[positives] + 0.5) / SAMPLE_PRIME) / counts[positives]
    else:
        drawn = -counts[positives]
    return positives[np.argsort(drawn, kind="stable")], hard
