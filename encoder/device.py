"""What the hardware does well: a GPU if there is one, bfloat16 where it is fast."""

import torch


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
    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return device.type == "cpu" and any(
        getattr(torch.cpu, probe)() for probe in probes if hasattr(torch.cpu, probe)
    )
