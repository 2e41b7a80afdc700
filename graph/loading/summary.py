"""Count the records of a load, and store the rejected ones in a file."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol, TypeAlias

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders.records import EndOfFile, Filtered, Item, Read, Reject, UnknownKey


@dataclass(slots=True)
class LoadSummary:
    """What a load did.

    records = new + changed + unchanged + duplicates + filtered + rejected; `duplicates` gave way
    to another record of the same paper, `filtered` are what the filters left out. `repaired` are
    values that were wrong in records that were loaded without them. `rejects` is the file that
    keeps the rejected and the repaired, if there are any. `parts_done_before` are files that an
    earlier run of the same load had done; their records are not counted, and `rejected_before` is
    how many of them were rejected.
    """

    records: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0
    filtered: int = 0
    rejected: int = 0
    repaired: int = 0
    rejects: str | None = None
    unknown_keys: list[str] = field(default_factory=list)
    parts_done_before: int = 0
    rejected_before: int = 0
    seconds: float = 0.0

    def count(self, written: "Written") -> None:
        """Add the counts of a transaction."""
        self.new += written.new
        self.changed += written.changed
        self.unchanged += written.unchanged
        self.duplicates += written.duplicates


@dataclass(frozen=True, slots=True)
class Written:
    """Counts of items that a transaction has written; see `LoadSummary`."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0

    @classmethod
    def of_states(cls, states: Mapping[str, int]) -> "Written":
        """Count records by their states in `loading/papers`."""
        new, changed, same, better, worse = (
            states.get(state, 0) for state in ("new", "changed", "same", "better", "worse")
        )
        return cls(new, changed, same, better + worse)

    def __add__(self, other: "Written") -> "Written":
        return Written(
            self.new + other.new,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.duplicates + other.duplicates,
        )


Watch: TypeAlias = Callable[[LoadSummary], None]
"""Called with the current summary after each batch and at the end."""


def unwatched(summary: LoadSummary) -> None:
    """Ignore progress."""


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


class Counted(Protocol):
    """What any summary says of rejects; see `LoadSummary`."""

    records: int
    rejected: int
    repaired: int
    rejects: str | None


def put_aside(reject: Reject, summary: Counted, rejects: Rejects) -> None:
    """Keep a reject and count it: as a record, or as a repair of one that counts by itself."""
    rejects.keep(reject)
    summary.rejects = str(rejects.path) if rejects.path else None
    summary.repaired += reject.repaired
    summary.rejected += not reject.repaired
    summary.records += not reject.repaired


def wanted(
    read: Iterable[Read], summary: LoadSummary, rejects: Rejects
) -> Iterator[Item | EndOfFile]:
    """What is to be written; the rest is counted and kept."""
    for item in read:
        if isinstance(item, Reject):
            put_aside(item, summary, rejects)
        elif isinstance(item, UnknownKey):
            if item.key not in summary.unknown_keys:  # another file may have had it
                summary.unknown_keys.append(item.key)
        elif isinstance(item, Filtered):
            summary.records += 1
            summary.filtered += 1
        elif isinstance(item, EndOfFile):
            rejects.flush()
            yield item
        else:
            summary.records += 1
            yield item
