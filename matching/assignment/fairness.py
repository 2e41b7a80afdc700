"""Fair assignment: the worst-off papers first.

Algorithm 1 of Stelmakh, Shah and Singh, "PeerReview4All: Fair and Accurate Reviewer Assignment in
Peer Review", 2018. Its assignment is close to the best one for the worst-off paper, then for the
next paper, and so on. The publication completes a candidate by a second flow; here one flow does
both.
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
    AssignmentProblem,
    Bools,
    Ints,
    assignment,
)


def assign_fairly(problem: AssignmentProblem, *, rounds: int = 10) -> Assignment:
    """Return the assignment that maximizes the worst-off paper, then the next paper, and so on.

    A paper is as well off as the mean affinity of its reviewers. Each round fixes the worst-off
    papers. After `rounds` rounds the other papers keep their reviewers. With seniors, the only
    candidates are those that raise all reviewers of a paper. Raises InfeasibleError, and
    ProblemError if the problem limits groups or reciprocal reviews.
    """
    problem.refuse_side_constraints("fair")
    demands = FlowProblem.from_problem(problem)
    chosen = solve_feasible(demands).chosen
    fixed = np.empty((0, 2), np.int64)
    while rounds and (open_papers := demands.needed > 0).any():
        candidates = [chosen, *_candidates(demands, chosen, problem.seniors_per_paper > 0)]
        means = [_means(problem, candidate) for candidate in candidates]
        worst = [mean[open_papers].min() for mean in means]
        best = max(range(len(worst)), key=lambda one: (worst[one], means[one][open_papers].sum()))
        done = open_papers & (means[best] <= worst[best])
        is_fixed = done[candidates[best][:, 0]]
        fixed = np.concatenate([fixed, candidates[best][is_fixed]])
        chosen = candidates[best][~is_fixed]
        demands = _without(demands, done, candidates[best][is_fixed, 1])
        rounds -= 1
    return assignment(problem, np.concatenate([fixed, chosen]))


def _candidates(demands: FlowProblem, chosen: Ints, mixed: bool) -> Iterator[Ints]:
    """Yield, for each number n, pairs that maximize the n-th best affinity of the worst paper."""
    largest = int(demands.needed.max())
    first = demands.best_pairs(COLUMNS)
    for raised in range(largest if mixed else 1, largest + 1):
        thresholds = _thresholds(demands, chosen, raised)
        low, high = 0, len(thresholds) - 1  # the chosen pairs reach the lowest
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
    """Return ascending weights, from the one that the chosen pairs reach to an upper bound."""
    low, high = (
        _ranked(demands, np.where(pairs, demands.weight, np.iinfo(np.int32).min), raised)
        for pairs in (_mask(chosen, demands.eligible.shape), demands.eligible)
    )
    inside = demands.eligible & (demands.weight >= low) & (demands.weight <= high)
    return np.unique(np.append(demands.weight[inside & (demands.needed > 0)[:, None]], low))


def _ranked(demands: FlowProblem, values: Ints, raised: int) -> int:
    """Return the minimum, over papers, of the value that `raised` pairs of the paper reach."""
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


def _means(problem: AssignmentProblem, chosen: Ints) -> npt.NDArray[np.float64]:
    """Return the mean affinity of each paper's reviewers, locked ones included, in millionths."""
    pairs = np.concatenate([problem.locked, chosen])
    weight = problem.weight[tuple(pairs.T)].astype(np.int64)
    return np.bincount(pairs[:, 0], weight, problem.papers) / np.maximum(1, problem.needed)


def _without(demands: FlowProblem, done: Bools, reviewers: Ints) -> FlowProblem:
    """Return the demands without these papers and their reviewers."""
    load = np.bincount(reviewers, minlength=len(demands.maximum))
    return replace(
        demands,
        needed=np.where(done, 0, demands.needed),
        junior_limit=np.where(done, 0, demands.junior_limit),
        minimum=np.maximum(0, demands.minimum - load),
        maximum=demands.maximum - load,
    )
