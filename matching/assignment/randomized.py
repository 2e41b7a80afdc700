"""Chance against manipulation: nobody is sure, or nearly sure, to review a paper.

Jecmen, Zhang, Liu, Shah, Conitzer and Fang, Mitigating Manipulation in Peer Review via Randomized
Reviewer Assignments, 2020. The probabilities are an optimal flow in fractions of a review; drawing
an assignment shifts them around cycles of fractional arcs until all are whole, with odds that keep
each probability as it was (their section 5.1; Gandhi et al., Dependent Rounding, 2006).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from specter_graph.matching.assignment.min_cost_flow import Flow, FlowProblem, solve_feasible
from specter_graph.matching.assignment.problem import (
    Assignment,
    Ints,
    Problem,
    ProblemError,
    assignment,
)

_FINEST = 1000


@dataclass(frozen=True, eq=False)
class Lottery:
    """Probabilities with the highest expected total, and assignments that have them.

    pairs: (n, 2), without the locked ones; probability: (n,) float64; expected: the mean total.
    """

    problem: Problem
    pairs: Ints
    probability: npt.NDArray[np.float64]
    flow: Flow
    unit: int

    @property
    def expected(self) -> float:
        """The mean of the total affinity over all draws, locked pairs included."""
        certain = self.problem.affinity[tuple(self.problem.locked.T)].sum(dtype=np.float64)
        return float(certain + self.problem.affinity[tuple(self.pairs.T)] @ self.probability)

    def draw(self, seed: int) -> Assignment:
        """An assignment that meets every demand; the same seed gives the same one."""
        whole = _rounded(self.flow, self.unit, np.random.default_rng(seed))
        keys = self.flow.columns[whole[: self.flow.columns.size] > 0]
        return assignment(self.problem, np.stack(np.divmod(keys, self.problem.reviewers), 1))


def lottery(problem: Problem, cap: float | Fraction) -> Lottery:
    """The probabilities, none above `cap` (the nearest fraction with a denominator within 1,000).

    Locked pairs are certain. Raises InfeasibleError, as where fewer than needed / cap reviewers may
    have a paper; ProblemError for affiliations and a cap outside 0..1.
    """
    if problem.affiliations:
        raise ProblemError("a lottery is made of flows, which know no affiliations")
    share = Fraction(cap).limit_denominator(_FINEST)
    if not 0 < share <= 1:
        raise ProblemError(f"a probability is capped at more than 0 and at most 1, not at {cap}")
    flow = solve_feasible(FlowProblem.of(problem).scaled(share.denominator, share.numerator))
    probability = flow.column_units[flow.column_units > 0] / share.denominator
    return Lottery(problem, flow.chosen, probability, flow, share.denominator)


def assign_randomly(problem: Problem, cap: float | Fraction, seed: int) -> Assignment:
    """One draw from the lottery."""
    return lottery(problem, cap).draw(seed)


def _rounded(flow: Flow, unit: int, generator: np.random.Generator) -> Ints:
    """(arcs,): the flow in whole units of `unit`, each arc rounded up or down, its mean unchanged.

    What enters and what leaves a node is whole, so that no node has a single fractional arc: a walk
    along such arcs comes back to itself.
    """
    carried = flow.units.tolist()
    some = np.flatnonzero(flow.units % unit).tolist()
    ends = {arc: (int(flow.tail[arc]), int(flow.head[arc])) for arc in some}
    arcs_at: dict[int, list[int]] = {}
    for arc, both in ends.items():
        for node in both:
            arcs_at.setdefault(node, []).append(arc)
    for start in list(arcs_at):
        path: list[int] = []
        nodes, place = [start], {start: 0}
        while (found := _open(arcs_at[nodes[-1]], carried, unit, path[-1:])) is not None:
            tail, head = ends[found]
            node = head if nodes[-1] == tail else tail
            path.append(found)
            if node not in place:
                place[node] = len(nodes)
                nodes.append(node)
                continue
            at = place[node]
            ahead = [ends[one][0] == here for one, here in zip(path[at:], nodes[at:], strict=True)]
            _shift(carried, unit, path[at:], ahead, generator)
            for gone in nodes[at + 1 :]:
                del place[gone]
            del path[at:], nodes[at + 1 :]
    return np.array(carried) // unit


def _open(arcs: list[int], carried: list[int], unit: int, last: list[int]) -> int | None:
    """A fractional arc at a node other than the one the walk came by; whole ones are dropped."""
    at = len(arcs) - 1
    while at >= 0:
        if carried[arcs[at]] % unit == 0:
            arcs[at] = arcs[-1]
            arcs.pop()
        elif arcs[at] not in last:
            return arcs[at]
        at -= 1
    return None


def _shift(
    carried: list[int],
    unit: int,
    cycle: list[int],
    ahead: list[bool],
    generator: np.random.Generator,
) -> None:
    """Move flow around the cycle, one way or the other, until an arc of it is whole."""
    over = [carried[arc] % unit for arc in cycle]
    on = min(unit - rest if along else rest for rest, along in zip(over, ahead, strict=True))
    back = min(rest if along else unit - rest for rest, along in zip(over, ahead, strict=True))
    step = on if generator.integers(on + back) < back else -back
    for arc, along in zip(cycle, ahead, strict=True):
        carried[arc] += step if along else -step
