"""The passes over a layer's numbers around a product of bytes, compiled for this CPU.

PyTorch would take a dozen passes, one an operation, which cost more than the product. A thread of
its own may call each; what is compiled is kept on the disk.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float32]
LEAST = 1e-5
"""What ranges and largest numbers count as at least: no division by zero."""

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "fastmath": True,
    "error_model": "numpy",  # a division that may raise is not done a vector at a time
}
_SIGN = np.int32(0x7FFFFFFF)
_ERF = tuple(
    map(
        np.float32,
        (0.0000430638, 0.0002765672, 0.0001520143, 0.0092705272, 0.0422820123, 0.0705230784),
    )
)


def _compiled(function: Callable[..., None]) -> Any:  # noqa: ANN401
    """Compile a function at its first call, and keep what comes out where that is possible."""
    try:
        return njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # neither this folder nor the user's cache can be written
        return njit(**_OPTIONS)(function)


def _inlined(function: Callable[..., Any]) -> Any:  # noqa: ANN401
    """Compile a function into those that call it."""
    return njit(inline="always", **_OPTIONS)(function)


@_inlined
def _ordered(bits: np.int32) -> np.int32:
    """The bits of a float32 as an integer that is in order with the others; and back again.

    As integers a vector of numbers is compared at once. The bits of those that are not negative
    are in order as they are, of the others all but the sign are to be turned.
    """
    return np.int32(bits ^ ((bits >> 31) & _SIGN))


@_inlined
def _round(row: Floats, rounded: NDArray[np.int8]) -> tuple[np.float32, np.float32]:
    """Round one token's numbers to 256 steps; returns the step and the zero."""
    bits = row.view(np.int32)
    least, most = np.int32(2**31 - 1), np.int32(-(2**31))
    for i in range(row.size):
        key = _ordered(bits[i])
        least, most = min(least, key), max(most, key)
    low, high = _ordered(least).view(np.float32), _ordered(most).view(np.float32)
    step = max(high - low, np.float32(LEAST)) / np.float32(255)
    steps = np.float32(1) / step
    half_up = np.float32(0.5) - low * steps
    for i in range(row.size):
        rounded[i] = np.int8(np.int32(row[i] * steps + half_up) - 128)
    return step, low + np.float32(128) * step


@_compiled
def round_tokens(
    tokens: Floats, shrink: Floats, rounded: NDArray[np.int8], step: Floats, zero: Floats
) -> None:
    """Round each token's numbers, times `shrink`, to 256 steps between the least and the greatest.

    A number of `tokens`, (tokens, inputs), becomes zero + step * q; `shrink` is (inputs,),
    `rounded` takes the q, (tokens, inputs), `step` and `zero`, (tokens,), those of each token.
    """
    row = np.empty(tokens.shape[1], np.float32)
    for token in range(tokens.shape[0]):
        for i in range(row.size):
            row[i] = tokens[token, i] * shrink[i]
        step[token], zero[token] = _round(row, rounded[token])


@_inlined
def _scaled(
    product: np.int32,
    step: np.float32,
    zero: np.float32,
    weight_step: np.float32,
    weight_sum: np.float32,
    bias: np.float32,
) -> np.float32:
    """What a layer gives for one token and output, of the product of their bytes."""
    return np.float32(product) * (weight_step * step) + zero * weight_sum + bias


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
    """What a layer gives, from the products of bytes, both (tokens, outputs).

    `step` and `zero`, (tokens,), are those of `round_tokens`; `weight_step`, the weights' sum in
    numbers and the bias are (outputs,).
    """
    for token in range(products.shape[0]):
        for i in range(products.shape[1]):
            outputs[token, i] = _scaled(
                products[token, i], step[token], zero[token], weight_step[i], weight_sum[i], bias[i]
            )


@_inlined
def _gelu(x: np.float32) -> np.float32:
    """A number times the normal distribution's probability below it.

    The error function is by Abramowitz and Stegun 7.1.28, 1 - 1 / p(z)^16, a formula good to 3e-7.
    """
    # From 4 on it is 1 in float32; beyond 8 p^16 might be no number.
    z = min(abs(x) * np.float32(0.5**0.5), np.float32(8))
    p = _ERF[0]
    p = p * z + _ERF[1]
    p = p * z + _ERF[2]
    p = p * z + _ERF[3]
    p = p * z + _ERF[4]
    p = p * z + _ERF[5]
    p = p * z + np.float32(1)
    p *= p
    p *= p
    p *= p
    p *= p
    return np.float32(0.5) * (x + abs(x)) - abs(x) * (np.float32(0.5) / p)


@_compiled
def gelu_of_products(
    products: NDArray[np.int32],
    step: Floats,
    zero: Floats,
    weight_step: Floats,
    weight_sum: Floats,
    bias: Floats,
    shrink: Floats,
    rounded: NDArray[np.int8],
    next_step: Floats,
    next_zero: Floats,
) -> None:
    """`scale_products`, GELU and the next layer's `round_tokens` in one pass.

    `shrink`, (outputs,), and what is filled are the next layer's; all else is as there.
    """
    row = np.empty(products.shape[1], np.float32)
    for token in range(products.shape[0]):
        for i in range(row.size):
            x = _scaled(
                products[token, i], step[token], zero[token], weight_step[i], weight_sum[i], bias[i]
            )
            row[i] = _gelu(x) * shrink[i]
        next_step[token], next_zero[token] = _round(row, rounded[token])
