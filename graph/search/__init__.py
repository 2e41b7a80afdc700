"""Search: filters, and rankings that combine words, vectors and citations.

`build_question` builds a `Question` from a query and papers; `search` returns hits with their
reasons.
"""

from specter_graph.graph.search.author_names import NamedAuthor, authors_named
from specter_graph.graph.search.hits import (
    MissingReferencesResult,
    Mode,
    Question,
    SearchHit,
    SearchReason,
    SearchResults,
    add_details,
    hits_of,
    most_cited,
)
from specter_graph.graph.search.hybrid import search
from specter_graph.graph.search.identified import papers_by_identifier
from specter_graph.graph.search.missing import BibliographyMatch, match_entries, missing_references
from specter_graph.graph.search.query_builder import build_question
from specter_graph.graph.search.query_syntax import Query, parse
from specter_graph.graph.search.search_filters import NO_FILTERS, Filters
from specter_graph.graph.search.spelling import suggest, unmatched
from specter_graph.graph.search.vector_search import nearest, similar

__all__ = [
    "NO_FILTERS",
    "BibliographyMatch",
    "Filters",
    "MissingReferencesResult",
    "Mode",
    "NamedAuthor",
    "Query",
    "Question",
    "SearchHit",
    "SearchReason",
    "SearchResults",
    "add_details",
    "authors_named",
    "build_question",
    "hits_of",
    "match_entries",
    "missing_references",
    "most_cited",
    "nearest",
    "papers_by_identifier",
    "parse",
    "search",
    "similar",
    "suggest",
    "unmatched",
]
