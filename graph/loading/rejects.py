"""Keeps what could not be loaded in a file, one JSON object a line."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders.records import Reject


class Rejects:
    """The file is made by the first reject; with path None nothing is kept."""

    def __init__(self, path: Path | None, *, append: bool) -> None:
        self.path = path
        self._mode = "ab" if append else "wb"
        self._file: BinaryIO | None = None

    def keep(self, reject: Reject) -> None:
        """Add a reject; raises InputError when the file cannot be written."""
        if self.path is None:
            return
        try:
            self._file = self._file or self.path.open(self._mode)  # type: ignore[assignment]
            assert self._file is not None
            self._file.write(orjson.dumps(reject, option=orjson.OPT_APPEND_NEWLINE))
        except OSError as error:
            raise self._unwritable(error) from error

    def keep_all(self, other: Path) -> None:
        """Add what another such file holds; raises InputError when this one cannot be written."""
        if self.path is None:
            return
        try:
            self._file = self._file or self.path.open(self._mode)  # type: ignore[assignment]
            assert self._file is not None
            with other.open("rb") as kept:
                shutil.copyfileobj(kept, self._file)
        except OSError as error:
            raise self._unwritable(error) from error

    def flush(self) -> None:
        """Make sure that what was kept survives a kill."""
        try:
            if self._file:
                self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file:
            self._file.close()

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(
            f"the rejects cannot be written to {self.path}: {error.strerror}",
            "name another file with --rejects",
        )


@contextmanager
def rejects_file(path: Path | None, *, append: bool = False) -> Iterator[Rejects]:
    """A file for rejects, closed at the end; `append` adds to what an earlier run has kept."""
    rejects = Rejects(path, append=append)
    try:
        yield rejects
    finally:
        rejects.close()
