"""The hardware of a training or an encoding: device, CPU threads, processes, precisions.

A benchmark compares the precisions in which a device can encode, on the texts to be encoded.

PyTorch is imported when a function needs it.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from specter_graph.core.vectors import Vectors

if TYPE_CHECKING:
    import torch

Item = TypeVar("Item")
Result = TypeVar("Result")
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
        acceptable = [each for each in self.benchmarks if each.is_acceptable]
        fastest = max(acceptable, key=lambda each: each.speedup, default=None)
        return fastest.precision if fastest else "float32"

    def __str__(self) -> str:
        """Describe the choice on one line."""
        return f"{'; '.join(map(str, self.benchmarks))}; using {self.precision}"


def benchmark(
    encode: Encode,
    tokens: Sequence[list[int]],
    others: Sequence[Precision],
    *,
    one_at_a_time: bool = False,
) -> PrecisionChoice:
    """Compare other precisions with float32 on a sample of the texts.

    Takes up to 48 evenly spaced texts and about five seconds; a large model takes 4 texts. They are
    encoded together in two rounds, or one at a time in six; the fastest round counts, and one at a
    time that of each text, because a service does other work meanwhile.
    """
    precisions: tuple[Precision, ...] = ("float32", *others)

    def run(sample: Sequence[list[int]], precision: Precision) -> list[tuple[float, Vectors]]:
        parts = [[text] for text in sample] if one_at_a_time else [sample]
        return [_time_encoding(encode, part, precision) for part in parts]

    first = _sample(tokens, _MIN_SAMPLE)
    for precision in precisions:
        run(first, precision)  # the first call is slower
    seconds, _ = _fastest([run(first, "float32")])
    size = int(np.clip(_MIN_SAMPLE * _SECONDS / seconds, _MIN_SAMPLE, _MAX_SAMPLE))
    sample = _sample(tokens, size)
    rounds = [
        [run(sample, precision) for precision in precisions]
        for _ in range(6 if one_at_a_time else 2)
    ]
    exact, *best = (_fastest(runs) for runs in zip(*rounds, strict=True))
    return PrecisionChoice(
        tuple(
            Benchmark(precision, exact[0] / seconds, mean_cosine(vectors, exact[1]))
            for precision, (seconds, vectors) in zip(others, best, strict=True)
        )
    )


def _fastest(rounds: Iterable[Sequence[tuple[float, Vectors]]]) -> tuple[float, Vectors]:
    """Return the sum of the fastest times of each part, and the vectors of all parts."""
    fastest = [min(runs, key=lambda run: run[0]) for runs in zip(*rounds, strict=True)]
    return sum(run[0] for run in fastest), np.concatenate([run[1] for run in fastest])


def mean_cosine(vectors: Vectors, others: Vectors) -> float:
    """Return the mean cosine of the rows of two arrays, (n, d) each."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(others, axis=1)
    return float(((vectors * others).sum(axis=1) / lengths).mean())


def _sample(tokens: Sequence[list[int]], size: int) -> Sequence[list[int]]:
    return tokens[:: max(1, len(tokens) // size)][:size]


def _time_encoding(
    encode: Encode, tokens: Sequence[list[int]], precision: Precision
) -> tuple[float, Vectors]:
    started = time.perf_counter()
    vectors = encode(tokens, precision)
    return time.perf_counter() - started, vectors


def best_device() -> "torch.device":
    """Return the GPU (CUDA, or Apple's), else the CPU."""
    import torch

    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def has_fast_bfloat16(device: "torch.device") -> bool:
    """Return True if the device has bfloat16 arithmetic.

    CPUs with AMX or AVX512-BF16 encode about twice as fast with it. Other CPUs emulate it, seven
    times slower than float32.
    """
    import torch

    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return device.type == "cpu" and _has("avx512_bf16", "amx_bf16")


def fast_precisions(device: "torch.device") -> tuple[Precision, ...]:
    """Return precisions that may be faster than float32: bfloat16, and int8 on a CPU.

    int8 needs OpenVINO, and instructions that multiply int8 (AVX512-VNNI or AMX) to be fast.
    """
    precisions: list[Precision] = ["bfloat16"] if has_fast_bfloat16(device) else []
    has_int8 = device.type == "cpu" and _has("avx512_vnni", "amx_int8")
    if has_int8 and find_spec("openvino"):
        precisions.append("int8")
    return tuple(precisions)


def map_on_cores(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Map items in order on as many workers as PyTorch has threads, with one thread each.

    Several threads in one operation wait for the slowest of them hundreds of times per batch. On
    two cores shared with a server, two threads took longer than one even for a single text. Other
    threads that are started meanwhile use one thread of PyTorch, too.
    """
    import torch

    cores = torch.get_num_threads()
    if cores == 1:
        yield from map(work, items)
        return
    try:
        with ThreadPoolExecutor(
            cores, "encode", initializer=torch.set_num_threads, initargs=(1,)
        ) as workers:
            yield from workers.map(work, items)
    finally:
        torch.set_num_threads(cores)  # otherwise new threads would inherit 1 from the workers


def process_count() -> int:
    """Return the number of processes that `torchrun` or `accelerate` started; 1 without them."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_main_process() -> bool:
    """Return True in the process that mines, writes and prints."""
    return os.environ.get("RANK", "0") == "0"


def _has(*features: str) -> bool:
    """Return True if PyTorch reports one of these CPU features."""
    import torch

    reported = torch.cpu.get_capabilities()
    return any(reported.get(feature) for feature in features)
