"""A batch of what a corpus holds, written in one transaction: all of it, or nothing."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import neo4j

from specter_graph.graph.deduplication.aside import set_aside
from specter_graph.graph.deduplication.into import merged_into
from specter_graph.graph.loading import supplement_writer as apart_batch
from specter_graph.graph.loading.record_precedence import length_of, rank
from specter_graph.graph.loading.record_rows import Entry, Prepared, combined
from specter_graph.graph.loading.record_writer import Written, write_papers
from specter_graph.graph.loading.transaction_queue import NotAloneError
from specter_graph.loaders.records import (
    Abstract,
    Citation,
    Field,
    Item,
    Labels,
    Paper,
    Reading,
)

MOST_PAPERS = 4_000
_MOST_LINKS = 40_000
_MOST_BYTES = 32 * 2**20

_WRITE: dict[type, Callable[[neo4j.ManagedTransaction, list[Any]], Written]] = {
    Citation: apart_batch.write_citations,
    Abstract: apart_batch.write_abstracts,
    Labels: apart_batch.write_labels,
    Field: apart_batch.write_vocabulary,
    Reading: apart_batch.write_readings,
}
"""In this order, after the papers."""


@dataclass(slots=True)
class Batch:
    """Items on their way to the graph; several records of a paper are combined.

    `duplicates` are the records that gave way, at least in part; `parts` are the keys of the files
    that end here, each with how many of its records were rejected.
    """

    papers: dict[str, Entry] = field(default_factory=dict)
    apart: dict[type, list[Any]] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    links: int = 0
    bytes: int = 0

    def add(self, item: Item) -> None:
        """Take an item in."""
        if not isinstance(item, Paper):
            self.apart.setdefault(type(item), []).append(item)
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
        """Whether a transaction should hold no more."""
        return (
            len(self.papers) >= MOST_PAPERS
            or self.links >= _MOST_LINKS
            or self.bytes >= _MOST_BYTES
        )

    def __bool__(self) -> bool:
        return bool(self.papers or self.apart or self.parts)


def write_batch(tx: neo4j.ManagedTransaction, batch: Batch, load: int) -> Written:
    """Write a batch, all that it may hold."""
    rest = set_aside(tx, batch.papers, batch.apart, load)
    done = _sum(Written(duplicates=batch.duplicates), rest.aside)
    if rest.papers:
        done = _sum(done, write_papers(tx, rest.papers, load))
    return _sum(done, _write_apart(tx, rest.apart))


def write_new_papers(
    tx: neo4j.ManagedTransaction, batch: Batch, papers: Prepared, load: int
) -> Written:
    """Write a batch that replaces nothing, while another such batch may be on its way.

    `papers` are those of the batch. Raises NotAloneError when it is not such a batch.
    """
    if batch.apart or merged_into(tx, batch.papers):
        raise NotAloneError
    written = write_papers(tx, papers, load, replace=False)
    return _sum(Written(duplicates=batch.duplicates), written)


def write_apart(tx: neo4j.ManagedTransaction, items: Iterable[Item]) -> None:
    """Write, within a transaction, what is told apart from the records of papers."""
    apart: dict[type, list[Item]] = defaultdict(list)
    for item in items:
        apart[type(item)].append(item)
    _write_apart(tx, apart)


def _write_apart(tx: neo4j.ManagedTransaction, apart: Mapping[type, list[Any]]) -> Written:
    done = Written()
    for kind, write in _WRITE.items():
        if kind in apart:
            done = _sum(done, write(tx, apart[kind]))
    return done


def _sum(one: Written, other: Written) -> Written:
    return Written(*(getattr(one, f.name) + getattr(other, f.name) for f in fields(Written)))
