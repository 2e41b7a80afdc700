"""Long work: its batches, results ahead of time, its time, and the callback for progress."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

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


def map_ahead(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int = 1, ahead: int
) -> Iterator[Result]:
    """Yield the results of the items in their order; threads compute some while the caller works.

    If the items end with an error, it is raised after the results of the items before it. After an
    error of `function`, no further item is begun.

    Args:
        function: Computes a result.
        items: The items, which the caller's thread reads.
        threads: Results that are computed at the same time.
        ahead: Maximum number of items whose results are computed or wait for the caller.
    """
    waiting: deque[Future[Result]] = deque()
    stream, error = iter(items), None
    with ThreadPoolExecutor(threads, "ahead") as pool:
        try:
            while True:
                try:
                    item = next(stream)
                except BaseException as end:  # StopIteration, too
                    error = end
                    break
                if len(waiting) == ahead:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(function, item))
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
    if not isinstance(error, StopIteration):
        raise error
