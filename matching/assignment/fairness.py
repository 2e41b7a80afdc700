"""The worst-off papers first.

PeerReview4All, algorithm 1 of Stelmakh, Shah and Singh, PeerReview4All: Fair and Accurate Reviewer
Assignment in Peer Review, 2018: its assignment is close to the best for the worst-off paper, then
for the next, and so on. Where the paper fills a candidate up by a second flow, one flow does both.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from specter_graph.matching.assignment.flow import (
    BEST,
    NEVER,
    Pairs,
    checked_demand,
    feasible_flow,
    optimum,
)
from specter_graph.matching.assignment.network import Demand
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
    demand = checked_demand(problem)
    pairs = Pairs(problem.eligible, problem.weight)
    chosen = feasible_flow(pairs, demand).flow.chosen
    settled = np.empty((0, 2), np.int64)
    while rounds and (left := demand.needed > 0).any():
        candidates = [chosen, *_candidates(pairs, demand, chosen, problem.seniors_per_paper > 0)]
        means = [_means(problem, candidate) for candidate in candidates]
        worst = [mean[left].min() for mean in means]
        best = max(range(len(worst)), key=lambda one: (worst[one], means[one][left].sum()))
        done = left & (means[best] <= worst[best])
        ours = done[candidates[best][:, 0]]
        settled = np.concatenate([settled, candidates[best][ours]])
        chosen = candidates[best][~ours]
        demand = _without(demand, done, candidates[best][ours, 1])
        rounds -= 1
    return assignment(problem, np.concatenate([settled, chosen]))


def _candidates(pairs: Pairs, demand: Demand, chosen: Ints, mixed: bool) -> Iterator[Ints]:
    """For each number of reviewers, that many of each paper raised as high as all can be."""
    most = int(demand.needed.max())
    first = pairs.best(BEST)
    for raised in range(most if mixed else 1, most + 1):
        thresholds = _thresholds(pairs, demand, chosen, raised)
        low, high = 0, len(thresholds) - 1  # the lowest is what they have
        while low < high:
            middle = (low + high + 1) // 2
            some, limited = _above(pairs, demand, raised, int(thresholds[middle]))
            if optimum(
                replace(some, weight=np.zeros_like(pairs.weight)), limited, first=first
            ).flow.missing:
                high = middle - 1
            else:
                low = middle
        some, limited = _above(pairs, demand, raised, int(thresholds[low]))
        yield feasible_flow(some, limited).flow.chosen


def _thresholds(pairs: Pairs, demand: Demand, chosen: Ints, raised: int) -> Ints:
    """Weights, ascending, from what the chosen pairs reach to what none can surpass."""
    least = [
        _ranked(demand, np.where(held, pairs.weight, NEVER), raised)
        for held in (_mask(chosen, pairs.eligible.shape), pairs.eligible)
    ]
    inside = pairs.eligible & (pairs.weight >= least[0]) & (pairs.weight <= least[1])
    return np.unique(np.append(pairs.weight[inside & (demand.needed > 0)[:, None]], least[0]))


def _ranked(demand: Demand, values: Ints, raised: int) -> int:
    """The lowest, over papers, of the value that so many of a paper's pairs reach."""
    rank = np.minimum(raised, demand.needed)[demand.needed > 0]
    ordered = -np.sort(-values[demand.needed > 0], axis=1)
    return int(ordered[np.arange(rank.size), rank - 1].min())


def _above(pairs: Pairs, demand: Demand, raised: int, least: int) -> tuple[Pairs, Demand]:
    """The same with so many pairs of each paper (or all, if fewer) at `least` or above."""
    above = pairs.weight >= least
    if raised >= demand.needed.max():
        return replace(pairs, eligible=pairs.eligible & above), demand
    return pairs, replace(demand, side=~above, aside=np.maximum(0, demand.needed - raised))


def _mask(chosen: Ints, shape: tuple[int, ...]) -> Bools:
    mask = np.zeros(shape, np.bool_)
    mask[tuple(chosen.T)] = True
    return mask


def _means(problem: Problem, chosen: Ints) -> npt.NDArray[np.float64]:
    """(papers,): the mean affinity of a paper's reviewers in millionths, locked ones included."""
    pairs = np.concatenate([problem.locked, chosen])
    weight = problem.weight[tuple(pairs.T)].astype(np.int64)
    return np.bincount(pairs[:, 0], weight, problem.papers) / np.maximum(1, problem.needed)


def _without(demand: Demand, done: Bools, reviewers: Ints) -> Demand:
    """What remains when these papers have these reviewers."""
    load = np.bincount(reviewers, minlength=len(demand.maximum))
    return replace(
        demand,
        needed=np.where(done, 0, demand.needed),
        aside=np.where(done, 0, demand.aside),
        minimum=np.maximum(0, demand.minimum - load),
        maximum=demand.maximum - load,
    )
