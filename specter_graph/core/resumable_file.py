"""A file that grows by whole chunks and outlives kills: what was added is there, or none of it."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from specter_graph.core.errors import InputError
from specter_graph.core.files import check_parent, unwritable


class Unfinished:
    """The chunks so far, in `.NAME.unfinished` beside `path`, and what was noted with the last.

    `.NAME.unfinished.json` holds the notes, the size that the file had then, and the identity: what
    the chunks are made of. What stands beyond that size was cut off by a kill, and goes.
    """

    def __init__(self, path: Path, identity: Mapping[str, str]) -> None:
        self.path = path
        self.chunks, self._state, _ = unfinished_files(path)
        self._identity = dict(identity)
        self.notes: dict[str, Any] = {}
        self._size = 0
        if self._state.exists():
            self._continue()
        self._file = self.chunks.open("ab")
        self._file.truncate(self._size)

    def append(self, chunk: bytes, notes: Mapping[str, Any]) -> None:
        """Add a chunk and note how far it brings us."""
        self._file.write(chunk)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._size += len(chunk)
        state = {"identity": self._identity, "size": self._size, "notes": notes}
        new = self._state.with_name(f"{self._state.name}.new")
        with new.open("w") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._state)

    def finish(self, place: Callable[[Path, Path], None]) -> None:
        """Let `place` make the file of the chunks, and forget them."""
        self._file.close()
        place(self.chunks, self.path)
        self._state.unlink()

    def close(self) -> None:
        """Close the file; the next run goes on with it."""
        self._file.close()

    def _continue(self) -> None:
        state = json.loads(self._state.read_text())
        for name, value in self._identity.items():
            if state["identity"].get(name) != value:
                raise InputError(
                    f"{self.chunks} was begun with another {name}",
                    f"name another file, or remove {self._state} to begin again",
                )
        if self.chunks.exists() and self.chunks.stat().st_size >= state["size"]:
            self._size, self.notes = state["size"], state["notes"]


@contextmanager
def unfinished(path: Path, identity: Mapping[str, str]) -> Iterator[Unfinished]:
    """Begin a file, or go on with what an earlier run of the same identity has left of it.

    Raises InputError where the file cannot be written, another run writes it now, or it was begun
    with another identity.
    """
    check_parent(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder", "name a file")
    try:
        with _alone(path), closing(Unfinished(path, identity)) as growing:
            yield growing
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    lock = FileLock(unfinished_files(path)[2])
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(f"another run is writing {path}", "let it end, or stop it") from error
    try:
        yield
    finally:
        Path(lock.lock_file).unlink(missing_ok=True)  # while it is ours
        lock.release()


def unfinished_files(path: Path) -> tuple[Path, Path, Path]:
    """The files beside `path`: the chunks, the state, and the lock."""
    chunks = path.with_name(f".{path.name}.unfinished")
    return chunks, chunks.with_name(f"{chunks.name}.json"), chunks.with_name(f"{chunks.name}.lock")
