"""Loads what corpora hold into the graph: in batches, memory flat, in any order, again and again.

A load describes papers. Afterwards the graph says of each of them what its record says, whatever
order the records came in and whatever the graph said of it before: a load that was killed is
mended by running it again, and a changed record replaces the old one with all its relationships.
When one load has several records of one paper, the one of greatest rank counts (see `rank`),
wherever it stands; a part that it leaves elsewhere comes from the best record that has the part.

What is told apart from records (citations, abstracts, labels, readings) is added to what is there.
A paper that is named and has no record is a Stub until its record comes. A paper's references to
itself are left out, and a reference that stands twice counts once. Where records give one author or
one field several names, the last in the order of the alphabet stays; so a name that only replaced
records gave may stay too.

The files that a load has done are noted in the graph: run again after a kill, it reads the rest.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable
from uuid import uuid4

from neo4j.exceptions import DriverError, Neo4jError

from specter_graph.core.errors import ServerError
from specter_graph.graph.database import Database
from specter_graph.graph.loading.batch import Batch, write_batch, write_new_papers
from specter_graph.graph.loading.checkpoints import (
    LoadRun,
    begin_load,
    end_load,
    load_number,
    part_done,
)
from specter_graph.graph.loading.record_rows import Prepared
from specter_graph.graph.loading.record_writer import Written
from specter_graph.graph.loading.rejects import rejects_file
from specter_graph.graph.loading.summary import LoadSummary, Watch, unwatched, wanted
from specter_graph.graph.loading.transaction_queue import NotAloneError, Turns
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import EndOfFile, Item, Read

_WRITERS = 2
_WAITING = 3
"""Batches with the writers: while these write, the next is prepared."""


@runtime_checkable
class Resumable(Protocol):
    """A stream that can leave out the files that are done, such as `loaders.Corpus`."""

    @property
    def key(self) -> str:
        """Tells this corpus, as it is now, from any other."""

    @property
    def changes(self) -> bool:
        """Whether it may hold something else another time, under the same key."""

    def read(self, passed_over: Collection[str]) -> Iterator[Read]:
        """What the files hold whose keys are not among those passed over."""


def load_papers(
    db: Database,
    items: Iterable[Read] | Resumable,
    *,
    rejects: Path | None = None,
    watch: Watch = unwatched,
) -> LoadSummary:
    """Write the records of a stream to the graph and say what became of them.

    Raises ServerError when the server goes away: the same load, run again, completes the graph.
    """
    started = time.monotonic()
    summary = LoadSummary()
    apply_schema(db)
    try:
        if isinstance(items, Resumable):
            run = begin_load(db, load_number(items.key), changes=items.changes)
            summary.parts_done_before, summary.rejected_before = len(run.done), run.rejected
            if run.rejected and rejects and rejects.exists():
                summary.rejects = str(rejects)
            _write(db, items.read(run.done), run, summary, rejects, watch)
            end_load(db, run.load)
        else:
            number = load_number(uuid4().hex)
            _write(db, items, LoadRun(number, number), summary, rejects, watch)
    except (DriverError, Neo4jError) as error:
        raise ServerError(
            f"the server failed after {summary.records:,} records: {error}",
            "run the same load again when it is back: it completes the graph",
        ) from error
    summary.seconds = time.monotonic() - started
    watch(summary)
    return summary


def _write(
    db: Database,
    items: Iterable[Read],
    run: LoadRun,
    summary: LoadSummary,
    rejects: Path | None,
    watch: Watch,
) -> None:
    """Read in this thread and write in others."""
    turns = Turns()
    replacing = False

    def write(batch: Batch) -> Written:
        nonlocal replacing
        # Most loads only add. One that meets something to replace goes on without overlapping.
        if not replacing:
            papers = Prepared(batch.papers.values())
            if not summary.unchanged:
                papers.make()
            work = partial(write_new_papers, batch=batch, papers=papers, load=run.number)
            with suppress(NotAloneError):
                return turns.overlapping(db, work)
            replacing = True
        return turns.alone(db, partial(write_batch, batch=batch, load=run.number))

    def written(batch: Batch, writing: Future[Written]) -> None:
        """Batches come here in order: when one is written that ends a file, the file is done."""
        try:
            _count(summary, writing.result())
        except (DriverError, Neo4jError):
            writers.shutdown(wait=False, cancel_futures=True)
            waiting.clear()
            raise
        for key, rejected in batch.parts.items():
            part_done(db, run.load, key, rejected)

    waiting: deque[tuple[Batch, Future[Written]]] = deque()
    # A load that goes on keeps what its earlier run has put aside.
    with (
        rejects_file(rejects, append=summary.parts_done_before > 0) as kept,
        ThreadPoolExecutor(_WRITERS, "load") as writers,
    ):
        try:
            for batch in _batches(wanted(items, summary, kept), summary):
                if len(waiting) == _WAITING:
                    written(*waiting.popleft())
                waiting.append((batch, writers.submit(write, batch)))
                watch(summary)
        finally:  # whatever ends the reading, what was read is written
            while waiting:
                written(*waiting.popleft())


def _batches(items: Iterable[Item | EndOfFile], summary: LoadSummary) -> Iterator[Batch]:
    """Batches small enough for one transaction."""
    batch, rejected = Batch(), 0
    for item in items:
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


def _count(summary: LoadSummary, written: Written) -> None:
    summary.new += written.new
    summary.changed += written.changed
    summary.unchanged += written.unchanged
    summary.duplicates += written.duplicates
