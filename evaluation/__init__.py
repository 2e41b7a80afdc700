"""Vectors and held-out facts in, a table of scores out.

`evaluate` needs arrays and `Facts` alone; `evaluate_spaces` scores the spaces of a graph, and
refuses those that have seen the citations they would be scored on. Both return a `HeldOutResult`;
`as_json` and `evaluation.report.table` show it.
"""

from specter_graph.evaluation.protocols.held_out import Facts, HeldOutResult, SpaceVectors, evaluate
from specter_graph.evaluation.protocols.space_evaluation import evaluate_spaces

__all__ = [
    "Facts",
    "HeldOutResult",
    "SpaceVectors",
    "evaluate",
    "evaluate_spaces",
]
