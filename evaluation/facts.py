"""What is known of the held-out papers, as positions in the list of candidates."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]

Row = tuple[str, Iterable[str], Iterable[str], Iterable[str]]
"""A held-out paper's id, and those that it cites, that cite it, that are cited together with it."""


@dataclass(frozen=True, slots=True)
class HeldOutPaper:
    """A query and its citations, which are hidden from training.

    `cites`, `cited_by` and `cocited` (some paper cites both) are ascending positions in
    `Facts.candidates`.
    """

    id: str
    cites: Positions
    cited_by: Positions
    cocited: Positions


@dataclass(frozen=True, slots=True)
class Facts:
    """The held-out papers and the candidates, each in ascending order of their ids.

    Candidates are the training papers: those with a record that are not held out.
    """

    candidates: tuple[str, ...]
    papers: tuple[HeldOutPaper, ...]

    @classmethod
    def build(cls, candidates: Iterable[str], rows: Iterable[Row]) -> "Facts":
        """Facts from ids, given in any order; ids that are not candidates are left out."""
        ordered = tuple(sorted(candidates))
        position = {paper: i for i, paper in enumerate(ordered)}
        papers = [
            HeldOutPaper(paper, *(_positions(ids, position) for ids in related))
            for paper, *related in rows
        ]
        return cls(ordered, tuple(sorted(papers, key=lambda paper: paper.id)))


def _positions(ids: Iterable[str], position: dict[str, int]) -> Positions:
    return np.array(sorted({position[paper] for paper in ids if paper in position}), dtype=np.int64)
