"""Counts what citations say of reviewers and submissions.

Cypher reads who wrote what, what submissions refer to and what these papers cite, each paper once;
the pairs are products of sparse matrices. (Paths counted pair by pair in the server take a hundred
times as long: a paper that everybody cites connects everybody with everybody.)
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from specter_graph.core.batching import batches
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.read import (
    author_pages,
    require_venue,
    reviewer_papers,
    submission_id,
)

Matrix: TypeAlias = Any  # scipy.sparse.csr_array
"""(reviewers, submissions) int32, sparse."""

_PAPERS = 5_000


@dataclass(frozen=True, slots=True)
class Signal:
    """Counts of papers for one pair.

    `cited` papers of the reviewer are cited by the submission, `shared` papers are cited by it and
    by papers of the reviewer, `two_hops` papers are cited by it and cite papers of the reviewer,
    who did not write them.
    """

    reviewer: str
    submission: str
    cited: int = 0
    shared: int = 0
    two_hops: int = 0


@dataclass(frozen=True, slots=True)
class Signals:
    """The counts of `Signal` for all pairs of reviewers (rows) and submissions (columns).

    `shared` is bibliographic coupling (Kessler, 1963, "Bibliographic coupling between scientific
    papers").
    """

    reviewers: tuple[str, ...]
    submissions: tuple[str, ...]
    cited: Matrix
    shared: Matrix
    two_hops: Matrix

    def pairs(self) -> Iterator[Signal]:
        """Those of which citations say anything, in the order of reviewers and submissions."""
        counts: tuple[Matrix, ...] = (self.cited, self.shared, self.two_hops)
        for row, reviewer in enumerate(self.reviewers):
            found: dict[int, list[int]] = {}
            for place, matrix in enumerate(counts):
                part = slice(matrix.indptr[row], matrix.indptr[row + 1])
                for column, count in zip(
                    matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True
                ):
                    found.setdefault(column, [0, 0, 0])[place] = count
            for column in sorted(found):
                yield Signal(reviewer, self.submissions[column], *found[column])


def signals(
    db: Database,
    venue: str,
    *,
    only: Iterable[str] | None = None,
    reviewers: Iterable[str] | None = None,
) -> Signals:
    """Count what citations say of the pairs of a venue; `only` and `reviewers` leave out others.

    The order of both is that of their ids. Raises GraphError for an unknown venue.
    """
    require_venue(db, venue)
    chosen = [key for page in author_pages(db, venue, reviewers) for key in page.values()]
    ids = None if only is None else [submission_id(venue, key) for key in only]
    numbers: dict[str, int] = {}
    wrote, refers = _Pairs(), _Pairs()
    keys: list[str] = []
    row_of = {key: row for row, key in enumerate(chosen)}
    for each in reviewer_papers(db, venue, chosen):
        wrote.add(row_of[each.reviewer], numbers.setdefault(each.paper, len(numbers)))
    written = len(numbers)
    for row in db.stream(statement("reviewing/references_of").text, venue=venue, submissions=ids):
        for paper in row["papers"]:
            refers.add(len(keys), numbers.setdefault(paper, len(numbers)))
        keys.append(row["submission"])
    cites = _citations(db, numbers, {*range(written)}, {*refers.ends})
    size = len(numbers)
    own, referred = wrote.matrix(len(chosen), size), refers.matrix(len(keys), size).T
    cited_by, citing = _said(own @ cites), _said(own @ cites.T)
    others = citing - citing.multiply(own)
    counts = (own @ referred, cited_by @ referred, others @ referred)
    return Signals(tuple(chosen), tuple(keys), *map(_sorted, counts))


def _citations(
    db: Database, numbers: dict[str, int], written: set[int], referred: set[int]
) -> Matrix:
    """Citations, square: of what reviewers wrote to what submissions refer to, and the reverse."""
    text = statement("reviewing/citations_of").text
    cites = _Pairs()
    for some in batches(numbers, _PAPERS):
        for paper, cited in db.stream(text, papers=some):
            number = numbers[paper]
            ends = (numbers[key] for key in cited if key in numbers)
            for end in ends:
                if (number in written and end in referred) or (
                    number in referred and end in written
                ):
                    cites.add(number, end)
    return cites.matrix(len(numbers), len(numbers))


class _Pairs:
    """Pairs of numbers, each once, that make a sparse matrix of ones."""

    def __init__(self) -> None:
        self.starts, self.ends = array("i"), array("i")

    def add(self, start: int, end: int) -> None:
        self.starts.append(start)
        self.ends.append(end)

    def matrix(self, rows: int, columns: int) -> Matrix:
        import numpy as np
        from scipy.sparse import csr_array

        ones = np.ones(len(self.starts), dtype=np.int32)
        places = (np.frombuffer(self.starts, "i"), np.frombuffer(self.ends, "i"))
        return _said(csr_array((ones, places), shape=(rows, columns)))


def _said(matrix: Matrix) -> Matrix:
    """One wherever there is a count."""
    matrix = matrix.tocsr()
    matrix.data[:] = 1
    return matrix


def _sorted(matrix: Matrix) -> Matrix:
    matrix = matrix.tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix
