"""Positives and hard negatives that are near the query in an embedding space.

- Positives that are neighbors in a citation embedding (SciNCL: Ostendorff et al. 2022).
- Hard negatives that a model places near the query (ANCE: Xiong et al. 2021), filtered by the
  distance of the positive (NV-Retriever: Moreira et al. 2024, section 3.2).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.triplet_settings import NeighborTriplets, Source
from specter_graph.core.vectors import nearest
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    get_space,
    read_vectors,
)
from specter_graph.graph.split import held_out_below, training_ids
from specter_graph.graph.triplets.sources.candidates import (
    Candidates,
    Stream,
    TripletSource,
    query_rng,
)

_RANK, _PAPERS = 4_000, 52_400_000
"""Rank of the hard negatives of SciNCL, and its number of papers (sections 4.1 and 5.2 there)."""


@dataclass(frozen=True)
class TrainingVectors:
    """Training papers in the order of their ids, with their non-zero vectors (n, d)."""

    ids: list[str]
    vectors: NDArray[np.float32]
    row: dict[str, int]

    @classmethod
    def read(cls, db: Database, name: str, holdout: float) -> "TrainingVectors":
        """Read a space.

        Raises:
            GraphError: The space is missing, or no training paper has a vector in it.
        """
        ids, vectors = read_vectors(db, name)
        training = {*training_ids(db, holdout)}
        training_rows = [place for place, paper in enumerate(ids) if paper in training]
        training_rows = [place for place in training_rows if vectors[place].any()]
        if not training_rows:
            raise GraphError(
                f"no training paper has a vector in the space {name!r}", "specter-graph stats"
            )
        ids = [ids[place] for place in training_rows]
        return cls(ids, vectors[training_rows], {paper: row for row, paper in enumerate(ids)})

    def near(self, papers: list[str], k: int) -> tuple[list[list[str]], list[NDArray[np.float32]]]:
        """Return the k nearest papers of each paper, and their squared L2 distances."""
        own = np.array([self.row[paper] for paper in papers], np.int64)
        rows, squared = nearest(self.vectors[own], self.vectors, k, own)
        return [[self.ids[row] for row in near] for near in rows.tolist()], [*squared]


def space_for(db: Database, name: str, holdout: float) -> EmbeddingSpace:
    """Return the record of a space after checking that it can be used for mining.

    Raises:
        GraphError: The space is missing.
        LeakError: It has seen citations that `holdout` hides.
    """
    record = get_space(db, name)
    check_no_leakage([record], holdout)
    return record


class NeighborSource:
    """A source whose positives are near the query, and hard negatives in a range of higher ranks.

    Neighbors are exact. Papers without a citation have no vector in the space and no triplets. A
    paper is not a negative if it cites the query, is cited by it, or is nearer than the farthest
    positive.
    """

    def __init__(self, db: Database, source: NeighborTriplets, seed: int, holdout: float) -> None:
        if not space_for(db, source.space, holdout).sees_edges:
            raise InputError(
                f"the space {source.space!r} was made from texts, not from citations",
                f"make one from citations: specter-graph algorithms fastrp --holdout {holdout:g}",
            )
        self._db = db
        self._source = source
        self._seed = seed
        self._text = statement("triplets/neighborhoods").text
        self._held_out = held_out_below(holdout)
        self._papers = TrainingVectors.read(db, source.space, holdout)
        rank = source.hard_rank or scaled_rank(len(self._papers.ids), source.farthest)
        self._band = negative_rank_range(rank, source.hard, source.farthest)

    def find(self, ids: list[str]) -> list[Candidates]:
        """Return the candidates of these query papers, in their order."""
        placed = [paper for paper in ids if paper in self._papers.row]
        near = dict(zip(placed, self._papers.near(placed, self._band.stop - 1)[0], strict=True))
        rows = self._db.value(self._text, ids=ids, held_out=self._held_out)
        return [
            self._candidates(query, sample_key, cited, near.get(query, []))
            for query, sample_key, cited in rows
        ]

    def _candidates(
        self, query: str, sample_key: int, cited: list[str], near: list[str]
    ) -> Candidates:
        rng = query_rng(self._seed, Stream.MODEL_NEGATIVES, sample_key)
        # By default six papers; the code of SciNCL takes five, [20:25]
        positives = near[self._source.nearest - 1 : self._source.farthest]
        hard = near[self._band.start - 1 : self._band.stop - 1]
        related = {*cited, *near[: self._source.farthest]}
        rng.shuffle(positives)
        rng.shuffle(hard)
        unrelated = [paper for paper in hard if paper not in related][: self._source.hard]
        return Candidates(query, sample_key, positives, unrelated, sorted(related))


def scaled_rank(papers: int, farthest: int) -> int:
    """Return the rank of hard negatives in a corpus of `papers` papers.

    SciNCL's rank, 4,000 of 52.4 million papers, is multiplied by the square root of the ratio of
    the corpus sizes. In a corpus of ten thousand papers, the same share would be rank 1, and the
    same rank would be almost half of the papers. The result is at least twice `farthest`, the
    highest rank of a positive.
    """
    return max(2 * farthest, round(_RANK * math.sqrt(papers / _PAPERS)))


def negative_rank_range(rank: int, hard: int, farthest: int) -> range:
    """Return the range of ranks for hard negatives: 5 % around `rank`, and at least `hard` ranks.

    It begins after the farthest positive.
    """
    width = max(hard, rank // 20)
    return range(max(farthest + 1, rank - width), rank + width + 1)


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
