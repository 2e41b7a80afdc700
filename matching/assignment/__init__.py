"""Assignment of reviewers to papers under demands.

Papers and reviewers are numbers from 0, except in `venue_assignment`, which reads a venue of the
graph. The functions take an `AssignmentProblem`:

    assign           the highest total affinity, exact
    assign_fairly    the worst-off papers first
    lottery          probabilities under a maximum, and draws; assign_randomly for one draw
    reassign         as few changes of a present assignment as possible
    explain          the reasons why no assignment exists, and the smallest change that helps
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
    AssignmentProblem,
    GroupLimit,
    InfeasibleError,
    ProblemError,
    with_bids,
)
from specter_graph.matching.assignment.randomized import Lottery, assign_randomly, lottery

__all__ = [
    "Assignment",
    "AssignmentProblem",
    "Explanation",
    "GroupLimit",
    "InfeasibleError",
    "Lottery",
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
