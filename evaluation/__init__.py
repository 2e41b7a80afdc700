"""Evaluation of embedding spaces on held-out papers and other tasks.

`evaluate` scores arrays on `HeldOutData`. `evaluate_spaces` scores the spaces of a graph, and
rejects spaces that have seen the citations they would be scored on. Both return a `HeldOutResult`,
which `evaluation.report.table` formats.
"""

from specter_graph.evaluation.protocols.held_out import (
    HeldOutData,
    HeldOutResult,
    HeldOutRow,
    SpaceVectors,
    evaluate,
)
from specter_graph.evaluation.protocols.space_evaluation import evaluate_spaces

__all__ = [
    "HeldOutData",
    "HeldOutResult",
    "HeldOutRow",
    "SpaceVectors",
    "evaluate",
    "evaluate_spaces",
]
