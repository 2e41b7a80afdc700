"""SciDocs, from its files: seven tasks, twelve figures and their averages.

In: the folder that SciDocs publishes, and vectors in its format. Out: an `Outcome` for each task.
No database.
"""

from specter_graph.evaluation.scidocs.suite import EMBEDDED, TASKS, evaluate_scidocs

__all__ = ["EMBEDDED", "TASKS", "evaluate_scidocs"]
