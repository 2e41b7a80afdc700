"""Count the records of a load, and store the rejected ones in a file."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from types import NoneType
from typing import BinaryIO, Protocol, Self, TypeAlias, cast

import orjson

from specter_graph.core.errors import InputError, text_list
from specter_graph.loaders.records import (
    Author,
    Citation,
    CorpusItem,
    EndOfFile,
    Field,
    Filtered,
    Identifier,
    Item,
    Paper,
    Reject,
    UnknownKey,
    Venue,
)


@dataclass(slots=True)
class LoadSummary:
    """The counts of a load: records = new + changed + unchanged + duplicates + filtered + rejected.

    Attributes:
        records: Records that were read.
        new: Records of papers that had no record before.
        changed: Records that replaced another one.
        unchanged: Records that the graph already had.
        duplicates: Records that another record of the same paper in this load replaced.
        filtered: Records that the filters excluded.
        rejected: Invalid records.
        first_reject: The reason for the first invalid record.
        repaired: Invalid values; their records were loaded without them.
        rejects: The file of rejected records and invalid values, if there are any.
        unknown_keys: Names of fields that the format does not define.
        parts_done_before: Files that an interrupted run of this load completed; their records are
            not counted.
        rejected_before: Rejected records of these files.
        seconds: Duration.
    """

    records: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0
    filtered: int = 0
    rejected: int = 0
    first_reject: str | None = None
    repaired: int = 0
    rejects: str | None = None
    unknown_keys: list[str] = field(default_factory=list)
    parts_done_before: int = 0
    rejected_before: int = 0
    seconds: float = 0.0

    def count(self, written: "WriteCounts") -> None:
        """Add the counts of a transaction."""
        for name, number in written.items():
            setattr(self, name, getattr(self, name) + number)


WriteCounts: TypeAlias = Counter[str]
"""The new, changed and unchanged items and the duplicates of a transaction; see `LoadSummary`."""

COUNTED_AS = {"new": "new", "changed": "changed", "same": "unchanged"}
COUNTED_AS |= {"better": "duplicates", "worse": "duplicates"}
"""The counts of records by their states in `loading/papers`."""

OnBatch: TypeAlias = Callable[[LoadSummary], None]
"""Called with the current summary after each batch and at the end."""


def ignore_batch(summary: LoadSummary) -> None:
    """Ignore progress."""


class Rejects:
    """A file of rejects, created by the first one; with path None nothing is written."""

    def __init__(self, path: Path | str | None, *, append: bool = False) -> None:
        """Use a file; `append` keeps the rejects of an earlier run, and adds none of them again."""
        self.path = Path(path) if path else None
        self._mode = "ab" if append else "wb"
        self._file: BinaryIO | None = None
        self._known: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def add(self, reject: Reject) -> None:
        """Add a reject; raises InputError if the file cannot be written."""
        with self._file_errors():
            if file := self._open():
                line = orjson.dumps(reject, option=orjson.OPT_APPEND_NEWLINE)
                if hash(line) not in self._known:
                    file.write(line)

    def add_file(self, other: Path) -> None:
        """Add the rejects in another file; raises InputError if this file cannot be written."""
        with self._file_errors(), other.open("rb") as rejects:
            if file := self._open():
                shutil.copyfileobj(rejects, file)

    def flush(self) -> None:
        """Write buffered rejects, so that none is lost if the process is killed."""
        with self._file_errors():
            if self._file:
                self._file.flush()

    def _open(self) -> BinaryIO | None:
        if self.path and not self._file:
            if self._mode == "ab":
                self._read_known(self.path)
            self._file = cast("BinaryIO", self.path.open(self._mode))
        return self._file

    def _read_known(self, path: Path) -> None:
        """Read the rejects of an earlier run, and remove a line that it began when it was killed.

        A file that it did not complete is read again, with the same rejects.
        """
        if not path.is_file():
            return
        size = 0
        with path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    self._known.add(hash(line))
                    size += len(line)
        os.truncate(path, size)

    @contextmanager
    def _file_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"the rejects cannot be written to {self.path}: {error.strerror}",
                "name another file of rejects",
            ) from error


class RejectCounts(Protocol):
    """The counts of rejects in any summary; see `LoadSummary`."""

    records: int
    rejected: int
    repaired: int
    rejects: str | None


def record_reject(reject: Reject, summary: RejectCounts, rejects: Rejects) -> None:
    """Write a reject and count it: as a record, or as an invalid value of a loaded record."""
    rejects.add(reject)
    summary.rejects = str(rejects.path) if rejects.path else None
    summary.repaired += reject.repaired
    summary.rejected += not reject.repaired
    summary.records += not reject.repaired


def split_rejects(
    read: Iterable[CorpusItem], summary: LoadSummary, rejects: Rejects
) -> Iterator[Item | EndOfFile]:
    """Yield the items to be loaded, and count all others."""
    if isinstance(read, Item):
        raise InputError(f"the corpus is one {type(read).__name__}", "give a list of records")
    for item in read:
        if isinstance(item, Reject):
            record_reject(item, summary, rejects)
            if not item.repaired:
                summary.first_reject = summary.first_reject or item.reason
        elif isinstance(item, UnknownKey):
            if item.key not in summary.unknown_keys:  # another file may have it, too
                summary.unknown_keys.append(item.key)
        elif isinstance(item, Filtered):
            summary.records += 1
            summary.filtered += 1
        elif isinstance(item, EndOfFile):
            rejects.flush()
            yield item
        elif not isinstance(item, Item):
            raise InputError(
                f"the corpus has a {type(item).__name__}: {str(item)[:80]!r}",
                'load open_corpus("auto", FILE), a list of dicts with the keys of the format jsonl,'
                " or records of specter_graph.loaders.records",
            )
        else:
            if isinstance(item, Paper):
                _require_parts(item)
            summary.records += 1
            yield item


_TEXTS = ("id", "title", "abstract", "published", "language", "url", "body")
_TYPES = (
    *((part, (str, NoneType), "a text") for part in _TEXTS),
    ("year", (int, NoneType, Integral), "an integer"),
    ("retracted", (bool, NoneType), "True, False"),
)
"""The types of the simple parts of a paper, and their names in messages."""


def _require_parts(paper: Paper) -> None:
    """Raise InputError for a paper that lacks a part, or has a part of another type."""
    if not (paper.id and paper.title):
        name, part = (paper.id, "title") if paper.id else (paper.title, "id")
        raise InputError(f"the paper {name!r:.80} has no {part}", f"give every paper a {part}")
    for part, types, name in _TYPES:
        if not isinstance(value := getattr(paper, part), types):
            raise InputError(
                f"the {part} of the paper {paper.id!r} is {value!r:.80}", f"give {name} or None"
            )
    text_list("references", paper.references)
    venue = () if paper.venue is None else (paper.venue,)
    for records, kind in (
        (paper.authors, Author),
        (venue, Venue),
        (paper.fields, Field),
        (paper.citations, Citation),
        (paper.identifiers, Identifier),
    ):
        for record in records:
            if not isinstance(record, kind):
                name = kind.__name__
                raise InputError(
                    f"the paper {paper.id!r} has {record!r} instead of an object {name}",
                    f"from specter_graph.loaders.records import {name}; help({name})",
                )
