"""Vectors as the rooms pass them on: float32, a row each."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
Inputs: TypeAlias = npt.NDArray[np.float16] | npt.NDArray[np.float32]


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1; zeros stay zeros."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1), np.float32)


def require_prefixes(dimensions: Sequence[int], most: int) -> None:
    """Raise ValueError unless these are different dimensions under `most` that a loss can count."""
    if len(set(dimensions)) < len(dimensions) or not all(0 < each < most for each in dimensions):
        raise ValueError(
            f"matryoshka: {list(dimensions)} are not different ones of 1 to {most - 1}"
        )
