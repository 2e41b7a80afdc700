"""In which precision a device encodes best, measured on the corpus's own texts."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from specter_graph.core.vectors import Vectors

Precision = Literal["float32", "bfloat16", "int8"]
Encode = Callable[[Sequence[list[int]], Precision], Vectors]
"""Tokens of n texts to vectors, (n, dimension)."""

ENOUGH = 500
"""Texts that are to be encoded at once, from which on measuring pays."""

LEAST_COSINE = 0.999
"""Mean cosine to the vectors in float32, below which vectors are not taken for the same."""

_LEAST_GAIN = 1.1  # what is hardly faster may be slower in the next run
_FIRST, _MOST = 4, 48  # texts
_SECONDS = 1.2  # of a round in float32


@dataclass(frozen=True, slots=True)
class Trial:
    """A precision beside float32: times as fast, and the mean cosine of the vectors."""

    precision: Precision
    gain: float
    cosine: float

    @property
    def good(self) -> bool:
        """Whether it is faster and its vectors are the same."""
        return self.gain >= _LEAST_GAIN and self.cosine >= LEAST_COSINE

    def __str__(self) -> str:
        """What was measured."""
        return (
            f"{self.precision}: {self.gain:.1f} x as fast as float32, mean cosine {self.cosine:.4f}"
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """The precisions that were tried beside float32."""

    trials: tuple[Trial, ...]

    @property
    def precision(self) -> Precision:
        """The one that is taken: the fastest that is good, else float32."""
        good = [trial for trial in self.trials if trial.good]
        return max(good, key=lambda trial: trial.gain).precision if good else "float32"

    def __str__(self) -> str:
        """One line for the user."""
        return f"{'; '.join(map(str, self.trials))}; {self.precision} is taken"


def probe(encode: Encode, tokens: Sequence[list[int]], others: Sequence[Precision]) -> Choice:
    """Encode some of the texts in float32 and the others, twice in turn, and compare.

    Takes up to 48 texts, evenly spread, and five seconds; of a large model 4 texts and their time.
    """
    first = _spread(tokens, _FIRST)
    every: tuple[Precision, ...] = ("float32", *others)
    for precision in every:
        encode(first, precision)  # the first time is slower
    seconds, _ = _timed(encode, first, "float32")
    sample = _spread(tokens, int(np.clip(_FIRST * _SECONDS / seconds, _FIRST, _MOST)))
    rounds = [[_timed(encode, sample, precision) for precision in every] for _ in range(2)]
    plain, *rest = (min(each[way][0] for each in rounds) for way in range(len(every)))
    (_, exact), *nears = rounds[0]
    return Choice(
        tuple(
            Trial(precision, plain / seconds, mean_cosine(near, exact))
            for precision, seconds, (_, near) in zip(others, rest, nears, strict=True)
        )
    )


def mean_cosine(vectors: Vectors, others: Vectors) -> float:
    """The mean cosine of rows, (n, d) each, whatever their lengths."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(others, axis=1)
    return float(((vectors * others).sum(axis=1) / lengths).mean())


def _spread(tokens: Sequence[list[int]], most: int) -> Sequence[list[int]]:
    return tokens[:: max(1, len(tokens) // most)][:most]


def _timed(
    encode: Encode, tokens: Sequence[list[int]], precision: Precision
) -> tuple[float, Vectors]:
    started = time.perf_counter()
    vectors = encode(tokens, precision)
    return time.perf_counter() - started, vectors
