"""The interface of a format: how the modules in `formats/` are named, detected and read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from specter_graph.loaders.corpus_files import DamagedFileError
from specter_graph.loaders.records import Item

_Record = TypeVar("_Record")

MAX_UNKNOWN_FIELDS = 100
"""Maximum number of unknown fields reported for a file."""

Count: TypeAlias = Callable[[int], None]
"""A function called with the size of each piece of a file, in bytes on disk, after it is read."""


class RecordError(ValueError):
    """A record that cannot be used: the message gives the reason, `id` its id if it has one."""

    def __init__(self, reason: str, paper_id: str | None = None) -> None:
        super().__init__(reason)
        self.id = paper_id


@dataclass(frozen=True, slots=True)
class RecordIssue:
    """A defect of a record; `repaired` if the record itself is loaded without the defect."""

    reason: str
    id: str | None = None
    record: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A key, a column or an element that the format's field map does not have."""

    key: str


class FieldCheck:
    """Reports the fields of a file that its format does not have, each once."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = set(known)
        self._max = len(self.known) + MAX_UNKNOWN_FIELDS

    def unknown(self, names: Iterable[str]) -> list[UnknownField]:
        """Return the names that are unknown and not yet reported."""
        new = sorted(set(names) - self.known)[: self._max - len(self.known)]
        self.known.update(new)
        return [UnknownField(name) for name in new]


def file_issue(error: DamagedFileError) -> RecordIssue:
    """Return the issue of a file that cannot be read to its end."""
    return RecordIssue(f"{error}; the rest of the file is not loaded")


ParseResult: TypeAlias = Item | RecordIssue | UnknownField
Results: TypeAlias = Iterator[tuple[int, ParseResult]]
"""The results of a file, each with its line, from 1."""


def convert_record(
    convert: Callable[[_Record], Iterable[ParseResult]], record: _Record, line: int, text: object
) -> Results:
    """Yield the results of a record with its line; its RecordError becomes a RecordIssue.

    `text` is the record in the file, which the RecordIssue has as a string.
    """
    try:
        for result in convert(record):
            yield line, result
    except RecordError as error:
        yield line, RecordIssue(str(error), error.id, str(text))


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Attributes:
        name: The name that users give it.
        title: A description of the format.
        read: Reads one file. It raises nothing: damage becomes a RecordIssue.
        detect: Gets the name of a file and the first bytes of its contents, decompressed and
            without a byte order mark (at most `corpus_files.HEAD_BYTES`). Returns a description of
            the contents ("PubMed XML, PubmedArticleSet"), or None for another format.
        read_shard: Reads every n-th record of a file from the k-th on, given k (from 0) and n; for
            formats that several processes can read at once.
    """

    name: str
    title: str
    read: Callable[[Path, Count], Results]
    detect: Callable[[str, bytes], str | None]
    read_shard: Callable[[Path, Count, int, int], Results] | None = None
