"""Vectors by paper id, and the split of items into three parts."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.evaluation.metrics.ranking import Floats
from specter_graph.loaders.records import SAMPLE_PRIME

Part = Literal["train", "validation", "test"]
Item = TypeVar("Item")

SHARE = 0.1
"""Default share of papers for test, and again for validation, if no papers are held out."""


@dataclass(frozen=True, slots=True)
class PaperVectors:
    """Vectors (papers, d) and the row of each paper; `name` is the name of the space."""

    rows: dict[str, int]
    array: NDArray[np.floating]
    name: str = ""

    @classmethod
    def build(
        cls, ids: Sequence[str], array: NDArray[np.floating], name: str = ""
    ) -> "PaperVectors":
        """Name the rows of an array; of repeated ids the last row counts."""
        return cls({paper: row for row, paper in enumerate(ids)}, array, name)

    def __contains__(self, paper: str) -> bool:
        return paper in self.rows

    def get(self, papers: Iterable[str]) -> Floats:
        """Return the vectors of papers, (papers, d) float64; all must have one."""
        return self.array[[self.rows[paper] for paper in papers]].astype(np.float64)

    def get_or_zeros(self, papers: Sequence[str]) -> Floats:
        """Return the vectors of papers, (papers, d) float64; zeros for missing ones."""
        vectors = np.zeros((len(papers), self.array.shape[1]))
        present = [place for place, paper in enumerate(papers) if paper in self.rows]
        vectors[present] = self.get(papers[place] for place in present)
        return vectors

    def count_missing(self, papers: Iterable[str]) -> int:
        """Count the papers without a vector."""
        return sum(paper not in self.rows for paper in papers)

    def require_any(self, papers: Collection[str], role: str) -> None:
        """Raise InputError when none of these papers has a vector; `role` describes them."""
        if self.count_missing(papers) == len(papers):
            example = f", such as {min(papers)!r}" if papers else ""
            raise InputError(
                f"none of the {len(papers):,} {role} has a vector{example}",
                "compare the ids: specter-graph embed-files --strip-id-prefix writes ID, not s2:ID",
            )


def part_of(key: int, share: float) -> Part:
    """Return the part of a paper by its sample key, or of anything by the hash of its name.

    The rule is the one for held-out papers (`graph.split`): with the same share, a paper held out
    for test is in the part `test`.
    """
    place = key / SAMPLE_PRIME
    return "test" if place < share else "validation" if place < 2 * share else "train"


def split_by_part(items: Iterable[Item], part: Callable[[Item], Part]) -> dict[Part, list[Item]]:
    """Split items into their parts."""
    parts: dict[Part, list[Item]] = {"train": [], "validation": [], "test": []}
    for item in items:
        parts[part(item)].append(item)
    return parts


def split_by_order(items: Sequence[Item], share: float) -> dict[Part, list[Item]]:
    """Split items ordered by time: the last ones are for test, those before for validation."""
    size = round(len(items) * share)
    ends = len(items) - 2 * size, len(items) - size
    return {
        "train": list(items[: ends[0]]),
        "validation": list(items[ends[0] : ends[1]]),
        "test": list(items[ends[1] :]),
    }
