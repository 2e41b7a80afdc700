"""A corpus on disk: files of one format, read as one stream."""

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path

from specter_graph.errors import InputError
from specter_graph.loaders.files import check_files
from specter_graph.loaders.jsonl import read_jsonl
from specter_graph.loaders.records import Paper, Reject, UnknownKey

Read = Callable[[Path, Callable[[int], None]], Iterator[Paper | Reject | UnknownKey]]

FORMATS: dict[str, Read] = {"jsonl": read_jsonl}


class Corpus:
    """Iterate over it to get the records of all files, in order; each iteration reads anew."""

    def __init__(self, read: Read, paths: list[Path]) -> None:
        self.paths = paths
        self._read = read
        self._size = sum(path.stat().st_size for path in paths)
        self._done = 0

    def __iter__(self) -> Iterator[Paper | Reject | UnknownKey]:
        self._done = 0
        for path in self.paths:
            yield from self._read(path, self._count)

    def _count(self, size: int) -> None:
        self._done += size

    def expected(self, records: int) -> int | None:
        """How many records there may be in all, when `records` have been read; None: no idea."""
        return max(records, records * self._size // self._done) if self._done else None


def open_corpus(form: str, *paths: str | PathLike[str]) -> Corpus:
    """A corpus of files in one format, such as "jsonl"; .gz and .zst files are read as they are.

    Raises InputError, before anything is read, when the format is unknown or a file is missing.
    """
    if form not in FORMATS:
        raise InputError(f"there is no format {form!r}", f"known formats: {', '.join(FORMATS)}")
    files = [Path(path) for path in paths]
    if not files:
        raise InputError("no file is named", f"specter-graph load {form} PATH...")
    check_files(files)
    return Corpus(FORMATS[form], files)
