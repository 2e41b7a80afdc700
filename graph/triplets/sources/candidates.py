"""What a source finds for a query, and the order in which a seed puts it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from specter_graph.loaders.records import DRAW_PRIME

MAX_LINKS = 1_000
"""Papers and readers with more links than this relate everything to everything: no path goes
through them, and a query has at most so many paths of its own."""


@dataclass(frozen=True, slots=True)
class Found:
    """The papers that are eligible in the triplets of a query, in the order they are taken.

    `positives` are taken round and round, one for each triplet; the first triplets have the hard
    negatives. `related` are papers that are no easy negatives. `origins`, where a query has
    several sources, says for each positive which one it is from.
    """

    query: str
    draw: int
    positives: Sequence[str]
    hard: Sequence[str]
    related: Collection[str]
    origins: Sequence[str] = ()


class Finder(Protocol):
    """A source of triplets, ready to be asked; several threads may ask it at once."""

    def find(self, ids: list[str]) -> list[Found]:
        """What is eligible for these query papers, in their order."""
        ...


class Keys:
    """A fresh order of papers for each query and seed, made of their draws alone.

    The key of a paper c for a query q is (c.draw * a + shift) % P with P = 2^31 - 1 and
    a = 1 + (q.draw * factor + offset) % (P - 1); equal keys are ordered by id. `parameters` are
    the numbers of the seed, as the statements take them.
    """

    def __init__(self, seed: int) -> None:
        state = np.random.SeedSequence([seed, 0]).generate_state(3, np.uint64)
        factor, offset, shift = (int(word) % (DRAW_PRIME - 1) for word in state)
        self.parameters = {"factor": 1 + factor, "offset": offset, "shift": shift}

    def of(self, query_draw: int, draws: NDArray[np.int64]) -> NDArray[np.int64]:
        """The keys of papers, (n,), given their draws, (n,)."""
        factor, offset, shift = self.parameters.values()
        a = 1 + (query_draw * factor + offset) % (DRAW_PRIME - 1)
        return (draws * a + shift) % DRAW_PRIME


def generator(seed: int, stream: int, query_draw: int) -> np.random.Generator:
    """Chance for one query: of the seed, of what it is for, and of the query alone."""
    return np.random.default_rng([seed, stream, query_draw])
