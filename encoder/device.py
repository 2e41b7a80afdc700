"""The hardware of a training or an encoding: device, fast precisions, CPU threads, processes.

PyTorch is imported when a function needs it.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from specter_graph.encoder.precision_probe import Precision

if TYPE_CHECKING:
    import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


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
    return device.type == "cpu" and _has("_is_avx512_bf16_supported", "_is_amx_tile_supported")


def fast_precisions(device: "torch.device") -> tuple[Precision, ...]:
    """Return precisions that may be faster than float32: bfloat16, and int8 on a CPU.

    int8 needs OpenVINO, and instructions that multiply int8 (AVX512-VNNI or AMX) to be fast.
    """
    precisions: list[Precision] = ["bfloat16"] if has_fast_bfloat16(device) else []
    has_int8 = device.type == "cpu" and _has("_is_vnni_supported", "_is_amx_tile_supported")
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


def _has(*probes: str) -> bool:
    """Return True if PyTorch reports one of these CPU features; on some systems it cannot."""
    import torch

    return any(getattr(torch.cpu, probe)() for probe in probes if hasattr(torch.cpu, probe))
