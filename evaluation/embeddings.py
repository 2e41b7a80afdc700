"""Vectors that are looked up by the id of a paper; some papers may have none."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors (papers, d), and at which row that of a paper stands."""

    rows: dict[str, int]
    array: NDArray[np.floating]

    @classmethod
    def of(cls, ids: Sequence[str], array: NDArray[np.floating]) -> "Embeddings":
        """Embeddings of these papers, row by row; of a paper that comes twice the last counts."""
        return cls({paper: row for row, paper in enumerate(ids)}, array)

    def __contains__(self, paper: str) -> bool:
        return paper in self.rows

    def of_papers(self, papers: Iterable[str]) -> NDArray[np.float64]:
        """The vectors of papers that all have one, (papers, d) float64."""
        return self.array[[self.rows[paper] for paper in papers]].astype(np.float64)

    def or_zeros(self, papers: Sequence[str]) -> NDArray[np.float64]:
        """The vectors of papers, (papers, d) float64, zeros for those that have none."""
        vectors = np.zeros((len(papers), self.array.shape[1]))
        there = [place for place, paper in enumerate(papers) if paper in self.rows]
        vectors[there] = self.of_papers(papers[place] for place in there)
        return vectors

    def missing(self, papers: Iterable[str]) -> int:
        """How many of these papers have no vector."""
        return sum(paper not in self.rows for paper in papers)

    def require_any(self, papers: Collection[str], what: str) -> None:
        """Raise InputError when none of these papers, the `what` of a task, has a vector."""
        if self.missing(papers) == len(papers):
            named = f", {min(papers)!r} for one" if papers else ""
            raise InputError(
                f"none of the {len(papers):,} {what} has a vector{named}",
                "ids of `embed --input` begin with the source, unless --bare-ids is given",
            )
