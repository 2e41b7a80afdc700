"""The vectors of the training papers in a space, which has seen no more than training may."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError
from specter_graph.core.vectors import nearest
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, read_vectors, refuse_leaks, space
from specter_graph.graph.split import training_ids

_ROWS = 128
"""Query papers compared at once."""


@dataclass(frozen=True)
class TrainingVectors:
    """Training papers in the order of their ids, with their vectors (n, d), none of them zero."""

    ids: list[str]
    vectors: NDArray[np.float32]
    row: dict[str, int]

    @classmethod
    def read(cls, db: Database, name: str, holdout: float) -> "TrainingVectors":
        """Read a space; raises GraphError where there is none, or no training paper is in it."""
        ids, vectors = read_vectors(db, name)
        training = {*training_ids(db, holdout)}
        kept = [place for place, paper in enumerate(ids) if paper in training]
        kept = [place for place in kept if vectors[place].any()]
        if not kept:
            raise GraphError(
                f"no training paper has a vector in the space {name!r}", "specter-graph stats"
            )
        ids = [ids[place] for place in kept]
        return cls(ids, vectors[kept], {paper: row for row, paper in enumerate(ids)})

    def near(self, papers: list[str], k: int) -> tuple[list[list[str]], list[NDArray[np.float32]]]:
        """The k papers nearest to each of these, which have vectors, and squared L2 distances."""
        own = np.array([self.row[paper] for paper in papers], np.int64)
        parts = [own[start : start + _ROWS] for start in range(0, len(own), _ROWS)]
        found = [nearest(self.vectors[part], self.vectors, k, part) for part in parts]
        names = [[self.ids[row] for row in rows] for part, _ in found for rows in part]
        return names, [squared for _, part in found for squared in part]


def space_for(db: Database, name: str, holdout: float) -> EmbeddingSpace:
    """The record of a space that triplets may be mined with.

    Raises GraphError where there is none, LeakError when it has seen citations which `holdout`
    hides.
    """
    record = space(db, name)
    refuse_leaks([record], holdout)
    return record
