"""Sources of triplets: the eligible papers for each query paper, in sampling order.

A source maps ids of query papers to `Candidates`; `sampler` adds easy negatives. There is one
module per source; the settings are in `core.triplet_settings`.
"""

from specter_graph.core.triplet_settings import (
    Citations,
    Cooccurrence,
    Multitask,
    Neighbors,
    Source,
    source_named,
)
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import get_space
from specter_graph.graph.triplets.sources.candidates import Candidates, TripletSource
from specter_graph.graph.triplets.sources.citation_source import CitationSource
from specter_graph.graph.triplets.sources.cooccurrence import CooccurrenceSource
from specter_graph.graph.triplets.sources.mixture import MixtureSource
from specter_graph.graph.triplets.sources.model_negatives import ModelNegativeSource
from specter_graph.graph.triplets.sources.neighbors import NeighborSource

__all__ = ["Candidates", "TripletSource", "learned_from", "open_source"]


def open_source(db: Database, source: Source, seed: int, holdout: float) -> TripletSource:
    """Return the source for its settings.

    Raises:
        GraphError: A space that the source names is missing.
        LeakError: Such a space has seen citations that `holdout` hides.
    """
    if source.hard_from is None:
        return _open_source(db, source, seed, holdout)
    inner = _open_source(db, source.model_copy(update={"hard": 0}), seed, holdout)
    return ModelNegativeSource(db, inner, source, holdout)


def _open_source(db: Database, source: Source, seed: int, holdout: float) -> TripletSource:
    if isinstance(source, Citations):
        return CitationSource(db, source, seed, holdout)
    if isinstance(source, Cooccurrence):
        return CooccurrenceSource(db, source, seed, holdout)
    if isinstance(source, Neighbors):
        return NeighborSource(db, source, seed, holdout)
    sources: dict[str, TripletSource] = {}
    for name, weight in source.distribution.items():
        if weight:
            sources[name] = _open_source(
                db, source_named(name, source.per_query, source.hard), seed, holdout
            )
    return MixtureSource(sources, source, seed)


def learned_from(db: Database, source: Source) -> set[str]:
    """Return the names of all sources that a model trained on these triplets learns from.

    They include the sources from which the spaces used in mining have learned.

    Raises:
        GraphError: A space is missing.
    """
    spaces = {source.hard_from, source.space if isinstance(source, Neighbors) else None} - {None}
    names: set[str] = {source.source}
    if isinstance(source, Multitask):
        names = {str(name) for name, weight in source.distribution.items() if weight}
    return names.union(*(get_space(db, str(name)).learned_from for name in spaces))
