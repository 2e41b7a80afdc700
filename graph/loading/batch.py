"""Batches of the items of a load, one for each transaction."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from specter_graph.graph.loading.source_records import RankedRecord, combined, length_of, rank
from specter_graph.graph.loading.summary import LoadSummary, Rejects, split_rejects
from specter_graph.loaders.records import CorpusItem, EndOfFile, Item, Paper

MAX_PAPERS = 4_000
_MAX_LINKS = 40_000
_MAX_BYTES = 32 * 2**20


@dataclass(slots=True)
class Batch:
    """The items of one transaction; several records of a paper are combined.

    Attributes:
        papers: Records by paper.
        others: Other items by type.
        parts: Keys of the files that end in this batch, with their numbers of rejected records.
        duplicates: Number of records that were combined with another record of the same paper.
        links: Number of references and of other items.
        bytes: Size of the records in bytes.
    """

    papers: dict[str, RankedRecord] = field(default_factory=dict)
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
        entry = RankedRecord.of(item, rank(item))
        known = self.papers.get(item.id)
        self.duplicates += known is not None
        self.papers[item.id] = combined(known, entry) if known else entry
        self.links += len(entry.references)
        self.bytes += length_of(entry.record)

    @property
    def is_full(self) -> bool:
        """True if the batch has the maximum size of a transaction."""
        return (
            len(self.papers) >= MAX_PAPERS or self.links >= _MAX_LINKS or self.bytes >= _MAX_BYTES
        )

    def __bool__(self) -> bool:
        return bool(self.papers or self.others or self.parts)


def read_batches(
    items: Iterable[CorpusItem], summary: LoadSummary, rejects: Rejects
) -> Iterator[Batch]:
    """Yield the items to be written in batches.

    Args:
        items: The items of a corpus.
        summary: Counts the items that are not written: filtered and rejected records.
        rejects: File for rejected records.
    """
    batch, rejected = Batch(), 0
    for item in split_rejects(items, summary, rejects):
        if isinstance(item, EndOfFile):
            batch.parts[item.key] = summary.rejected - rejected
            rejected = summary.rejected
        else:
            batch.add(item)
        if batch.is_full:
            yield batch
            batch = Batch()
    if batch:
        yield batch
