"""The sources of triplets: for query papers, which others are eligible, and in what order.

In: the ids of query papers. Out: `Found`, of which `triplet_miner` makes triplets with easy
negatives. One module a source; the settings are those of `triplet_sources`.
"""

from specter_graph.graph.connection import Database
from specter_graph.graph.holdout import HoldOut
from specter_graph.graph.mining.citations import CitationFinder
from specter_graph.graph.mining.counted import CountedFinder
from specter_graph.graph.mining.found import Finder, Found
from specter_graph.graph.mining.multitask import MultitaskFinder
from specter_graph.graph.mining.neighbours import NeighbourFinder
from specter_graph.graph.mining.self_mined import SelfMiningFinder
from specter_graph.triplet_sources import Citations, Counted, Neighbours, Source, named

__all__ = ["Finder", "Found", "finder"]


def finder(db: Database, source: Source, seed: int, held_out: HoldOut) -> Finder:
    """The finder of a source.

    Raises GraphError for a space that is not there, LeakError for one made under another hold-out.
    """
    if source.hard_from is None:
        return _finder(db, source, seed, held_out)
    inner = _finder(db, source.model_copy(update={"hard": 0}), seed, held_out)
    return SelfMiningFinder(db, inner, source, held_out)


def _finder(db: Database, source: Source, seed: int, held_out: HoldOut) -> Finder:
    if isinstance(source, Citations):
        return CitationFinder(db, source, seed)
    if isinstance(source, Counted):
        return CountedFinder(db, source, seed)
    if isinstance(source, Neighbours):
        return NeighbourFinder(db, source, seed, held_out)
    finders: dict[str, Finder] = {}
    for name, weight in source.distribution.items():
        if weight:
            finders[name] = _finder(db, named(name, source.per_query, source.hard), seed, held_out)
    return MultitaskFinder(finders, source, seed)
