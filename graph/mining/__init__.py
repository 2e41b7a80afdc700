"""The sources of triplets: for query papers, which others are eligible, and in what order.

In: the ids of query papers. Out: `Found`, of which `triplet_miner` makes triplets with easy
negatives. One module a source; the settings are those of `triplet_sources`.
"""

from specter_graph.graph.connection import Database
from specter_graph.graph.mining.citations import CitationFinder
from specter_graph.graph.mining.counted import CountedFinder
from specter_graph.graph.mining.found import Finder, Found
from specter_graph.graph.mining.multitask import MultitaskFinder
from specter_graph.triplet_sources import Citations, Counted, Source, named

__all__ = ["Finder", "Found", "finder"]


def finder(db: Database, source: Source, seed: int) -> Finder:
    """The finder of a source."""
    if isinstance(source, Citations):
        return CitationFinder(db, source, seed)
    if isinstance(source, Counted):
        return CountedFinder(db, source, seed)
    finders: dict[str, Finder] = {}
    for name, weight in source.distribution.items():
        if weight:
            finders[name] = finder(db, named(name, source.per_query, source.hard), seed)
    return MultitaskFinder(finders, source, seed)
