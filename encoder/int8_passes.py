"""The passes over a layer's numbers around a product of bytes, compiled for this CPU.

PyTorch would take a dozen passes, one an operation, which cost more than the product. A thread of
its own may call each; what is compiled is kept on the disk.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float32]
LEAST = 1e-5
"""What ranges and largest numbers count as at least: no division by zero."""

_SIGN = np.int32(0x7FFFFFFF)


@njit(nogil=True, fastmath=True, cache=True)  # type: ignore[untyped-decorator]
def round_tokens(
    tokens: Floats, shrink: Floats, rounded: NDArray[np.int8], step: Floats, zero: Floats
) -> None:
    """Round each token's numbers, times `shrink`, to 256 steps between the least and the greatest.

    A number of `tokens`, (tokens, inputs), becomes zero + step * q; `shrink` is (inputs,),
    `rounded` takes the q, (tokens, inputs), `step` and `zero`, (tokens,), those of each token.
    """
    # As integers, so that a vector of numbers is compared at once. The bits of those that are not
    # negative are in order as they are, of the others all but the sign are to be turned.
    row = np.empty(tokens.shape[1], np.float32)
    bits = row.view(np.int32)
    for token in range(tokens.shape[0]):
        for i in range(row.size):
            row[i] = tokens[token, i] * shrink[i]
        least, most = np.int32(2**31 - 1), np.int32(-(2**31))
        for i in range(row.size):
            key = np.int32(bits[i] ^ ((bits[i] >> 31) & _SIGN))
            least, most = min(least, key), max(most, key)
        low = np.int32(least ^ ((least >> 31) & _SIGN)).view(np.float32)
        high = np.int32(most ^ ((most >> 31) & _SIGN)).view(np.float32)
        step[token] = max(high - low, np.float32(LEAST)) / np.float32(255)
        zero[token] = low + np.float32(128) * step[token]
        steps = np.float32(1) / step[token]
        half_up = np.float32(0.5) - low * steps
        for i in range(row.size):
            rounded[token, i] = np.int8(np.int32(row[i] * steps + half_up) - 128)


@njit(nogil=True, fastmath=True, cache=True)  # type: ignore[untyped-decorator]
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
            outputs[token, i] = (
                np.float32(products[token, i]) * (weight_step[i] * step[token])
                + zero[token] * weight_sum[i]
                + bias[i]
            )
