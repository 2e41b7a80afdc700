"""What is asked, what is answered, and the errors between; papers and reviewers are numbers."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from specter_graph.core.errors import InputError

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SCALE = 1_000_000
"""Affinities are kept to 1e-6: the flow counts in millionths."""
_MOST = 1000.0


class ProblemError(InputError):
    """A problem that contradicts itself.

    `papers` and `reviewers` are the numbers it is about (one may be empty; both of one length where
    pairs are meant), for the caller to name.
    """

    def __init__(
        self, message: str, papers: npt.ArrayLike = (), reviewers: npt.ArrayLike = ()
    ) -> None:
        super().__init__(message)
        self.papers = np.asarray(papers, np.int64)
        self.reviewers = np.asarray(reviewers, np.int64)


class InfeasibleError(InputError):
    """No assignment meets all demands; `missing` is how many reviews no reviewer can take."""

    def __init__(self, missing: int) -> None:
        super().__init__(
            f"no assignment meets all demands: at least {missing} reviews cannot be placed",
            "explain() names the papers and the reviewers, and the smallest relaxation that helps",
        )
        self.missing = missing


@dataclass(frozen=True, eq=False)
class Problem:
    """Who may review what, and how many.

    affinity: (papers, reviewers) float32, finite, within 1000 of zero; allowed: bool of that shape,
    False for a conflict or a forbidden pair; needed: (papers,) reviewers of each paper; minimum and
    maximum: (reviewers,) papers of each; locked: (n, 2) pairs of paper and reviewer that must be
    in the answer, whatever their affinity; senior: (reviewers,) bool, of whom each paper has at
    least `seniors_per_paper` (all its reviewers, where it needs fewer); affiliations: for each
    reviewer the numbers of their affiliations, of which a paper has each at most once.

    Numbers of one value for all may be given as scalars. Raises ProblemError.
    """

    affinity: Floats
    needed: Ints
    maximum: Ints
    allowed: Bools = field(default_factory=lambda: np.ones((), np.bool_))
    minimum: Ints = field(default_factory=lambda: np.zeros((), np.int64))
    locked: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))
    senior: Bools = field(default_factory=lambda: np.zeros((), np.bool_))
    seniors_per_paper: int = 0
    affiliations: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        affinity = np.asarray(self.affinity, np.float32)
        if affinity.ndim != 2:
            raise ProblemError(f"affinities have {affinity.ndim} dimensions, not 2")
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
            object.__setattr__(self, name, _shaped(name, getattr(self, name), kind, shape))
        locked = np.asarray(self.locked, np.int64).reshape(-1, 2)
        object.__setattr__(self, "locked", np.unique(locked, axis=0))
        self._check_numbers()
        self._check_locked()

    def _check_numbers(self) -> None:
        low, high = (self.affinity.min(), self.affinity.max()) if self.affinity.size else (0, 0)
        if not (low >= -_MOST and high <= _MOST):  # as it is false for NaN too
            bad = np.argwhere(~(np.abs(self.affinity) <= _MOST))
            raise ProblemError(
                f"{len(bad)} affinities are not numbers between {-_MOST:g} and {_MOST:g}", *bad.T
            )
        if (few := np.flatnonzero(self.needed < 0)).size:
            raise ProblemError(f"{few.size} papers need less than no reviewers", papers=few)
        odd = np.flatnonzero((self.minimum < 0) | (self.maximum < self.minimum))
        if odd.size:
            raise ProblemError(
                f"the loads of {odd.size} reviewers do not run from 0 or more upwards",
                reviewers=odd,
            )
        if self.seniors_per_paper < 0:
            raise ProblemError(f"{self.seniors_per_paper} seniors per paper are less than none")
        if self.affiliations and len(self.affiliations) != self.reviewers:
            raise ProblemError(
                f"affiliations are given for {len(self.affiliations)} of {self.reviewers} reviewers"
            )

    def _check_locked(self) -> None:
        if not len(self.locked):
            return
        size = np.array(self.affinity.shape)
        outside = (self.locked < 0).any(1) | (self.locked >= size).any(1)
        if outside.any():
            raise ProblemError(
                f"{outside.sum()} locked pairs are outside the {size[0]} papers and "
                f"{size[1]} reviewers",
                *self.locked[outside].T,
            )
        barred = self.locked[~self.allowed[tuple(self.locked.T)]]
        if len(barred):
            raise ProblemError(f"{len(barred)} locked pairs are conflicts or forbidden", *barred.T)

    @property
    def papers(self) -> int:
        """How many papers."""
        return int(self.affinity.shape[0])

    @property
    def reviewers(self) -> int:
        """How many reviewers."""
        return int(self.affinity.shape[1])

    @cached_property
    def eligible(self) -> Bools:
        """(papers, reviewers): pairs to choose from: allowed and not locked."""
        if not len(self.locked):
            return self.allowed
        eligible = self.allowed.copy()
        eligible[tuple(self.locked.T)] = False
        return eligible

    @cached_property
    def weight(self) -> npt.NDArray[np.int32]:
        """The affinities in millionths, (papers, reviewers)."""
        weights = np.empty(self.affinity.shape, np.int32)
        for start in range(
            0, self.papers, 256
        ):  # a block at a time: float64 of all is 8 bytes a pair
            rows = slice(start, start + 256)
            weights[rows] = np.rint(self.affinity[rows].astype(np.float64) * SCALE)
        return weights


@dataclass(frozen=True, eq=False)
class Assignment:
    """Who reviews what.

    pairs: (n, 2) numbers of paper and reviewer, sorted; affinity: (papers,) float64, the sum of
    each paper's pairs; bound: no assignment of the same problem has a higher total, None where
    total is not what was maximised.
    """

    pairs: Ints
    affinity: npt.NDArray[np.float64]
    bound: float | None = None

    @property
    def total(self) -> float:
        """Summed affinity, exact to 1e-6 a pair."""
        return float(self.affinity.sum())

    @property
    def gap(self) -> float | None:
        """How far the total may be from the best one; 0 is a proven optimum."""
        return None if self.bound is None else max(0.0, round(self.bound - self.total, 6))

    def load(self, reviewers: int) -> Ints:
        """How many papers each of so many reviewers has."""
        return np.bincount(self.pairs[:, 1], minlength=reviewers)


def assignment(problem: Problem, pairs: Ints, bound: int | None = None) -> Assignment:
    """The assignment of `pairs` and the locked ones; `bound` in millionths of the former."""
    every = np.unique(np.concatenate([problem.locked, pairs.reshape(-1, 2)]), axis=0)
    weight = problem.weight[tuple(every.T)].astype(np.int64)
    sums = np.bincount(every[:, 0], weight, minlength=problem.papers) / SCALE
    if bound is not None:
        bound += int(problem.weight[tuple(problem.locked.T)].sum(dtype=np.int64))
    return Assignment(every, sums, None if bound is None else bound / SCALE)


def _shaped(
    name: str, value: npt.ArrayLike, kind: type[np.generic], shape: tuple[int, ...]
) -> npt.NDArray[np.generic]:
    """`value` as an array of this type and shape; a scalar stands for all."""
    array = np.asarray(value)
    if array.ndim and array.shape != shape:
        raise ProblemError(f"{name} has the shape {array.shape}, not {shape}")
    if kind is np.int64 and array.dtype.kind not in "iu":
        raise ProblemError(f"{name} are numbers of type {array.dtype}, not integers")
    return (
        np.array(np.broadcast_to(array, shape), kind)
        if not array.ndim
        else array.astype(kind, copy=False)
    )


def with_bids(
    affinity: Floats, pairs: Ints, bids: npt.NDArray[np.float64], strength: float = 4.0
) -> Floats:
    """(papers, reviewers) float32: 2 x ** (strength ** -bid) - 1, with x = (1 + affinity) / 2.

    pairs: (n, 2) of paper and reviewer; bids: (n,) from -1 (not at all) to 1 (eager), 0 as if there
    were none. With strength 4 an eager bid takes the fourth root of x, a refusal the fourth power.
    Affinities of 0, those of reviewers without papers, are in the middle of the range of x, so bids
    count for them too. The result stays in -1..1 and rises with both; an affinity of -1 or less
    stays as it is. Raises ProblemError for an affinity above 1 with a bid.
    """
    pairs, bids = np.asarray(pairs, np.int64).reshape(-1, 2), np.asarray(bids, np.float64)
    if strength < 1 or not (np.abs(bids) <= 1).all() or bids.shape != (len(pairs),):
        raise ProblemError(
            "bids are one number from -1 to 1 for each pair, their strength 1 or more"
        )
    places = tuple(pairs.T)
    own = affinity[places].astype(np.float64)
    if not (own <= 1).all():
        raise ProblemError("affinities with bids are numbers of at most 1", *pairs.T)
    combined = affinity.copy()
    weighed = 2 * np.maximum((1 + own) / 2, 0) ** (strength**-bids) - 1
    combined[places] = np.where(own > -1, weighed, own)
    return combined
