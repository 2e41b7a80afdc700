"""Positives by how much they share with the query: readers, or citations."""

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.triplet_settings import Counted
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.sources.candidates import MAX_LINKS, Found, Keys
from specter_graph.loaders.records import DRAW_PRIME

_STATEMENTS = {
    "co_view": ("triplets/co_readings", "VIEWED"),
    "co_read": ("triplets/co_readings", "READ"),
    "co_citation": ("triplets/co_citations", ""),
    "coupling": ("triplets/couplings", ""),
}


class CountedFinder:
    """Positives share most with the query; hard negatives least, but something.

    What is shared are readers (co_view, co_read), papers that cite both (co_citation), or that
    both cite (coupling). A paper that cites the query or is cited by it is no hard negative; nor is
    it an easy one, nor is a paper that shares anything.
    """

    def __init__(self, db: Database, source: Counted, seed: int, holdout: float) -> None:
        self._db = db
        self._source = source
        name, kind = _STATEMENTS[source.source]
        self._text = statement(name).text.replace("{{kind}}", kind)
        self._held_out = held_out_below(holdout)
        self._keys = Keys(seed)

    def find(self, ids: list[str]) -> list[Found]:
        """What is eligible for these query papers, in their order."""
        rows = self._db.values(
            self._text,
            ids=ids,
            links=MAX_LINKS,
            held_out=self._held_out,
            **self._keys.parameters,
        )
        return [self._found(*row) for row in rows]

    def _found(
        self,
        query: str,
        draw: int,
        papers: list[str],
        draws: list[int],
        counts: list[int],
        linked: list[str],
    ) -> Found:
        keys = self._keys.of(draw, np.array(draws, np.int64))
        most, least = by_strength(np.array(counts, np.int64), keys, weighted=self._source.weighted)
        positives = [papers[place] for place in most]
        near = {*linked}
        hard = [papers[place] for place in least if papers[place] not in near]
        return Found(query, draw, positives, hard[: self._source.hard], near.union(papers))


def by_strength(
    counts: NDArray[np.int64], keys: NDArray[np.int64], *, weighted: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order papers, given what they share with the query: positives, then hard negatives.

    `counts` are positive, `keys` random in [0, 2^31 - 1), both (n,). Returns positions: those with
    more than the least count, the greatest counts first; and those with the least, in the order of
    the keys. Where all counts are the same, all are positives. With `weighted` the positives are
    drawn one after another in proportion to their counts (Efraimidis and Spirakis 2006: the order
    of -ln(u) / count with u even in (0, 1)).
    """
    if not len(counts):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    by_key = np.argsort(keys, kind="stable")
    least = counts[by_key] == counts.min()
    positives, hard = (by_key, by_key[:0]) if least.all() else (by_key[~least], by_key[least])
    if weighted:
        drawn = -np.log((keys[positives] + 0.5) / DRAW_PRIME) / counts[positives]
    else:
        drawn = -counts[positives]
    return positives[np.argsort(drawn, kind="stable")], hard
