"""Sources of triplets: the eligible papers for each query paper, in sampling order.

A source maps ids of query papers to `Candidates`; `sampler` adds easy negatives. `path_sources`
follows paths in the graph, `vector_sources` finds neighbors among stored vectors, and a mixture
draws the source of each triplet. The settings are in `core.triplet_settings`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, cycle

from specter_graph.core.triplet_settings import (
    CitationTriplets,
    CooccurrenceTriplets,
    MultitaskTriplets,
    NeighborTriplets,
    Source,
    source_named,
)
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import get_space
from specter_graph.graph.triplets.sources.candidates import (
    Candidates,
    Stream,
    TripletSource,
    query_rng,
)
from specter_graph.graph.triplets.sources.path_sources import CitationSource, CooccurrenceSource
from specter_graph.graph.triplets.sources.vector_sources import ModelNegativeSource, NeighborSource

__all__ = ["Candidates", "TripletSource", "learned_from", "open_source"]


def open_source(db: Database, source: Source, seed: int, holdout: float) -> TripletSource:
    """Return the source for its settings.

    Raises:
        GraphError: A space that the source names is missing.
        LeakError: Such a space has seen citations that `holdout` hides.
    """
    if source.hard_from is not None:
        inner = source.model_copy(update={"hard": 0, "hard_from": None})
        return ModelNegativeSource(db, open_source(db, inner, seed, holdout), source, holdout)
    if isinstance(source, CitationTriplets):
        return CitationSource(db, source, seed, holdout)
    if isinstance(source, CooccurrenceTriplets):
        return CooccurrenceSource(db, source, seed, holdout)
    if isinstance(source, NeighborTriplets):
        return NeighborSource(db, source, seed, holdout)
    sources: dict[str, TripletSource] = {}
    for name, weight in source.distribution.items():
        if weight:
            inner = source_named(name, source.per_query, source.hard)
            sources[name] = open_source(db, inner, seed, holdout)
    return MixtureSource(sources, source, seed)


def learned_from(db: Database, source: Source) -> set[str]:
    """Return the names of all sources that a model trained on these triplets learns from.

    They include the sources from which the spaces used in mining have learned.

    Raises:
        GraphError: A space is missing.
    """
    spaces = {source.hard_from, source.space if isinstance(source, NeighborTriplets) else None} - {
        None
    }
    names: set[str] = {source.source}
    if isinstance(source, MultitaskTriplets):
        names = {str(name) for name, weight in source.distribution.items() if weight}
    return names.union(*(get_space(db, str(name)).learned_from for name in spaces))


@dataclass(frozen=True, slots=True)
class MixtureSource:
    """A source that draws, for each triplet, one of the sources that have a positive for the query.

    A paper that any source relates to the query is not an easy negative. A positive of one source
    is not a hard negative of another.
    """

    sources: Mapping[str, TripletSource]
    settings: MultitaskTriplets
    seed: int

    def find(self, ids: list[str]) -> list[Candidates]:
        """Return the candidates of these query papers, in their order."""
        candidates = {
            name: triplet_source.find(ids) for name, triplet_source in self.sources.items()
        }
        return [
            self._mixed({name: own[place] for name, own in candidates.items()})
            for place in range(len(ids))
        ]

    def _mixed(self, candidates: Mapping[str, Candidates]) -> Candidates:
        first = next(iter(candidates.values()))
        usable = sorted(name for name, own in candidates.items() if own.positives)
        if not usable:
            return Candidates(first.query, first.sample_key, [], [], [])
        of_source = {str(name): weight for name, weight in self.settings.distribution.items()}
        weights = [of_source[name] for name in usable]
        drawn = query_rng(self.seed, Stream.MIXTURE, first.sample_key).choice(
            usable, self.settings.per_query, p=[weight / sum(weights) for weight in weights]
        )
        rows = mixed(
            {name: candidates[name] for name in usable}, drawn.tolist(), self.settings.hard
        )
        return Candidates(
            first.query,
            first.sample_key,
            [positive for positive, _, _ in rows],
            [negative for _, negative, _ in rows if negative is not None],
            sorted({paper for own in candidates.values() for paper in own.related}),
            [name for _, _, name in rows],
        )


def mixed(
    candidates: Mapping[str, Candidates], drawn: Sequence[str], hard: int
) -> list[tuple[str, str | None, str]]:
    """Combine candidates into triplets, given the source of each.

    The first `hard` triplets get a hard negative if their source has one left. Triplets with a hard
    negative come first.

    Returns:
        The positive, the hard negative or None, and the source of each triplet.
    """
    positives = {name: cycle(own.positives) for name, own in candidates.items()}
    taken = {paper for own in candidates.values() for paper in own.positives}
    rows = []
    for place, name in zip(count(), drawn, strict=False):
        left = (paper for paper in candidates[name].hard if paper not in taken)
        negative = next(left, None) if place < hard else None
        taken |= {negative} if negative is not None else set()
        rows.append((next(positives[name]), negative, name))
    return sorted(rows, key=lambda row: row[1] is None)
