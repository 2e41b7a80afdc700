"""Writes that go on in a thread of their own while the next work is done."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self


class WriteBehind:
    """One writer, one write on its way at most: in the order they come, memory flat.

    with WriteBehind() as writer:
        for chunk in chunks:
            vectors = encode(chunk)
            writer.put(lambda: store(vectors))

    What a write raises, the next `put` raises, or the end of the block. A block that is left by an
    error, Ctrl-C too, still waits for the write that is on its way.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "write-behind")
        self._last: Future[None] | None = None

    def put(self, write: Callable[[], None]) -> None:
        """Begin a write, once the one before has ended well."""
        self._await()
        self._last = self._thread.submit(write)

    def _await(self) -> None:
        if self._last is not None:
            self._last.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown()
        if error is None:
            self._await()
