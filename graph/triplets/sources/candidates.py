"""Candidates for the triplets of a query, and their order for a seed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from specter_graph.loaders.records import SAMPLE_PRIME

MAX_LINKS = 1_000
"""Maximum links of a paper or reader on a path, and maximum paths of a query: a hub with more links
would relate everything to everything."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The eligible papers for the triplets of a query, in the order in which they are used.

    Attributes:
        query: The query paper.
        sample_key: Its sample key.
        positives: Used cyclically, one per triplet.
        hard: The hard negatives of the first triplets.
        related: Papers that cannot be easy negatives.
        origins: The source of each positive, if the query has several sources.
    """

    query: str
    sample_key: int
    positives: Sequence[str]
    hard: Sequence[str]
    related: Collection[str]
    origins: Sequence[str] = ()


class TripletSource(Protocol):
    """A source of triplets; it is thread-safe."""

    def find(self, ids: list[str]) -> list[Candidates]:
        """Return the candidates of these query papers, in their order."""
        ...


class Stream(IntEnum):
    """The uses of random numbers of one seed. A use keeps its number, else its samples change."""

    ORDER = 0
    EASY_NEGATIVES = 1
    POOL = 2
    MIXTURE = 3
    MODEL_NEGATIVES = 4
    SPECTER_DATA = 4  # never used together with the negatives of a model


class SeededOrder:
    """A pseudo-random order of papers for each query and seed, computed from their sample keys.

    The order key of a paper c for a query q is (c.sample_key * a + shift) % P with P = 2^31 - 1 and
    a = 1 + (q.sample_key * factor + offset) % (P - 1); equal keys are ordered by id. `parameters`
    are the numbers derived from the seed, as parameters of the statements.
    """

    def __init__(self, seed: int) -> None:
        state = np.random.SeedSequence([seed, Stream.ORDER]).generate_state(3, np.uint64)
        factor, offset, shift = (int(word) % (SAMPLE_PRIME - 1) for word in state)
        self.parameters = {"factor": 1 + factor, "offset": offset, "shift": shift}

    def of(self, query_key: int, sample_keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the order keys of papers, (n,), given their sample keys, (n,)."""
        factor, offset, shift = self.parameters.values()
        a = 1 + (query_key * factor + offset) % (SAMPLE_PRIME - 1)
        return (sample_keys * a + shift) % SAMPLE_PRIME


def query_rng(seed: int, stream: Stream, query_key: int) -> np.random.Generator:
    """Return a random generator that depends only on the seed, the purpose and the query."""
    return np.random.default_rng([seed, stream, query_key])
