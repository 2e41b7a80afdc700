"""Count the citations that connect the reviewers and the submissions of a venue.

Cypher reads the papers of reviewers, the references of submissions, and the citations of both, each
paper once. Products of sparse matrices then give the counts of all pairs. (Counting the paths of
each pair in the server takes a hundred times as long, because a paper that many papers cite lies on
the paths of almost all pairs.)
"""

from array import array
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from specter_graph.core.progress import batches
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.venue_data import (
    read_reviewer_papers,
    require_venue,
    reviewer_authors,
)

Matrix: TypeAlias = Any  # scipy.sparse.csr_array
"""(reviewers, submissions) int32, sparse."""

_PAPERS_PER_READ = 5_000


@dataclass(frozen=True, slots=True)
class CitationSignals:
    """Numbers of papers that connect a reviewer and a submission, for all pairs.

    Attributes:
        reviewers: Ids of the reviewers: the rows of the matrices.
        submissions: Ids of the submissions: the columns.
        cited: Papers of the reviewer that the submission cites.
        shared: Papers that both the submission and a paper of the reviewer cite: bibliographic
            coupling (Kessler, 1963, "Bibliographic coupling between scientific papers").
        two_hops: Papers of others that the submission cites and that cite a paper of the reviewer.
    """

    reviewers: tuple[str, ...]
    submissions: tuple[str, ...]
    cited: Matrix
    shared: Matrix
    two_hops: Matrix


def count_citation_signals(db: Database, venue: str) -> CitationSignals:
    """Count the citations between reviewers and submissions, both in the order of their ids.

    Raises:
        GraphError: The graph has no such venue.
    """
    require_venue(db, venue)
    reviewers = [*reviewer_authors(db, venue)]
    numbers: dict[str, int] = {}
    wrote, refers = array("i"), array("i")  # start, end, start, end, ...
    keys: list[str] = []
    row_of = {key: row for row, key in enumerate(reviewers)}
    for paper in read_reviewer_papers(db, venue):
        wrote.extend((row_of[paper.reviewer], numbers.setdefault(paper.paper, len(numbers))))
    written = len(numbers)
    for row in db.stream("reviewing/references_of", venue=venue):
        for reference in row["papers"]:
            refers.extend((len(keys), numbers.setdefault(reference, len(numbers))))
        keys.append(row["submission"])
    cites = _read_citations(db, numbers, {*range(written)}, {*refers[1::2]})
    own = _make_matrix(wrote, len(reviewers), len(numbers))
    referred = _make_matrix(refers, len(keys), len(numbers)).T
    cited_by, citing = _to_binary(own @ cites), _to_binary(own @ cites.T)
    others = citing - citing.multiply(own)
    counts = (own @ referred, cited_by @ referred, others @ referred)
    return CitationSignals(tuple(reviewers), tuple(keys), *(matrix.tocsr() for matrix in counts))


def _read_citations(
    db: Database, numbers: dict[str, int], written: set[int], referred: set[int]
) -> Matrix:
    """Return the citations between papers of reviewers and references, in either direction."""
    cites = array("i")
    for batch in batches(numbers, _PAPERS_PER_READ):
        for paper, cited in db.stream("reviewing/citations_of", papers=batch):
            start = numbers[paper]
            for end in (numbers[key] for key in cited if key in numbers):
                if (start in written and end in referred) or (start in referred and end in written):
                    cites.extend((start, end))
    return _make_matrix(cites, len(numbers), len(numbers))


def _make_matrix(pairs: "array[int]", rows: int, columns: int) -> Matrix:
    """Return a sparse matrix with ones at these pairs of a row and a column."""
    from scipy.sparse import csr_array

    places = np.asarray(pairs).reshape(-1, 2).T
    ones = np.ones(places.shape[1], dtype=np.int32)
    return _to_binary(csr_array((ones, (*places,)), shape=(rows, columns)))


def _to_binary(matrix: Matrix) -> Matrix:
    """Return the matrix with 1 for each stored count."""
    matrix = matrix.tocsr()
    matrix.data[:] = 1
    return matrix
