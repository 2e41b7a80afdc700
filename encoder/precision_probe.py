"""A benchmark of the precisions in which a device can encode, on the texts to be encoded."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from specter_graph.core.vectors import Vectors

Precision = Literal["float32", "bfloat16", "int8"]
Encode = Callable[[Sequence[list[int]], Precision], Vectors]
"""Encodes the tokens of n texts into vectors, (n, dimension)."""

MIN_TEXTS = 500
"""Minimum number of texts to encode for a benchmark to be worth its time."""

MIN_COSINE = 0.999
"""Minimum mean cosine between the vectors of a precision and those of float32."""

_MIN_SPEEDUP = 1.1  # smaller speedups may vanish in the next run
_MIN_SAMPLE, _MAX_SAMPLE = 4, 48  # texts
_SECONDS = 1.2  # of a round in float32


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A precision compared with float32: speedup, and mean cosine of the vectors."""

    precision: Precision
    speedup: float
    cosine: float

    @property
    def is_acceptable(self) -> bool:
        """True if the precision is faster and its vectors are nearly the same."""
        return self.speedup >= _MIN_SPEEDUP and self.cosine >= MIN_COSINE

    def __str__(self) -> str:
        """Describe the benchmark."""
        return (
            f"{self.precision}: {self.speedup:.1f} x as fast as float32, mean cosine"
            f" {self.cosine:.4f}"
        )


@dataclass(frozen=True, slots=True)
class PrecisionChoice:
    """The benchmarks, and the precision chosen by them."""

    benchmarks: tuple[Benchmark, ...]

    @property
    def precision(self) -> Precision:
        """The fastest acceptable precision, else float32."""
        acceptable = [benchmark for benchmark in self.benchmarks if benchmark.is_acceptable]
        return (
            max(acceptable, key=lambda benchmark: benchmark.speedup).precision
            if acceptable
            else "float32"
        )

    def __str__(self) -> str:
        """Describe the choice on one line."""
        return f"{'; '.join(map(str, self.benchmarks))}; using {self.precision}"


def benchmark(
    encode: Encode, tokens: Sequence[list[int]], others: Sequence[Precision]
) -> PrecisionChoice:
    """Compare other precisions with float32 on a sample of the texts, in two rounds.

    Takes up to 48 evenly spaced texts and about five seconds; a large model takes 4 texts.
    """
    precisions: tuple[Precision, ...] = ("float32", *others)
    first = _sample(tokens, _MIN_SAMPLE)
    for precision in precisions:
        encode(first, precision)  # the first call is slower
    seconds, _ = _timed(encode, first, "float32")
    size = int(np.clip(_MIN_SAMPLE * _SECONDS / seconds, _MIN_SAMPLE, _MAX_SAMPLE))
    sample = _sample(tokens, size)
    rounds = [[_timed(encode, sample, precision) for precision in precisions] for _ in range(2)]
    exact, *best = (min(runs, key=lambda run: run[0]) for runs in zip(*rounds, strict=True))
    return PrecisionChoice(
        tuple(
            Benchmark(precision, exact[0] / seconds, mean_cosine(vectors, exact[1]))
            for precision, (seconds, vectors) in zip(others, best, strict=True)
        )
    )


def mean_cosine(vectors: Vectors, others: Vectors) -> float:
    """Return the mean cosine of the rows of two arrays, (n, d) each."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(others, axis=1)
    return float(((vectors * others).sum(axis=1) / lengths).mean())


def _sample(tokens: Sequence[list[int]], size: int) -> Sequence[list[int]]:
    return tokens[:: max(1, len(tokens) // size)][:size]


def _timed(
    encode: Encode, tokens: Sequence[list[int]], precision: Precision
) -> tuple[float, Vectors]:
    started = time.perf_counter()
    vectors = encode(tokens, precision)
    return time.perf_counter() - started, vectors
