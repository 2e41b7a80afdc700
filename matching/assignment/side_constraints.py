"""Constraints that a flow cannot express, as rows of an integer program over pairs.

`GroupRows` limits the reviewers of a group (an affiliation, a region) for each paper.
`ReciprocalRows` prevents two reviewers from reviewing each other's papers. Both find the rows that
an assignment violates, so that a program needs only these rows.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from scipy import sparse

from specter_graph.matching.assignment.problem import AssignmentProblem, Bools, GroupLimit, Ints


def side_constraints(problem: AssignmentProblem) -> "list[SideConstraint]":
    """Return the constraints of a problem that an assignment could violate."""
    groups = [GroupRows(problem, limit) for limit in problem.groups]
    reciprocal = [ReciprocalRows(problem)] if len(problem.authors) else []
    return [*(rule for rule in groups if rule.members.nnz), *reciprocal]


class GroupRows:
    """At most a number of reviewers of a group for a paper; row paper * groups + group."""

    def __init__(self, problem: AssignmentProblem, limit: GroupLimit) -> None:
        """Use a limit of a problem."""
        own = [sorted({*numbers}) for numbers in limit.members]
        reviewer = np.repeat(np.arange(len(own)), [len(numbers) for numbers in own])
        numbers = np.array([number for row in own for number in row], np.int64)
        groups = int(max(numbers.max(initial=-1), limit.taken[:, 1].max(initial=-1))) + 1
        members = _ones(reviewer, numbers, (problem.reviewers, groups))
        taken = _ones(limit.taken[:, 0], limit.taken[:, 1], (problem.papers, groups))
        can_exceed = np.flatnonzero((members.sum(0) > limit.maximum) | (taken.sum(0) > 0))
        self.members = sparse.csr_array(members[:, can_exceed])
        used = taken[:, can_exceed] + _matrix(problem, problem.locked) @ self.members
        self._free = np.maximum(0, limit.maximum - used.toarray().astype(np.int64))
        self._problem = problem

    def blocked(self) -> Bools:
        """Return (papers, reviewers): pairs of groups that have no place left at the paper."""
        return np.asarray((sparse.csr_array(self._free == 0) @ self.members.T).toarray() > 0)

    def violated(self, pairs: Ints) -> Ints:
        """Return sorted numbers of the rows that these pairs, (n, 2), violate."""
        counts = _matrix(self._problem, pairs) @ self.members
        return np.flatnonzero(counts.toarray() > self._free)

    def rows(self, numbers: Ints, keys: Ints) -> tuple[sparse.csr_array, Ints]:
        """Return rows (m, keys) of 0 and 1, and their upper bounds, (m,).

        The sum over a group is at most its places.

        Args:
            numbers: Sorted numbers of rows.
            keys: Sorted keys of pairs: paper * reviewers + reviewer.
        """
        paper, reviewer = np.divmod(keys, self._problem.reviewers)
        shared = self.members[reviewer].tocoo()
        number = paper[shared.row] * self.members.shape[1] + shared.col
        inside = np.isin(number, numbers)
        row = np.searchsorted(numbers, number[inside])
        return _ones(row, shared.row[inside], (numbers.size, keys.size)), self._free.ravel()[
            numbers
        ]

    def prices(self, numbers: Ints, duals: Ints) -> sparse.csr_array:
        """Return (papers, reviewers): the sum of the duals of the rows that a new pair would have.

        `duals` are those of the rows of `rows`.
        """
        shape = (self._problem.papers, self.members.shape[1])
        paper, group = np.divmod(numbers, max(1, shape[1]))
        return sparse.csr_array(sparse.csr_array((duals, (paper, group)), shape) @ self.members.T)


class ReciprocalRows:
    """No two reviewers review each other's papers; row reviewer * reviewers + other reviewer."""

    def __init__(self, problem: AssignmentProblem) -> None:
        """Use the authors of a problem."""
        self._problem = problem
        self._wrote = _matrix(problem, problem.authors)

    def blocked(self) -> Bools:
        """Return the pairs that reciprocate a locked pair."""
        return np.asarray((self._wrote @ self._reviews(self._problem.locked)).toarray() > 0)

    def violated(self, pairs: Ints) -> Ints:
        """Return numbers of the rows whose two reviewers review each other's papers."""
        reviews = self._reviews(pairs)
        mutual = sparse.triu(reviews.minimum(reviews.T), k=1).tocoo()
        numbers = mutual.row.astype(np.int64) * self._problem.reviewers + mutual.col
        return np.sort(numbers[mutual.data > 0])

    def rows(self, numbers: Ints, keys: Ints) -> tuple[sparse.csr_array, Ints]:
        """Return rows for each number: of two pairs that reciprocate each other, at most one."""
        reviewers = self._problem.reviewers
        written = self._wrote.tocsc()
        columns: list[Ints] = []
        for one, other in zip(*np.divmod(numbers, reviewers), strict=True):
            both = [
                np.intersect1d(written[:, [author]].indices * reviewers + reader, keys)
                for author, reader in ((one, other), (other, one))
            ]
            mesh = np.stack(np.meshgrid(*both, indexing="ij"), -1).reshape(-1, 2)
            columns.append(np.searchsorted(keys, mesh))
        pairs = np.concatenate([np.empty((0, 2), np.int64), *columns])
        row = np.repeat(np.arange(len(pairs)), 2)
        return _ones(row, pairs.ravel(), (len(pairs), keys.size)), np.ones(len(pairs), np.int64)

    def prices(self, numbers: Ints, duals: Ints) -> None:
        """Return None: rows are made for two existing pairs."""

    def _reviews(self, pairs: Ints) -> sparse.csr_array:
        """Return (reviewers, reviewers): the number of papers of the second that the first has.

        Papers of their own, to which authors may be locked, do not count.
        """
        reviews = sparse.csr_array(_matrix(self._problem, pairs).T @ self._wrote)
        return sparse.csr_array(reviews - sparse.diags_array(reviews.diagonal()))


SideConstraint: TypeAlias = GroupRows | ReciprocalRows


def _matrix(problem: AssignmentProblem, pairs: Ints) -> sparse.csr_array:
    return _ones(pairs[:, 0], pairs[:, 1], problem.affinity.shape)


def _ones(row: Ints, column: Ints, shape: Sequence[int]) -> sparse.csr_array:
    return sparse.csr_array((np.ones(row.size), (row, column)), shape=tuple(shape))
