"""Batches of a stream."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of `size`; the last one may be shorter."""
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch
