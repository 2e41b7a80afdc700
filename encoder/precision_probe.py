"""The precision in which a device encodes best, benchmarked on the corpus's own texts."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from specter_graph.core.vectors import Vectors

Precision = Literal["float32", "bfloat16", "int8"]
Encode = Callable[[Sequence[list[int]], Precision], Vectors]
"""Encodes the tokens of n texts to vectors, (n, dimension)."""

MIN_TEXTS = 500
"""Texts to be encoded at once that make a benchmark worth its time."""

MIN_COSINE = 0.999
"""Mean cosine to the vectors in float32 that a precision must reach."""

_MIN_SPEEDUP = 1.1  # with less, the next run may be slower
_MIN_SAMPLE, _MAX_SAMPLE = 4, 48  # texts
_SECONDS = 1.2  # of a round in float32


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A precision against float32: speedup, and mean cosine of the vectors."""

    precision: Precision
    speedup: float
    cosine: float

    @property
    def is_acceptable(self) -> bool:
        """Whether it is faster and its vectors are the same."""
        return self.speedup >= _MIN_SPEEDUP and self.cosine >= MIN_COSINE

    def __str__(self) -> str:
        """Describe the measurement."""
        return (
            f"{self.precision}: {self.speedup:.1f} x as fast as float32, mean cosine"
            f" {self.cosine:.4f}"
        )


@dataclass(frozen=True, slots=True)
class PrecisionChoice:
    """The benchmarks against float32."""

    benchmarks: tuple[Benchmark, ...]

    @property
    def precision(self) -> Precision:
        """The fastest acceptable precision, else float32."""
        acceptable = [each for each in self.benchmarks if each.is_acceptable]
        return max(acceptable, key=lambda each: each.speedup).precision if acceptable else "float32"

    def __str__(self) -> str:
        """Describe the choice in one line for the user."""
        return f"{'; '.join(map(str, self.benchmarks))}; {self.precision} is taken"


def benchmark(
    encode: Encode, tokens: Sequence[list[int]], others: Sequence[Precision]
) -> PrecisionChoice:
    """Encode a sample of the texts in float32 and in other precisions, twice in turn, and compare.

    Takes up to 48 texts, evenly spread, and five seconds; with a large model 4 texts and their
    time.
    """
    first = _spread(tokens, _MIN_SAMPLE)
    precisions: tuple[Precision, ...] = ("float32", *others)
    for precision in precisions:
        encode(first, precision)  # the first time is slower
    seconds, _ = _timed(encode, first, "float32")
    size = int(np.clip(_MIN_SAMPLE * _SECONDS / seconds, _MIN_SAMPLE, _MAX_SAMPLE))
    sample = _spread(tokens, size)
    rounds = [[_timed(encode, sample, precision) for precision in precisions] for _ in range(2)]
    best = [min(seconds for seconds, _ in runs) for runs in zip(*rounds, strict=True)]
    vectors = [vectors for _, vectors in rounds[0]]
    return PrecisionChoice(
        tuple(
            Benchmark(precision, best[0] / seconds, mean_cosine(near, vectors[0]))
            for precision, seconds, near in zip(others, best[1:], vectors[1:], strict=True)
        )
    )


def mean_cosine(vectors: Vectors, others: Vectors) -> float:
    """Return the mean cosine of rows, (n, d) each, of any length."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(others, axis=1)
    return float(((vectors * others).sum(axis=1) / lengths).mean())


def _spread(tokens: Sequence[list[int]], size: int) -> Sequence[list[int]]:
    return tokens[:: max(1, len(tokens) // size)][:size]


def _timed(
    encode: Encode, tokens: Sequence[list[int]], precision: Precision
) -> tuple[float, Vectors]:
    started = time.perf_counter()
    vectors = encode(tokens, precision)
    return time.perf_counter() - started, vectors
