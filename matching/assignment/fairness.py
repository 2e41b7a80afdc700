"""The worst-off papers first.

PeerReview4All, algorithm 1 of Stelmakh, Shah and Singh, PeerReview4All: Fair and Accurate Reviewer
Assignment in Peer Review, 2018: its assignment is close to the best for the worst-off paper, then
for the next, and so on. Where the paper fills a candidate up by a second flow, one flow does both.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from specter_graph.matching.assignment.min_cost_flow import (
    COLUMNS,
    FlowProblem,
    solve,
    solve_feasible,
)
from specter_graph.matching.assignment.problem import (
    Assignment,
    Bools,
    Ints,
    Problem,
    ProblemError,
    assignment,
)


def assign_fairly(problem: Problem, *, rounds: int = 10) -> Assignment:
    """The assignment whose worst-off paper (by mean affinity of its reviewers) has most, and so on.

    Each round settles the papers that are worst off and goes on with the others; after so many
    `rounds` these keep what they have. With seniors, the only candidates are those that raise all
    reviewers of a paper. Raises InfeasibleError; ProblemError for affiliations.
    """
    if problem.affiliations:
        raise ProblemError("a fair assignment is made of flows, which know no affiliations")
    demands = FlowProblem.of(problem)
    chosen = solve_feasible(demands).chosen
    settled = np.empty((0, 2), np.int64)
    while rounds and (left := demands.needed > 0).any():
        candidates = [chosen, *_candidates(demands, chosen, problem.seniors_per_paper > 0)]
        means = [_means(problem, candidate) for candidate in candidates]
        worst = [mean[left].min() for mean in means]
        best = max(range(len(worst)), key=lambda one: (worst[one], means[one][left].sum()))
        done = left & (means[best] <= worst[best])
        ours = done[candidates[best][:, 0]]
        settled = np.concatenate([settled, candidates[best][ours]])
        chosen = candidates[best][~ours]
        demands = _without(demands, done, candidates[best][ours, 1])
        rounds -= 1
    return assignment(problem, np.concatenate([settled, chosen]))


def _candidates(demands: FlowProblem, chosen: Ints, mixed: bool) -> Iterator[Ints]:
    """Yield, for each number, pairs with that many reviewers of each paper raised to the most."""
    most = int(demands.needed.max())
    first = demands.best_pairs(COLUMNS)
    for raised in range(most if mixed else 1, most + 1):
        thresholds = _thresholds(demands, chosen, raised)
        low, high = 0, len(thresholds) - 1  # the lowest is what they have
        while low < high:
            middle = (low + high + 1) // 2
            limited = _above(demands, raised, int(thresholds[middle]))
            relaxed = replace(limited, weight=np.zeros_like(demands.weight))
            if solve(relaxed, first=first).missing:
                high = middle - 1
            else:
                low = middle
        yield solve_feasible(_above(demands, raised, int(thresholds[low]))).chosen


def _thresholds(demands: FlowProblem, chosen: Ints, raised: int) -> Ints:
    """Return weights, ascending, from what the chosen pairs reach to what none can surpass."""
    low, high = (
        _ranked(demands, np.where(pairs, demands.weight, np.iinfo(np.int32).min), raised)
        for pairs in (_mask(chosen, demands.eligible.shape), demands.eligible)
    )
    inside = demands.eligible & (demands.weight >= low) & (demands.weight <= high)
    return np.unique(np.append(demands.weight[inside & (demands.needed > 0)[:, None]], low))


def _ranked(demands: FlowProblem, values: Ints, raised: int) -> int:
    """Return the lowest, over papers, of the value that `raised` of a paper's pairs reach."""
    rank = np.minimum(raised, demands.needed)[demands.needed > 0]
    ordered = -np.sort(-values[demands.needed > 0].astype(np.int64), axis=1)
    return int(ordered[np.arange(rank.size), rank - 1].min())


def _above(demands: FlowProblem, raised: int, threshold: int) -> FlowProblem:
    """Require `raised` pairs of each paper (or all, if fewer) at `threshold` or above."""
    above = demands.weight >= threshold
    if raised >= demands.needed.max():
        return replace(demands, eligible=demands.eligible & above)
    limit = np.maximum(0, demands.needed - raised)
    return replace(demands, junior=~above, junior_limit=limit)


def _mask(chosen: Ints, shape: tuple[int, ...]) -> Bools:
    mask = np.zeros(shape, np.bool_)
    mask[tuple(chosen.T)] = True
    return mask


def _means(problem: Problem, chosen: Ints) -> npt.NDArray[np.float64]:
    """(papers,): the mean affinity of a paper's reviewers in millionths, locked ones included."""
    pairs = np.concatenate([problem.locked, chosen])
    weight = problem.weight[tuple(pairs.T)].astype(np.int64)
    return np.bincount(pairs[:, 0], weight, problem.papers) / np.maximum(1, problem.needed)


def _without(demands: FlowProblem, done: Bools, reviewers: Ints) -> FlowProblem:
    """Return what remains when these papers have these reviewers."""
    load = np.bincount(reviewers, minlength=len(demands.maximum))
    return replace(
        demands,
        needed=np.where(done, 0, demands.needed),
        junior_limit=np.where(done, 0, demands.junior_limit),
        minimum=np.maximum(0, demands.minimum - load),
        maximum=demands.maximum - load,
    )
