"""Keeps what could not be loaded in a file, one JSON object a line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import orjson

from specter_graph.errors import InputError
from specter_graph.loaders.records import Reject


@contextmanager
def rejects_file(path: Path | None) -> Iterator[Callable[[Reject], None]]:
    """A function that adds a reject to the file, which is made by the first one.

    None keeps nothing. Raises InputError when the file cannot be written.
    """
    file: BinaryIO | None = None

    def keep(reject: Reject) -> None:
        nonlocal file
        if path is None:
            return
        try:
            file = file or path.open("wb")
            file.write(orjson.dumps(reject, option=orjson.OPT_APPEND_NEWLINE))
        except OSError as error:
            raise InputError(
                f"the rejects cannot be written to {path}: {error.strerror}",
                "name another file with --rejects",
            ) from error

    try:
        yield keep
    finally:
        if file is not None:
            file.close()
