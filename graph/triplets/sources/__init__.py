"""The sources of triplets: for query papers, which others are eligible, and in what order.

In: the ids of query papers. Out: `Found`, of which `triplet_miner` makes triplets with easy
negatives. One module a source; the settings are those of `triplet_sources`.
"""

from specter_graph.core.triplet_settings import (
    Citations,
    Counted,
    Multitask,
    Neighbours,
    Source,
    named,
)
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.triplets.sources.candidates import Finder, Found
from specter_graph.graph.triplets.sources.citations import CitationFinder
from specter_graph.graph.triplets.sources.cooccurrence import CountedFinder
from specter_graph.graph.triplets.sources.mixture import MultitaskFinder
from specter_graph.graph.triplets.sources.model_negatives import SelfMiningFinder
from specter_graph.graph.triplets.sources.neighbors import NeighbourFinder

__all__ = ["Finder", "Found", "finder", "learned_from"]


def finder(db: Database, source: Source, seed: int, holdout: float) -> Finder:
    """The finder of a source.

    Raises GraphError for a space that is not there, LeakError for one that has seen
    citations which `holdout` hides.
    """
    if source.hard_from is None:
        return _finder(db, source, seed, holdout)
    inner = _finder(db, source.model_copy(update={"hard": 0}), seed, holdout)
    return SelfMiningFinder(db, inner, source, holdout)


def _finder(db: Database, source: Source, seed: int, holdout: float) -> Finder:
    if isinstance(source, Citations):
        return CitationFinder(db, source, seed, holdout)
    if isinstance(source, Counted):
        return CountedFinder(db, source, seed, holdout)
    if isinstance(source, Neighbours):
        return NeighbourFinder(db, source, seed, holdout)
    finders: dict[str, Finder] = {}
    for name, weight in source.distribution.items():
        if weight:
            finders[name] = _finder(db, named(name, source.per_query, source.hard), seed, holdout)
    return MultitaskFinder(finders, source, seed)


def learned_from(db: Database, source: Source) -> set[str]:
    """Return the names of the sources that triplets of a source carry into a model.

    What the spaces have learned from that it mines with is among them. Raises GraphError for a
    space that is not there.
    """
    spaces = {source.hard_from, source.space if isinstance(source, Neighbours) else None} - {None}
    names: set[str] = {source.source}
    if isinstance(source, Multitask):
        names = {str(name) for name, weight in source.distribution.items() if weight}
    return names.union(*(find_space(db, str(name)).learned_from for name in spaces))
