"""Hard negatives that a model itself puts near the query, without those that only seem wrong.

Negatives from the model's own nearest (ANCE: Xiong et al. 2021), filtered with regard to the
positive (NV-Retriever: Moreira et al. 2024, section 3.2).
"""

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.triplet_settings import Source
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.sources.candidates import Finder, Found
from specter_graph.graph.triplets.sources.training_vectors import TrainingVectors, space_for


class SelfMiningFinder:
    """Another finder's positives, with hard negatives from among the query's nearest in a space.

    A candidate is no negative when the source relates it to the query, when one cites the other, a
    paper cites both, or when it is as near as the triplet's positive, or nearly. The nearest are
    exact, not the approximate ones of the space's index, which another load would give otherwise.
    """

    def __init__(self, db: Database, inner: Finder, source: Source, holdout: float) -> None:
        assert source.hard_from is not None
        space_for(db, source.hard_from, holdout)
        self._db = db
        self._inner = inner
        self._source = source
        self._text = statement("triplets/related").text
        self._held_out = held_out_below(holdout)
        self._papers = TrainingVectors.read(db, source.hard_from, holdout)

    def find(self, ids: list[str]) -> list[Found]:
        """What is eligible for these query papers, in their order."""
        found = self._inner.find(ids)
        placed = [each for each in found if each.query in self._papers.row and len(each.positives)]
        queries = [each.query for each in placed]
        names, squared = self._papers.near(queries, self._source.hard_among)
        rows = [
            {"id": query, "candidates": near} for query, near in zip(queries, names, strict=True)
        ]
        related = self._db.value(self._text, rows=rows, held_out=self._held_out)
        mined = {
            each.query: self._mined(each, near, distances, {*each.related, *others})
            for each, near, distances, others in zip(placed, names, squared, related, strict=True)
        }
        return [mined.get(each.query, each) for each in found]

    def _mined(
        self, found: Found, near: list[str], squared: NDArray[np.float32], related: set[str]
    ) -> Found:
        """Put a hard negative beside the first positives; those that got one come first."""
        count = self._source.per_query
        slots = [place % len(found.positives) for place in range(count)]
        kept = [place for place, paper in enumerate(near) if paper not in related]
        positives = self._squared(found.query, [found.positives[s] for s in slots])
        taken = farther(squared[kept], positives[: self._source.hard], self._source.hard_margin)
        hard = [place for place, row in enumerate(taken) if row >= 0]
        order = hard + [place for place in range(count) if place not in hard]
        return Found(
            found.query,
            found.draw,
            [found.positives[slots[place]] for place in order],
            [near[kept[taken[place]]] for place in hard],
            found.related,
            [found.origins[slots[place]] for place in order] if found.origins else (),
        )

    def _squared(self, query: str, papers: list[str]) -> NDArray[np.float32]:
        """Squared distances from a query to papers, (n,); infinite where one has no vector."""
        rows = [self._papers.row.get(paper, -1) for paper in papers]
        apart = self._papers.vectors[rows] - self._papers.vectors[self._papers.row[query]]
        squared = np.einsum("ij,ij->i", apart, apart)
        return np.where(np.array(rows) < 0, np.inf, squared).astype(np.float32)


def farther(
    candidates: NDArray[np.float32], positives: NDArray[np.float32], margin: float
) -> list[int]:
    """For each positive the nearest candidate, not taken yet, that is farther by a margin.

    Both are squared L2 distances from the query, the candidates' (c,) ascending, the positives'
    (p,). Farther is d(q, n) >= (1 + margin) d(q, p): the relative margin of NV-Retriever's
    TopK-PercPos, in distances. Returns positions of candidates, -1 where there is none.
    """
    free = list(range(len(candidates)))
    taken = []
    for bound in (1 + margin) ** 2 * positives:
        place = next((each for each in free if candidates[each] >= bound), -1)
        taken.append(place)
        if place >= 0:
            free.remove(place)
    return taken
