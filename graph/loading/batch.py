"""Read the items of a load in batches, each for one transaction."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from specter_graph.graph.loading.record_precedence import Entry, combined, length_of, rank
from specter_graph.graph.loading.summary import LoadSummary, Rejects, wanted
from specter_graph.loaders.records import EndOfFile, Item, Paper, Read

MOST_PAPERS = 4_000
_MOST_LINKS = 40_000
_MOST_BYTES = 32 * 2**20


@dataclass(slots=True)
class Batch:
    """The items of one transaction; several records of a paper are combined.

    `duplicates` are the records that were replaced, at least in part, by others of the same paper;
    `parts` are the keys of the files that end here, each with its number of rejected records.
    """

    papers: dict[str, Entry] = field(default_factory=dict)
    others: dict[type, list[Any]] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    links: int = 0
    bytes: int = 0

    def add(self, item: Item) -> None:
        """Add an item."""
        if not isinstance(item, Paper):
            self.others.setdefault(type(item), []).append(item)
            self.links += 1
            return
        entry = Entry.of(item, rank(item))
        known = self.papers.get(item.id)
        self.duplicates += known is not None
        self.papers[item.id] = combined(known, entry) if known else entry
        self.links += len(entry.references)
        self.bytes += length_of(entry.record)

    @property
    def full(self) -> bool:
        """Return whether the batch is as large as a transaction should be."""
        return (
            len(self.papers) >= MOST_PAPERS
            or self.links >= _MOST_LINKS
            or self.bytes >= _MOST_BYTES
        )

    def __bool__(self) -> bool:
        return bool(self.papers or self.others or self.parts)


def read_batches(items: Iterable[Read], summary: LoadSummary, rejects: Rejects) -> Iterator[Batch]:
    """Yield batches, while items that are not written are counted in the summary."""
    batch, rejected = Batch(), 0
    for item in wanted(items, summary, rejects):
        if isinstance(item, EndOfFile):
            batch.parts[item.key] = summary.rejected - rejected
            rejected = summary.rejected
        else:
            batch.add(item)
        if batch.full:
            yield batch
            batch = Batch()
    if batch:
        yield batch
