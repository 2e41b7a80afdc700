"""Hard negatives that a model places near the query, without likely false negatives.

Negatives are taken from the model's nearest neighbors (ANCE: Xiong et al. 2021) and filtered by the
distance of the positive (NV-Retriever: Moreira et al. 2024, section 3.2).
"""

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.triplet_settings import Source
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.sources.candidates import Candidates, TripletSource
from specter_graph.graph.triplets.sources.neighbors import TrainingVectors, space_for


class ModelNegativeSource:
    """The positives of another source, with hard negatives near the query in a space.

    A candidate is not used if the source relates it to the query, if one cites the other, if a
    paper cites both, or if it is about as near as the positive of the triplet. Neighbors are exact:
    those of the approximate index could differ after another load.
    """

    def __init__(self, db: Database, inner: TripletSource, source: Source, holdout: float) -> None:
        assert source.hard_from is not None
        space_for(db, source.hard_from, holdout)
        self._db = db
        self._inner = inner
        self._source = source
        self._text = statement("triplets/related").text
        self._held_out = held_out_below(holdout)
        self._papers = TrainingVectors.read(db, source.hard_from, holdout)

    def find(self, ids: list[str]) -> list[Candidates]:
        """Return the candidates of these query papers, in their order."""
        candidates = self._inner.find(ids)
        placed = [
            candidate
            for candidate in candidates
            if candidate.query in self._papers.row and len(candidate.positives)
        ]
        queries = [candidate.query for candidate in placed]
        names, squared = self._papers.near(queries, self._source.hard_among)
        rows = [
            {"id": query, "candidates": near} for query, near in zip(queries, names, strict=True)
        ]
        related = self._db.value(self._text, rows=rows, held_out=self._held_out)
        mined = {
            candidate.query: self._mined(candidate, near, distances, {*candidate.related, *others})
            for candidate, near, distances, others in zip(
                placed, names, squared, related, strict=True
            )
        }
        return [mined.get(candidate.query, candidate) for candidate in candidates]

    def _mined(
        self,
        candidates: Candidates,
        near: list[str],
        squared: NDArray[np.float32],
        related: set[str],
    ) -> Candidates:
        """Assign hard negatives to the first positives; those with one come first."""
        count = self._source.per_query
        slots = [place % len(candidates.positives) for place in range(count)]
        eligible = [place for place, paper in enumerate(near) if paper not in related]
        positives = self._squared(candidates.query, [candidates.positives[s] for s in slots])
        taken = match_negatives(
            squared[eligible], positives[: self._source.hard], self._source.hard_margin
        )
        hard = [place for place, row in enumerate(taken) if row >= 0]
        order = hard + [place for place in range(count) if place not in hard]
        return Candidates(
            candidates.query,
            candidates.sample_key,
            [candidates.positives[slots[place]] for place in order],
            [near[eligible[taken[place]]] for place in hard],
            candidates.related,
            [candidates.origins[slots[place]] for place in order] if candidates.origins else (),
        )

    def _squared(self, query: str, papers: list[str]) -> NDArray[np.float32]:
        """Return squared distances from a query to papers, (n,); infinite without a vector."""
        rows = [self._papers.row.get(paper, -1) for paper in papers]
        differences = self._papers.vectors[rows] - self._papers.vectors[self._papers.row[query]]
        squared = np.einsum("ij,ij->i", differences, differences)
        return np.where(np.array(rows) < 0, np.inf, squared).astype(np.float32)


def match_negatives(
    candidates: NDArray[np.float32], positives: NDArray[np.float32], margin: float
) -> list[int]:
    """Match each positive with the nearest unused candidate that is farther by a margin.

    A candidate n is farther than the positive p if d(q, n) >= (1 + margin) d(q, p): the relative
    margin of NV-Retriever's TopK-PercPos, applied to distances.

    Args:
        candidates: Squared L2 distances from the query, (c,), ascending.
        positives: Squared L2 distances from the query, (p,).
        margin: Minimum relative difference.

    Returns:
        The position of a candidate for each positive, or -1.
    """
    free = list(range(len(candidates)))
    taken = []
    for bound in (1 + margin) ** 2 * positives:
        place = next((position for position in free if candidates[position] >= bound), -1)
        taken.append(place)
        if place >= 0:
            free.remove(place)
    return taken
