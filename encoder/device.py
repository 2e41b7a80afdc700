"""What the hardware does well: a GPU if there is one, bfloat16 and int8 where they are fast."""

import torch

from specter_graph.encoder.precision_probe import Precision


def best_device() -> torch.device:
    """The GPU (CUDA, or Apple's), else the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def fast_bfloat16(device: torch.device) -> bool:
    """Whether the device has bfloat16 arithmetic of its own.

    CPUs with AMX or AVX512-BF16 encode about twice as fast with it; those without emulate it, and
    are seven times slower than in float32.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return device.type == "cpu" and _has("_is_avx512_bf16_supported", "_is_amx_tile_supported")


def fast_precisions(device: torch.device) -> tuple[Precision, ...]:
    """What the device may compute faster in than in float32: bfloat16, and int8 on a CPU."""
    found: list[Precision] = []
    if fast_bfloat16(device):
        found.append("bfloat16")
    if device.type == "cpu" and _has("_is_vnni_supported", "_is_amx_tile_supported"):
        found.append("int8")
    return tuple(found)


def _has(*probes: str) -> bool:
    """Whether PyTorch finds one of these in the CPU; it knows them on some systems only."""
    return any(getattr(torch.cpu, probe)() for probe in probes if hasattr(torch.cpu, probe))
