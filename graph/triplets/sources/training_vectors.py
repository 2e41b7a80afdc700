"""Vectors of the training papers in a space that has not seen held-out citations."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError
from specter_graph.core.vectors import nearest
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    get_space,
    read_vectors,
)
from specter_graph.graph.split import training_ids

_ROWS = 128
"""Query papers compared in one block."""


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
        parts = [own[start : start + _ROWS] for start in range(0, len(own), _ROWS)]
        neighbors = [nearest(self.vectors[part], self.vectors, k, part) for part in parts]
        names = [[self.ids[row] for row in rows] for part, _ in neighbors for rows in part]
        return names, [squared for _, part in neighbors for squared in part]


def space_for(db: Database, name: str, holdout: float) -> EmbeddingSpace:
    """Return the record of a space after checking that it can be used for mining.

    Raises:
        GraphError: The space is missing.
        LeakError: It has seen citations that `holdout` hides.
    """
    record = get_space(db, name)
    check_no_leakage([record], holdout)
    return record
