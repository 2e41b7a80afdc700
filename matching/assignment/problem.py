"""Assignment problems, their solutions and errors; papers and reviewers are numbers."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from specter_graph.core.errors import InputError, counted

Affinities = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SCALE = 1_000_000
"""Affinities are rounded to 1e-6: the flow counts in millionths."""
_MAX_AFFINITY = 1000.0


class ProblemError(InputError):
    """A contradiction within a problem.

    `papers` and `reviewers` are the numbers of the affected papers and reviewers, for a caller that
    knows their names. One can be empty; if pairs are affected, both have the same length.
    """

    def __init__(
        self, message: str, papers: npt.ArrayLike = (), reviewers: npt.ArrayLike = ()
    ) -> None:
        super().__init__(message)
        self.papers = np.asarray(papers, np.int64)
        self.reviewers = np.asarray(reviewers, np.int64)


class InfeasibleError(InputError):
    """A problem without an assignment; `missing` is the number of reviews without a reviewer."""

    def __init__(self, missing: int) -> None:
        super().__init__(
            f"no assignment meets all demands: at least {counted(missing, 'review')} cannot be"
            " placed",
            "call explain() for the papers and reviewers, and the smallest change that helps",
        )
        self.missing = missing


@dataclass(frozen=True, eq=False)
class GroupLimit:
    """The maximum number of reviewers of a group (an affiliation, a region) for each paper.

    Attributes:
        members: Numbers of the groups of each reviewer.
        maximum: Maximum number of reviewers of a group for a paper.
        taken: (n, 2) paper and group of people outside the problem, who count too.
    """

    members: tuple[tuple[int, ...], ...]
    maximum: int = 1
    taken: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))


@dataclass(frozen=True, eq=False)
class AssignmentProblem:
    """Affinities and demands. An array whose values are all equal can be given as a scalar.

    Attributes:
        affinity: (papers, reviewers) float32, from -1000 to 1000.
        needed: (papers,) number of reviewers of each paper.
        maximum: (reviewers,) maximum number of papers of each reviewer.
        allowed: (papers, reviewers) bool, False for a conflict or a forbidden pair.
        minimum: (reviewers,) minimum number of papers of each reviewer.
        locked: (n, 2) pairs of paper and reviewer that the assignment must have.
        senior: (reviewers,) bool.
        seniors_per_paper: Minimum number of senior reviewers of a paper, at most `needed`.
        groups: Limits of groups of reviewers. Locked pairs may exceed them.
        authors: (n, 2) paper and a reviewer who is an author of it. If any are given, no two
            reviewers review each other's papers, except by locked pairs.

    Raises:
        ProblemError: The demands contradict each other.
    """

    affinity: Affinities
    needed: Ints
    maximum: Ints
    allowed: Bools = field(default_factory=lambda: np.ones((), np.bool_))
    minimum: Ints = field(default_factory=lambda: np.zeros((), np.int64))
    locked: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))
    senior: Bools = field(default_factory=lambda: np.zeros((), np.bool_))
    seniors_per_paper: int = 0
    groups: tuple[GroupLimit, ...] = ()
    authors: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))

    def __post_init__(self) -> None:
        affinity = np.asarray(self.affinity, np.float32)
        papers, reviewers = affinity.shape
        shapes: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
            "needed": (np.int64, (papers,)),
            "maximum": (np.int64, (reviewers,)),
            "minimum": (np.int64, (reviewers,)),
            "senior": (np.bool_, (reviewers,)),
            "allowed": (np.bool_, (papers, reviewers)),
        }
        object.__setattr__(self, "affinity", affinity)
        for name, (kind, shape) in shapes.items():
            values = np.broadcast_to(np.asarray(getattr(self, name), kind), shape)
            object.__setattr__(self, name, np.ascontiguousarray(values))
        for name in ("locked", "authors"):
            pairs = np.asarray(getattr(self, name), np.int64).reshape(-1, 2)
            object.__setattr__(self, name, np.unique(pairs, axis=0))
        self._check_numbers()
        self._check_locked()

    def _check_numbers(self) -> None:
        low, high = (self.affinity.min(), self.affinity.max()) if self.affinity.size else (0, 0)
        if not (low >= -_MAX_AFFINITY and high <= _MAX_AFFINITY):  # also true if there is NaN
            outside = np.argwhere(~(np.abs(self.affinity) <= _MAX_AFFINITY))
            raise ProblemError(
                f"{counted(len(outside), 'affinity is', 'affinities are')} not between"
                f" -{_MAX_AFFINITY:g} and {_MAX_AFFINITY:g}",
                *outside.T,
            )
        bad = np.flatnonzero((self.minimum < 0) | (self.maximum < self.minimum))
        if bad.size:
            raise ProblemError(
                f"the minimum load of {counted(bad.size, 'reviewer')} is negative or above the"
                " maximum load",
                reviewers=bad,
            )

    def _check_locked(self) -> None:
        excluded = self.locked[~self.allowed[tuple(self.locked.T)]]
        if len(excluded):
            raise ProblemError(
                f"{counted(len(excluded), 'locked pair')} with a conflict, or forbidden",
                *excluded.T,
            )

    @property
    def papers(self) -> int:
        """The number of papers."""
        return int(self.affinity.shape[0])

    @property
    def reviewers(self) -> int:
        """The number of reviewers."""
        return int(self.affinity.shape[1])

    def refuse_side_constraints(self, kind: str) -> None:
        """Raise ProblemError if the problem has constraints that a flow cannot express."""
        if self.groups or len(self.authors):
            raise ProblemError(
                f"a {kind} assignment cannot limit groups of reviewers or reciprocal reviews"
            )

    @cached_property
    def eligible(self) -> Bools:
        """(papers, reviewers) bool: pairs that are allowed and not locked."""
        if not len(self.locked):
            return self.allowed
        eligible = self.allowed.copy()
        eligible[tuple(self.locked.T)] = False
        return eligible

    @cached_property
    def weight(self) -> npt.NDArray[np.int32]:
        """(papers, reviewers) int32: the affinities in millionths."""
        weights = np.empty(self.affinity.shape, np.int32)
        for start in range(0, self.papers, 256):  # blocks bound the memory of the float64 copy
            rows = slice(start, start + 256)
            weights[rows] = np.rint(self.affinity[rows].astype(np.float64) * SCALE)
        return weights


@dataclass(frozen=True, eq=False)
class Assignment:
    """An assignment of reviewers to papers.

    Attributes:
        pairs: (n, 2) numbers of paper and reviewer, sorted.
        affinity: (papers,) float64, summed over the reviewers of each paper.
        bound: Upper bound of the total of any assignment, None if another goal was maximized.
    """

    pairs: Ints
    affinity: npt.NDArray[np.float64]
    bound: float | None = None

    @property
    def total(self) -> float:
        """The sum of the affinities, exact to 1e-6 for each pair."""
        return float(self.affinity.sum())

    @property
    def gap(self) -> float | None:
        """The largest possible distance from the best total; 0 means a proven optimum."""
        return None if self.bound is None else max(0.0, round(self.bound - self.total, 6))

    def load(self, reviewers: int) -> Ints:
        """Return the number of papers of each reviewer, (reviewers,)."""
        return np.bincount(self.pairs[:, 1], minlength=reviewers)


def make_assignment(
    problem: AssignmentProblem, pairs: Ints, bound: int | None = None
) -> Assignment:
    """Build an assignment from pairs and the locked pairs of the problem.

    Args:
        problem: The problem.
        pairs: (n, 2) numbers of paper and reviewer.
        bound: Upper bound of the total affinity of `pairs`, in millionths; None if unknown.
    """
    both = np.unique(np.concatenate([problem.locked, pairs.reshape(-1, 2)]), axis=0)
    weight = problem.weight[tuple(both.T)].astype(np.int64)
    sums = np.bincount(both[:, 0], weight, minlength=problem.papers) / SCALE
    if bound is not None:
        bound += int(problem.weight[tuple(problem.locked.T)].sum(dtype=np.int64))
    return Assignment(both, sums, None if bound is None else bound / SCALE)


def mask_of(pairs: npt.ArrayLike, shape: tuple[int, ...]) -> Bools:
    """Return (papers, reviewers) bool: True at these pairs, (n, 2)."""
    mask = np.zeros(shape, np.bool_)
    mask[tuple(np.asarray(pairs, np.int64).reshape(-1, 2).T)] = True
    return mask


def with_bids(
    affinity: Affinities, pairs: Ints, bids: npt.NDArray[np.float64], strength: float = 4.0
) -> Affinities:
    """Return affinities changed by bids: 2 x ** (strength ** -bid) - 1, x = (1 + affinity) / 2.

    With strength 4 an eager bid takes the fourth root of x, and a refusal its fourth power. An
    affinity of 0, as reviewers without papers have, is in the middle of the range of x, so bids
    count for them too. The result is from -1 to 1 and rises with affinity and bid. An affinity of
    -1 or less does not change.

    Args:
        affinity: (papers, reviewers) float32, at most 1 for pairs with a bid.
        pairs: (n, 2) of paper and reviewer.
        bids: (n,) from -1 (not at all) to 1 (eager); 0 changes nothing.
        strength: Strength of the bids, 1 or more; 1 changes nothing.
    """
    places = tuple(np.asarray(pairs).T)
    own = affinity[places].astype(np.float64)
    combined = affinity.copy()
    weighed = 2 * np.maximum((1 + own) / 2, 0) ** (strength ** -np.asarray(bids)) - 1
    combined[places] = np.where(own > -1, weighed, own)
    return combined
