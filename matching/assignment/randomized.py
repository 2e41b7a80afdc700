"""Random assignment against manipulation: the probability of each pair is limited.

Jecmen, Zhang, Liu, Shah, Conitzer and Fang, "Mitigating Manipulation in Peer Review via Randomized
Reviewer Assignments", 2020. The probabilities are an optimal flow in fractions of a review.

With a perturbation b, a probability x of a pair counts as x - b * x ** 2, so that the same expected
total is spread over more pairs: perturbed maximization (PM-Quadratic) of Xu, Jecmen, Song and Fang,
"A One-Size-Fits-All Approach to Improving Randomness in Paper Assignment", 2023. The flow has a
piece for each tenth of the maximum probability. Negative affinities are not perturbed.

A draw shifts flow around cycles of fractional arcs until all arcs are integers, with odds that
preserve each probability (section 5.1; Gandhi et al., "Dependent Rounding", 2006).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from specter_graph.matching.assignment.min_cost_flow import Flow, FlowProblem, solve_feasible
from specter_graph.matching.assignment.problem import (
    Assignment,
    AssignmentProblem,
    Ints,
    ProblemError,
    make_assignment,
)

_MAX_DENOMINATOR = 1000
_PIECES = 10


@dataclass(frozen=True, eq=False)
class Lottery:
    """Probabilities with the highest expected total.

    Attributes:
        problem: The problem.
        pairs: (n, 2) pairs of paper and reviewer, without the locked pairs.
        probability: (n,) float64.
        flow: The flow, in units of 1 / `unit` reviews.
        unit: Units of a review.
    """

    problem: AssignmentProblem
    pairs: Ints
    probability: npt.NDArray[np.float64]
    flow: Flow
    unit: int

    def draw(self, seed: int) -> Assignment:
        """Draw an assignment that meets every demand; the same seed draws the same one."""
        rounded = _round_flow(self.flow, self.unit, np.random.default_rng(seed))
        keys = self.flow.columns[rounded[: self.flow.columns.size] > 0]
        return make_assignment(self.problem, np.stack(np.divmod(keys, self.problem.reviewers), 1))


def lottery(
    problem: AssignmentProblem, max_probability: float | Fraction, perturbation: float = 0.0
) -> Lottery:
    """Return the probabilities that maximize the expected total, perturbed or not.

    Args:
        problem: The problem; its locked pairs are certain.
        max_probability: Maximum probability of the other pairs, above 0 and at most 1, rounded to a
            fraction with a denominator of at most 1,000.
        perturbation: Strength of the perturbation, from 0 (none) to 1.

    Raises:
        InfeasibleError: Such probabilities do not exist, for instance because fewer than
            needed / max_probability reviewers may have a paper.
        ProblemError: The problem limits groups or reciprocal reviews, or a number is out of range.
    """
    problem.refuse_side_constraints("random")
    if not 0 <= perturbation <= 1:
        raise ProblemError(f"the perturbation is {perturbation}; it must be from 0 to 1")
    share = Fraction(max_probability).limit_denominator(_MAX_DENOMINATOR)
    if not 0 < share <= 1:
        raise ProblemError(
            f"the maximum probability is {max_probability}; it must be above 0 and at most 1"
        )
    pieces = _PIECES if perturbation else 1
    step = float(share) / pieces  # a piece from i * step to (i + 1) * step has this mean slope:
    slopes = tuple(1 - perturbation * (2 * piece + 1) * step for piece in range(pieces))
    unit = share.denominator * pieces
    demands = FlowProblem.from_problem(problem).scaled(unit, share.numerator, slopes)
    flow = solve_feasible(demands).merged()
    probability = flow.column_units[flow.column_units > 0] / unit
    return Lottery(problem, flow.chosen, probability, flow, unit)


def _round_flow(flow: Flow, unit: int, generator: np.random.Generator) -> Ints:
    """Return the flow in multiples of `unit`, each arc rounded up or down with its mean unchanged.

    The inflow and the outflow of a node are multiples of `unit`, so that a node never has a single
    fractional arc: a walk along fractional arcs returns to itself.
    """
    carried = flow.units.tolist()
    fractional = np.flatnonzero(flow.units % unit).tolist()
    ends = {arc: (int(flow.tail[arc]), int(flow.head[arc])) for arc in fractional}
    arcs_at: dict[int, list[int]] = {}
    for arc, both in ends.items():
        for node in both:
            arcs_at.setdefault(node, []).append(arc)
    for start in list(arcs_at):
        path: list[int] = []
        nodes, place = [start], {start: 0}
        while (
            following := _fractional_arc(arcs_at[nodes[-1]], carried, unit, path[-1:])
        ) is not None:
            tail, head = ends[following]
            node = head if nodes[-1] == tail else tail
            path.append(following)
            if node not in place:
                place[node] = len(nodes)
                nodes.append(node)
                continue
            at = place[node]
            ahead = [
                ends[step][0] == start for step, start in zip(path[at:], nodes[at:], strict=True)
            ]
            _shift(carried, unit, path[at:], ahead, generator)
            for removed in nodes[at + 1 :]:
                del place[removed]
            del path[at:], nodes[at + 1 :]
    return np.array(carried) // unit


def _fractional_arc(arcs: list[int], carried: list[int], unit: int, last: list[int]) -> int | None:
    """Return a fractional arc of a node except the last one of the walk; remove integer arcs."""
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
    """Move flow around the cycle in a random direction until an arc becomes an integer."""
    excess = [carried[arc] % unit for arc in cycle]
    on = min(unit - part if along else part for part, along in zip(excess, ahead, strict=True))
    back = min(part if along else unit - part for part, along in zip(excess, ahead, strict=True))
    step = on if generator.integers(on + back) < back else -back
    for arc, along in zip(cycle, ahead, strict=True):
        carried[arc] += step if along else -step
