"""The names of the distances between vectors that a loss may take; see `losses.distance`."""

from typing import Literal, TypeAlias

Distance: TypeAlias = Literal["l2", "squared_l2", "cosine", "dot"]
