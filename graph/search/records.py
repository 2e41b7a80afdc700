"""What a search is asked, and what it answers."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from specter_graph.graph.search.filters import NONE, Filters

Way = Literal["hybrid", "text", "vector"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for: words, a place in a space, papers that are known to be right.

    `vector` is (d,) float32. From `papers`, and from `seeds`, which they cite, citations are
    followed; in a question without papers from the best hits. `passed` are papers whose citations
    are passed over, and so are those by papers that the filters hold out.
    """

    words: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = None
    papers: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    filters: Filters = NONE


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paper was found: the signal, its rank by it, and what it counts in the score.

    `path` are the ids of the papers on one citation path from what was looked for to the paper.
    """

    signal: str
    rank: int
    share: float
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A paper found: `score` is comparable within one answer; the best first.

    `distance` is Euclidean, in the space; None where the vectors did not find it. `snippet` is the
    passage of the abstract with the most of the words, `words` which of them it has.
    """

    id: str
    title: str
    year: int | None
    score: float
    distance: float | None
    reasons: tuple[Reason, ...] = ()
    snippet: str = ""
    words: tuple[str, ...] = ()
