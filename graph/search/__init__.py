"""Search: filters, and rankings that combine words, vectors and citations.

`ask` builds a `Question` from a query and papers; `search` returns hits with their reasons.
"""

from specter_graph.graph.search.authors import NamedAuthor, authors_named
from specter_graph.graph.search.filters import NONE, Filters
from specter_graph.graph.search.hybrid import search
from specter_graph.graph.search.identified import identified
from specter_graph.graph.search.missing import Matched, match_entries, missing_references
from specter_graph.graph.search.query import Query, parse
from specter_graph.graph.search.query_builder import ask
from specter_graph.graph.search.results import (
    Hit,
    Missing,
    Mode,
    Question,
    Reason,
    Results,
    complete,
    most_cited,
    of_ids,
)
from specter_graph.graph.search.spelling import suggest, unmatched
from specter_graph.graph.search.vector_search import nearest, similar

__all__ = [
    "NONE",
    "Filters",
    "Hit",
    "Matched",
    "Missing",
    "Mode",
    "NamedAuthor",
    "Query",
    "Question",
    "Reason",
    "Results",
    "ask",
    "authors_named",
    "complete",
    "identified",
    "match_entries",
    "missing_references",
    "most_cited",
    "nearest",
    "of_ids",
    "parse",
    "search",
    "similar",
    "suggest",
    "unmatched",
]
