"""A Transformer whose linear layers multiply int8, for CPUs that do so fast.

A layer's weights W of shape (outputs, inputs) are stored as int8 with a step for each output. The
inputs of each token are rounded to 256 steps between their least and their greatest number, which
is "vector-wise" quantization (LLM.int8(), Dettmers et al. 2022, section 2.1). A few input channels
of a Transformer are far larger than the others, and would leave them few of these steps. So channel
j is first divided, and its weights multiplied, by the square root of max |X_j| / max |W_j|
(SmoothQuant, Xiao et al. 2023, equation 4, alpha 0.5). These channels depend on the model, not on
the texts: max |X_j| is taken from SAMPLE, so that vectors do not depend on the corpus.

Numba compiles the passes before and after each product for this CPU. PyTorch would take a dozen
passes, one an operation, which take longer than the product.
"""

import copy
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import nn

SAMPLE = files("specter_graph.encoder").joinpath("int8_sample.json")
"""Generated papers that show the largest inputs of each layer."""

Floats = NDArray[np.float32]

_MIN_RANGE = 1e-5  # of numbers, against a division by zero
_MIN_CHANNEL = 0.1  # of the mean channel: a channel that SAMPLE leaves at zero may not be small
_SIGN = np.int32(0x7FFFFFFF)


class Int8Linear(nn.Module):
    """`linear` in int8; `largest`, (inputs,), are the absolute maxima of its inputs."""

    shrink: torch.Tensor
    step: torch.Tensor
    weight: torch.Tensor
    sum: torch.Tensor
    bias: torch.Tensor

    def __init__(self, linear: nn.Linear, largest: torch.Tensor) -> None:
        super().__init__()
        weight = linear.weight.detach()
        largest = largest.clamp(min=max(float(_MIN_CHANNEL * largest.mean()), _MIN_RANGE))
        spread = (largest / weight.abs().amax(0).clamp(min=_MIN_RANGE)).sqrt()
        weight = weight * spread
        step = weight.abs().amax(1).clamp(min=_MIN_RANGE) / 127
        rounded = (weight / step[:, None]).round().to(torch.int8)
        bias = torch.zeros_like(step) if linear.bias is None else linear.bias.detach()
        self.register_buffer("shrink", 1 / spread)
        self.register_buffer("step", step)
        self.register_buffer("weight", rounded.t())
        self.register_buffer("sum", step * rounded.sum(1))
        self.register_buffer("bias", bias)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Map float32 (..., inputs) to float32 (..., outputs).

        A number x of a token is zero + step * q, with q from -128 to 127, so that the product with
        the weights is the token's step times that of the q, plus its zero times the weights' sum.
        """
        tokens = inputs.reshape(-1, inputs.shape[-1]).contiguous()
        rounded = torch.empty(tokens.shape, dtype=torch.int8)
        step, zero = torch.empty(2, len(tokens))
        _run(round_tokens, tokens, self.shrink, rounded, step, zero)
        products = multiply(rounded, self.weight)
        outputs = torch.empty(products.shape)
        _run(scale_products, products, step, zero, self.step, self.sum, self.bias, outputs)
        return outputs.reshape(*inputs.shape[:-1], -1)


def multiply(rounded: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return the product of int8 (tokens, inputs) and (inputs, outputs), as int32.

    The only place that calls a private function of PyTorch, which has no public one for this.
    """
    return torch._int_mm(rounded, weight)


def quantize(network: nn.Module, sample: dict[str, torch.Tensor]) -> Any:  # noqa: ANN401
    """Return the network with its linear layers in int8; it shares all else with the given one.

    `sample` are the network's inputs for SAMPLE. A layer that it does not reach stays as it is.
    """
    shared = {id(each): each for each in (*network.parameters(), *network.buffers())}
    quantized = copy.deepcopy(network, shared)
    linear = {
        name: module for name, module in quantized.named_modules() if isinstance(module, nn.Linear)
    }
    largest: dict[str, torch.Tensor] = {}

    def observe(name: str, inputs: torch.Tensor) -> None:
        channels = inputs.reshape(-1, inputs.shape[-1]).abs().amax(0)
        largest[name] = torch.maximum(channels, largest.get(name, channels))

    hooks = [
        module.register_forward_pre_hook(lambda _, inputs, name=name: observe(name, inputs[0]))
        for name, module in linear.items()
    ]
    with torch.inference_mode():
        quantized(**sample)
    for hook in hooks:
        hook.remove()
    for name, channels in largest.items():
        quantized.set_submodule(name, Int8Linear(linear[name], channels))
    return quantized


def _run(compiled: Callable[..., None], *tensors: torch.Tensor) -> None:
    compiled(*(tensor.detach().numpy() for tensor in tensors))


def _compiled(function: Callable[..., None]) -> Any:  # noqa: ANN401
    """Compile a function at its first call, and cache the result on disk where that is possible."""
    # With numpy's error model a division cannot raise, and is vectorized.
    options = {"nogil": True, "fastmath": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # neither this folder nor the user's cache can be written
        return njit(**options)(function)


@_compiled
def round_tokens(
    tokens: Floats, shrink: Floats, rounded: NDArray[np.int8], step: Floats, zero: Floats
) -> None:
    """Round each token's numbers, times `shrink`, to 256 steps between the least and the greatest.

    A number of `tokens`, (tokens, inputs), becomes zero + step * q. `shrink` is (inputs,); the
    function fills `rounded` with the q, (tokens, inputs), and `step` and `zero`, (tokens,).
    """
    row = np.empty(tokens.shape[1], np.float32)
    bits = row.view(np.int32)
    for token in range(tokens.shape[0]):
        for i in range(row.size):
            row[i] = tokens[token, i] * shrink[i]
        # As integers, a vector of numbers is compared at once: the bits of negative ones are in
        # order when all but the sign are inverted.
        least, greatest = np.int32(2**31 - 1), np.int32(-(2**31))
        for i in range(row.size):
            key = np.int32(bits[i] ^ ((bits[i] >> 31) & _SIGN))
            least, greatest = min(least, key), max(greatest, key)
        low = np.int32(least ^ ((least >> 31) & _SIGN)).view(np.float32)
        high = np.int32(greatest ^ ((greatest >> 31) & _SIGN)).view(np.float32)
        step[token] = max(high - low, np.float32(_MIN_RANGE)) / np.float32(255)
        steps = np.float32(1) / step[token]
        half_up = np.float32(0.5) - low * steps
        for i in range(row.size):
            rounded[token, i] = np.int8(np.int32(row[i] * steps + half_up) - 128)
        zero[token] = low + np.float32(128) * step[token]


@_compiled
def scale_products(
    products: NDArray[np.int32],
    step: Floats,
    zero: Floats,
    weight_step: Floats,
    weight_sum: Floats,
    bias: Floats,
    outputs: Floats,
) -> None:
    """Fill `outputs` with those of a layer, from products of int8, both (tokens, outputs).

    `step` and `zero`, (tokens,), are those of `round_tokens`; `weight_step`, the sum of the weights
    and the bias are (outputs,).
    """
    for token in range(products.shape[0]):
        for i in range(products.shape[1]):
            scaled = np.float32(products[token, i]) * (weight_step[i] * step[token])
            outputs[token, i] = scaled + zero[token] * weight_sum[i] + bias[i]
