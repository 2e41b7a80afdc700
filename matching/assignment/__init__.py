"""Who reviews what: affinities and demands in, pairs of paper and reviewer out.

Papers and reviewers are numbers from 0; nothing here knows the graph. A `Problem` goes into

    assign           the highest total affinity, exact
    assign_fairly    the worst-off papers first
    lottery          probabilities under a cap, and draws; assign_randomly for one draw
    change           as few changes of a present assignment as can be
    explain          why there is no assignment, and the smallest relaxation that helps
"""

from specter_graph.matching.assignment.bids import with_bids
from specter_graph.matching.assignment.change import change
from specter_graph.matching.assignment.fairness import assign_fairly
from specter_graph.matching.assignment.infeasible import Explanation, Shortage, explain
from specter_graph.matching.assignment.optimal import assign
from specter_graph.matching.assignment.problem import (
    Assignment,
    InfeasibleError,
    Problem,
    ProblemError,
)
from specter_graph.matching.assignment.randomised import Lottery, assign_randomly, lottery
from specter_graph.matching.assignment.relaxations import Relaxation

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
    "change",
    "explain",
    "lottery",
    "with_bids",
]
