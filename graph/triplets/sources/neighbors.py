"""Neighbours in a space made of citations as positives (SciNCL: Ostendorff et al. 2022)."""

import math

from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import Neighbours
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.sources.candidates import Found, generator
from specter_graph.graph.triplets.sources.training_vectors import TrainingVectors, space_for

_STREAM = 4
_RANK, _PAPERS = 4_000, 52_400_000
"""Where the hard negatives of SciNCL are, and of how many papers (sections 4.1 and 5.2 there)."""


class NeighbourFinder:
    """Positives are near the query, hard negatives in a band of ranks farther out.

    Neighbours are exact. Papers without a citation have no place in the space, and no triplets. A
    paper that cites the query or is cited by it is no negative, nor is a nearer one than the
    farthest positive.
    """

    def __init__(self, db: Database, source: Neighbours, seed: int, holdout: float) -> None:
        if not space_for(db, source.space, holdout).sees_edges:
            raise InputError(
                f"the space {source.space!r} is made of texts, not of citations",
                f"specter-graph graph fastrp --holdout {holdout:g} makes one",
            )
        self._db = db
        self._source = source
        self._seed = seed
        self._text = statement("triplets/neighbourhoods").text
        self._held_out = held_out_below(holdout)
        self._papers = TrainingVectors.read(db, source.space, holdout)
        rank = source.hard_rank or scaled_rank(len(self._papers.ids), source.farthest)
        self._band = band(rank, source.hard, source.farthest)

    def find(self, ids: list[str]) -> list[Found]:
        """What is eligible for these query papers, in their order."""
        placed = [paper for paper in ids if paper in self._papers.row]
        near = dict(zip(placed, self._papers.near(placed, self._band.stop - 1)[0], strict=True))
        rows = self._db.value(self._text, ids=ids, held_out=self._held_out)
        return [self._found(query, draw, cited, near.get(query, [])) for query, draw, cited in rows]

    def _found(self, query: str, draw: int, cited: list[str], near: list[str]) -> Found:
        chance = generator(self._seed, _STREAM, draw)
        positives = near[self._source.nearest - 1 : self._source.farthest]
        hard = near[self._band.start - 1 : self._band.stop - 1]
        related = {*cited, *near[: self._source.farthest]}
        chance.shuffle(positives)
        chance.shuffle(hard)
        unrelated = [paper for paper in hard if paper not in related][: self._source.hard]
        return Found(query, draw, positives, unrelated, sorted(related))


def scaled_rank(papers: int, farthest: int) -> int:
    """Where hard negatives are in a corpus of so many papers, given the farthest positive's rank.

    SciNCL's 4,000 of 52.4 million, times the square root of the share of papers: the rank of a
    fixed share of the papers would be 1 in a corpus of ten thousand, a fixed rank half of them.
    """
    return max(2 * farthest, round(_RANK * math.sqrt(papers / _PAPERS)))


def band(rank: int, hard: int, farthest: int) -> range:
    """The ranks that hard negatives are drawn from: a twentieth around, at least as many as wanted.

    It begins behind the farthest positive.
    """
    width = max(hard, rank // 20)
    return range(max(farthest + 1, rank - width), rank + width + 1)
