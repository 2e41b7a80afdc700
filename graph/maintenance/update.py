"""Update of the graph to a newer snapshot of a corpus.

The update loads the snapshot: new records are added, changed records replace the old ones, and
retracted papers are marked. Then it lists the papers that the snapshot no longer contains.

Every paper stores the load that last wrote it. A snapshot belongs to the loads that wrote its
papers; all other papers of these loads have vanished. So two corpora of one format are independent
if they were loaded by two commands and have no ids in common. Papers that the filters of the update
exclude are part of the snapshot and do not change.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.errors import GraphError, counted
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import (
    CheckpointedSource,
    begin_load,
    load_number,
    load_papers,
)
from specter_graph.graph.loading.summary import LoadSummary, OnBatch, ignore_batch
from specter_graph.graph.maintenance.delete import DeleteCounts, delete_members
from specter_graph.loaders.records import CorpusItem, Filtered, Paper

_ITEMS = 1_000


@dataclass(slots=True)
class UpdateSummary:
    """The result of an update.

    Attributes:
        load: Counts of the load.
        retracted: Ids of the papers that are newly marked as retracted.
        vanished: Number of papers that the snapshot no longer contains.
        file: The file that lists them as JSON Lines; None if there are none.
    """

    load: LoadSummary
    retracted: list[str] = field(default_factory=list)
    vanished: int = 0
    file: str | None = None

    @property
    def incomplete_reason(self) -> str | None:
        """The reason why vanished papers may still be in the snapshot; None if they are not."""
        rejected = self.load.rejected + self.load.rejected_before
        return (
            f"{counted(rejected, 'record')} of the snapshot could not be read" if rejected else None
        )


def update(
    db: Database,
    snapshot: CheckpointedSource,
    vanished: Path | str,
    *,
    rejects: Path | str | None = None,
    on_batch: OnBatch = ignore_batch,
) -> UpdateSummary:
    """Load a snapshot and list the papers that it no longer contains; nothing is deleted.

    Args:
        db: The graph.
        snapshot: The corpus, such as `open_corpus` returns it.
        vanished: File for the vanished papers, as JSON Lines.
        rejects: File for rejected records.
        on_batch: Called with the current summary of the load.

    Raises:
        ServerError: The server stops; the same update, run again, completes it.
    """
    watched = _Snapshot(db, snapshot)
    load = load_papers(db, watched, rejects=rejects, on_batch=on_batch)
    summary = UpdateSummary(load, watched.retracted)
    rows = _read_vanished(db, watched.loads - {watched.run.number})
    first = next(rows, None)
    if first is not None:
        summary.file = str(vanished)
        with complete_file(vanished) as unfinished, unfinished.open("wb") as file:
            file.write(first)
            summary.vanished = 1 + sum(bool(file.write(row)) for row in rows)
    return summary


def delete_vanished(
    db: Database, summary: UpdateSummary, *, progress: Progress = silent
) -> DeleteCounts:
    """Delete the papers that an update has listed; other records of merged papers remain.

    Args:
        db: The graph.
        summary: The result of the update.
        progress: Called with the number of deleted papers.

    Raises:
        GraphError: The listed papers may still be in the snapshot; nothing is deleted.
    """
    if summary.file is None:
        return DeleteCounts()
    if summary.incomplete_reason:
        raise GraphError(
            f"nothing was deleted: {summary.incomplete_reason}, and may be among the"
            f" {counted(summary.vanished, 'paper that seems', 'papers that seem')} to have"
            " vanished",
            "correct the snapshot and run the update again",
        )
    with Path(summary.file).open("rb") as file:
        return delete_members(db, (orjson.loads(line)["id"] for line in file), progress)


class _Snapshot:
    """A corpus that reads the state of each paper in the graph before its record is written.

    `loads` are the loads that wrote the papers of the snapshot, and the loads that these replaced.
    They are stored in the graph before the papers are overwritten, for a resumed update.
    """

    def __init__(self, db: Database, corpus: CheckpointedSource) -> None:
        self.key, self.is_mutable = corpus.key, corpus.is_mutable
        self.run = begin_load(db, load_number(self.key), is_mutable=self.is_mutable)
        self.retracted: list[str] = []
        self._db = db
        self.loads = {*self.run.earlier, *self._read_replaced([self.run.load])}
        self._corpus = corpus

    def read(self, skipped: Collection[str]) -> Iterator[CorpusItem]:
        """Yield the items of the corpus."""
        for items in batches(self._corpus.read(skipped), _ITEMS):
            self._inspect(items)
            yield from items

    def _inspect(self, items: list[CorpusItem]) -> None:
        papers = [item for item in items if isinstance(item, Paper)]
        excluded = sorted({item.id for item in items if isinstance(item, Filtered)})
        ids = list({*excluded, *(paper.id for paper in papers)})
        [row] = self._db.read("maintenance/loads_of", ids=ids)
        if new := {*row["loads"]} - self.loads:
            self.loads |= new | self._read_replaced(new)
            self._db.write(
                "maintenance/note_replaced", load=self.run.load, loads=sorted(self.loads)
            )
        if excluded:
            load = self.run.number
            self._db.write("maintenance/keep_excluded", ids=excluded, load=load)
        retracted = {paper.id for paper in papers if paper.retracted}
        self.retracted += sorted(retracted.difference(row["retracted"]))

    def _read_replaced(self, loads: Iterable[int]) -> set[int]:
        rows = self._db.read("maintenance/replaces", loads=sorted(loads))
        return {load for row in rows for load in row["loads"]}


def _read_vanished(db: Database, loads: Collection[int]) -> Iterator[bytes]:
    for row in db.stream("maintenance/vanished", loads=sorted(loads)):
        yield orjson.dumps(row.data(), option=orjson.OPT_APPEND_NEWLINE)
