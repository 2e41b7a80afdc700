"""Long work: its batches, reading ahead, its time, and the callback that reports progress."""

from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")

Progress = Callable[[str, int, int | None], None]
"""A function called as (stage, done, total) with running counts; total is None if unknown."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignore progress."""


def timestamp() -> str:
    """Return the present time in UTC, to the second, as ISO 8601 writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def tracked(items: Collection[Item], stage: str, progress: Progress) -> Iterator[Item]:
    """Yield the items; report the number of completed ones before each, and at the end."""
    for done, item in enumerate(items):
        progress(stage, done, len(items))
        yield item
    progress(stage, len(items), len(items))


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of `size`; the last one may be shorter."""
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Yield the items; a thread computes the next one while the caller works on one."""
    end = object()
    with ThreadPoolExecutor(1, "read-ahead") as thread:
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield item  # type: ignore[misc]
