"""What a load tells of itself, and what of a stream is counted and kept aside on the way."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from specter_graph.graph.loading.rejects import Rejects
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


Watch: TypeAlias = Callable[[LoadSummary], None]
"""Is shown the summary, as it stands, after each batch and at the end."""


def unwatched(summary: LoadSummary) -> None:
    """Nobody looks."""


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
