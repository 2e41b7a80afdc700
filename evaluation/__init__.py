"""Vectors and held-out facts in, a table of scores out.

`evaluate` needs arrays and `Facts` alone; `evaluate_spaces` scores the spaces of a graph, and
refuses those that have seen the citations they would be scored on. Out: a `Report`; `as_json` and
`evaluation.table` show it.
"""

from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.scoring import Report, Vectors, evaluate
from specter_graph.evaluation.spaces import evaluate_spaces

__all__ = [
    "Facts",
    "Report",
    "Vectors",
    "evaluate",
    "evaluate_spaces",
]
