"""Brings the graph to a newer snapshot of a corpus.

Loading does most of it: new records are written, changed ones replace the old ones, and papers that
the snapshot says are retracted are marked so. What a load cannot see is what the snapshot no longer
has.

**What belongs to a corpus.** A corpus is what was loaded together: every paper carries the load
that wrote it last, and a snapshot belongs to the loads that wrote the papers that it comes upon.
What else these loads wrote, and the snapshot does not have, has vanished. So two corpora of one
format stay apart if they were loaded by two commands and have no ids in common. A paper that the
filters of the update leave out is in the snapshot all the same: it stays as it is.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.loading.checkpoints import begin_load, load_number
from specter_graph.graph.loading.loader import Resumable, load_papers
from specter_graph.graph.loading.summary import LoadSummary, Watch, unwatched
from specter_graph.graph.maintenance.delete import Deleted, delete_members
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import Filtered, Paper, Read

_ITEMS = 1_000


@dataclass(slots=True)
class UpdateSummary:
    """What an update did.

    `retracted` are the ids of papers that were not marked so before; `vanished` is how many papers
    the snapshot no longer has, and `file` lists them, one JSON object a line, if there are any.
    """

    load: LoadSummary
    retracted: list[str] = field(default_factory=list)
    vanished: int = 0
    file: str | None = None

    @property
    def doubt(self) -> str | None:
        """Why it is not certain that the vanished papers are not in the snapshot; None if it is."""
        rejected = self.load.rejected + self.load.rejected_before
        return f"{rejected:,} records of the snapshot could not be read" if rejected else None


def update(
    db: Database,
    snapshot: Resumable,
    vanished: Path,
    *,
    rejects: Path | None = None,
    watch: Watch = unwatched,
) -> UpdateSummary:
    """Load a snapshot and list in the file `vanished` what it no longer has; nothing is deleted.

    Raises ServerError when the server goes away: the same update, run again, completes it.
    """
    apply_schema(db)
    watched = _Snapshot(db, snapshot)
    load = load_papers(db, watched, rejects=rejects, watch=watch)
    summary = UpdateSummary(load, watched.retracted)
    rows = _vanished(db, watched.loads - {watched.run.number})
    first = next(rows, None)
    if first is not None:
        summary.file = str(vanished)
        with complete_file(vanished) as unfinished, unfinished.open("wb") as file:
            file.write(first)
            summary.vanished = 1 + sum(bool(file.write(row)) for row in rows)
    return summary


def delete_vanished(db: Database, summary: UpdateSummary, progress: Progress = silent) -> Deleted:
    """Delete the papers that an update has listed.

    Of a merged paper only the part that vanished goes. Raises GraphError, and deletes nothing,
    when it is not certain that they are not in the snapshot.
    """
    if summary.file is None:
        return Deleted()
    if summary.doubt:
        raise GraphError(
            f"nothing was deleted: {summary.doubt}, and may be among the {summary.vanished:,}"
            " papers that seem to have vanished",
            "mend the snapshot and run the update again",
        )
    with Path(summary.file).open("rb") as file:
        return delete_members(db, (orjson.loads(line)["id"] for line in file), progress)


class _Snapshot:
    """A corpus that looks, before a record is written, at what the graph says of the paper.

    `loads` are those that wrote the papers, and those whose papers an earlier update came upon
    that wrote them; they are noted in the graph before these are overwritten, so that a killed
    update does not forget them.
    """

    def __init__(self, db: Database, corpus: Resumable) -> None:
        self.run = begin_load(db, load_number(corpus.key), changes=corpus.changes)
        self.retracted: list[str] = []
        self._db = db
        self.loads = {*self.run.earlier, *self._replaced([self.run.load])}
        self._corpus = corpus

    @property
    def key(self) -> str:
        """That of the corpus."""
        return self._corpus.key

    @property
    def changes(self) -> bool:
        """Whether the corpus does."""
        return self._corpus.changes

    def read(self, passed_over: Collection[str]) -> Iterator[Read]:
        """What the corpus holds."""
        for items in batches(self._corpus.read(passed_over), _ITEMS):
            self._look(items)
            yield from items

    def _look(self, items: list[Read]) -> None:
        papers = [item for item in items if isinstance(item, Paper)]
        left_out = sorted({item.id for item in items if isinstance(item, Filtered)})
        ids = list({*left_out, *(paper.id for paper in papers)})
        [row] = self._db.read(statement("maintenance/loads_of").text, ids=ids)
        if new := {*row["loads"]} - self.loads:
            self.loads |= new | self._replaced(new)
            self._db.write(
                statement("maintenance/note_replaced").text,
                load=self.run.load,
                loads=sorted(self.loads),
            )
        if left_out:
            load = self.run.number
            self._db.write(statement("maintenance/left_out").text, ids=left_out, load=load)
        retracted = {paper.id for paper in papers if paper.retracted}
        self.retracted += sorted(retracted.difference(row["retracted"]))

    def _replaced(self, loads: Iterable[int]) -> set[int]:
        rows = self._db.read(statement("maintenance/replaces").text, loads=sorted(loads))
        return {load for row in rows for load in row["loads"]}


def _vanished(db: Database, loads: Collection[int]) -> Iterator[bytes]:
    for row in db.stream(statement("maintenance/vanished").text, loads=sorted(loads)):
        yield orjson.dumps(row.data(), option=orjson.OPT_APPEND_NEWLINE)
