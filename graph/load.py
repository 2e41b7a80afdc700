"""Loads paper records into the graph: in batches, memory flat, in any order, any number of times.

A load describes papers. Afterwards the graph says of each of them what its record says, whatever
order the records came in and whatever the graph said of it before: a load that was killed is
mended by running it again, and a changed record replaces the old one with all its relationships.
When one load has several records of one paper, the longest counts (its canonical JSON text; of
equally long ones the one with the greater digest), wherever it stands.

A cited paper without a record is a Stub until its record comes. A paper's references to itself
are left out, and a reference that stands twice counts once. Where records give one author or one
field several names, the last in the order of the alphabet stays; so a name that only replaced
records gave may stay too.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import orjson
from neo4j.exceptions import DriverError, Neo4jError

from specter_graph.errors import ServerError
from specter_graph.graph.connection import Database
from specter_graph.graph.duplicates import duplicates
from specter_graph.graph.paper_batch import Entry, Written, write_batch
from specter_graph.graph.rejects import rejects_file
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import Paper, Reject, UnknownKey
from specter_graph.progress import Progress, silent

_BATCH_PAPERS = 4_000
_BATCH_REFERENCES = 40_000
_WAITING = 2
"""Batches with the one writer: while it writes one, the next is prepared. They are written in
order, so a better record of a paper comes after the one that it replaces."""


@dataclass(slots=True)
class LoadSummary:
    """What a load did.

    records = new + changed + unchanged + duplicates + rejected; `duplicates` gave way to another
    record of the same paper. `rejects` is the file that keeps the rejected, if there are any.
    """

    records: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0
    rejected: int = 0
    rejects: str | None = None
    self_citations: int = 0
    repeated_references: int = 0
    unknown_keys: list[str] = field(default_factory=list)
    seconds: float = 0.0


def load_papers(
    db: Database,
    items: Iterable[Paper | Reject | UnknownKey],
    *,
    rejects: Path | None = None,
    progress: Progress = silent,
) -> LoadSummary:
    """Write the records of a stream to the graph and say what became of them.

    `progress` hears of ("load", records read, None). Raises ServerError when the server goes away:
    the same load, run again, completes the graph.
    """
    started = time.monotonic()
    summary = LoadSummary()
    apply_schema(db)
    try:
        with ThreadPoolExecutor(1, "load") as writer:
            writing: deque[Future[Written]] = deque()
            for batch in _batches(_entries(items, summary, rejects), summary):
                if len(writing) == _WAITING:
                    _count(summary, writing.popleft().result())
                writing.append(writer.submit(write_batch, db, batch))
                progress("load", summary.records, None)
            for future in writing:
                _count(summary, future.result())
    except (DriverError, Neo4jError) as error:
        raise ServerError(
            f"the server failed after {summary.records:,} records: {error}",
            "run the same load again when it is back: it completes the graph",
        ) from error
    progress("load", summary.records, summary.records)
    summary.seconds = time.monotonic() - started
    return summary


def _entries(
    items: Iterable[Paper | Reject | UnknownKey], summary: LoadSummary, rejects: Path | None
) -> Iterator[Entry]:
    """The records that count so far, ready to be written; the rest is counted and kept."""
    with rejects_file(rejects) as keep, duplicates() as seen:
        for item in items:
            if isinstance(item, UnknownKey):
                if item.key not in summary.unknown_keys:  # another file may have had it
                    summary.unknown_keys.append(item.key)
                continue
            summary.records += 1
            if isinstance(item, Reject):
                summary.rejected += 1
                summary.rejects = str(rejects) if rejects else None
                keep(item)
                continue
            text = orjson.dumps(item)
            digest = blake2b(text, digest_size=8).digest()
            if not seen.admit(item.id, len(text).to_bytes(8, "big") + digest):
                summary.duplicates += 1
                continue
            yield Entry(item, _references(item, summary), int.from_bytes(digest, "big") >> 1)


def _references(paper: Paper, summary: LoadSummary) -> tuple[str, ...]:
    distinct = dict.fromkeys(paper.references)
    summary.repeated_references += len(paper.references) - len(distinct)
    if paper.id in distinct:
        summary.self_citations += 1
        del distinct[paper.id]
    return tuple(distinct)


def _batches(entries: Iterable[Entry], summary: LoadSummary) -> Iterator[list[Entry]]:
    """Batches of different papers, small enough for one transaction."""
    batch: dict[str, Entry] = {}
    references = 0
    for entry in entries:
        # Of two records of one paper the later counts more: it was let through.
        summary.duplicates += entry.paper.id in batch
        batch[entry.paper.id] = entry
        references += len(entry.references)
        if len(batch) >= _BATCH_PAPERS or references >= _BATCH_REFERENCES:
            yield list(batch.values())
            batch, references = {}, 0
    if batch:
        yield list(batch.values())


def _count(summary: LoadSummary, written: Written) -> None:
    summary.new += written.new
    summary.changed += written.changed
    summary.unchanged += written.unchanged
