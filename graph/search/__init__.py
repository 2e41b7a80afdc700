"""Searching the graph: filters, and words, vectors and citations made one ranking.

In: a `Question`, made by `ask` of a text and of papers. Out: papers found, each with its reasons.
"""

from specter_graph.graph.search.bibliography import Matched, match_entries
from specter_graph.graph.search.filters import NONE, Filters
from specter_graph.graph.search.hybrid import search
from specter_graph.graph.search.learning import Weights, learn, weights
from specter_graph.graph.search.near import nearest, similar
from specter_graph.graph.search.questions import ask
from specter_graph.graph.search.records import Found, Question, Reason, Way

__all__ = [
    "NONE",
    "Filters",
    "Found",
    "Matched",
    "Question",
    "Reason",
    "Way",
    "Weights",
    "ask",
    "learn",
    "match_entries",
    "nearest",
    "search",
    "similar",
    "weights",
]
