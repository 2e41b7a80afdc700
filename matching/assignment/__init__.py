"""Who reviews what: affinities and demands in, pairs of paper and reviewer out.

Papers and reviewers are numbers from 0, except in `venue_assignment`, which reads a venue of the
graph. A `Problem` goes into

    assign           the highest total affinity, exact
    assign_fairly    the worst-off papers first
    lottery          probabilities under a cap, and draws; assign_randomly for one draw
    reassign         as few changes of a present assignment as possible
    explain          why there is no assignment, and the smallest relaxation that helps
"""

from specter_graph.matching.assignment.fairness import assign_fairly
from specter_graph.matching.assignment.infeasibility import (
    Explanation,
    Relaxation,
    Shortage,
    explain,
)
from specter_graph.matching.assignment.optimal import assign, reassign
from specter_graph.matching.assignment.problem import (
    Assignment,
    InfeasibleError,
    Problem,
    ProblemError,
    with_bids,
)
from specter_graph.matching.assignment.randomized import Lottery, assign_randomly, lottery

__all__ = [
    "Assignment",
    "Explanation",
    "InfeasibleError",
    "Lottery",
    "Problem",
    "ProblemError",
    "Relaxation",
    "Shortage",
    "assign",
    "assign_fairly",
    "assign_randomly",
    "explain",
    "lottery",
    "reassign",
    "with_bids",
]
