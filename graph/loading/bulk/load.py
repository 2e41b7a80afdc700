"""The order of a bulk load, and what makes it safe to kill at any moment.

Everything is made beside the data of the instance and takes their place in one step when it is
whole. The folder `bulk` in the home of the instance keeps, from one run to the next, the parts of
the corpus that have been read; what comes after reading is done anew. A mark within the new data
says that the server has still to make the schema; the same load, run again, does it.
"""

import json
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from uuid import uuid4

from specter_graph.core.errors import InputError, ServerError, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.checks import is_empty
from specter_graph.graph.database import Database, connect
from specter_graph.graph.loading.bulk.files import write_files
from specter_graph.graph.loading.bulk.importer import import_files, stop_leftovers, worker_mark
from specter_graph.graph.loading.bulk.parse import (
    REJECTS,
    SUMMARY,
    Parted,
    Shard,
    Task,
    write_tables,
)
from specter_graph.graph.loading.bulk.resolve import count_items, resolved
from specter_graph.graph.loading.bulk.workers import processes, read_tasks
from specter_graph.graph.loading.checkpoints import load_number
from specter_graph.graph.loading.loader import Resumable
from specter_graph.graph.loading.summary import LoadSummary, Watch, rejects_file, unwatched
from specter_graph.graph.schema import apply_schema, program_version
from specter_graph.graph.server import Endpoint, Instance
from specter_graph.graph.server.exclusive_access import SoleUse
from specter_graph.loaders.records import Read

with extra("bulk"):
    import duckdb

_TOLD = ("records", "filtered", "rejected", "repaired")


@dataclass(frozen=True, slots=True)
class _Load:
    """What is loaded: `number` is that of its Load node, None for a stream that cannot go on."""

    items: Iterable[Read] | Resumable
    key: str
    number: int
    noted: bool
    drop_dangling: bool

    @property
    def identity(self) -> str:
        """What a folder of read parts, or a mark, must carry to be of this load."""
        return f"{program_version()} {self.key} {self.drop_dangling}"


def bulk_load(
    instance: Instance,
    items: Iterable[Read] | Resumable,
    *,
    rejects: Path | None = None,
    drop_dangling: bool = False,
    watch: Watch = unwatched,
    progress: Progress = silent,
) -> LoadSummary:
    """Load what a corpus holds into an empty instance; afterwards its server runs.

    Raises InputError when its graph is not empty, ServerError when commands are at work on it or
    when Neo4j fails. The same load, run again after a kill, completes it.
    """
    started = time.monotonic()
    noted = isinstance(items, Resumable)
    key = items.key if isinstance(items, Resumable) else uuid4().hex
    load = _Load(items, key, load_number(key), noted, drop_dangling)
    with instance.sole_use(progress) as sole:
        stop_leftovers(sole.home)
        summary = _imported(sole, load)
        if summary is None:
            _require_empty(instance, sole)
            with _file_errors():
                summary = _import(sole, load, rejects, watch, progress)
        with _opened(sole.up()) as db:
            progress("schema", 0, 1)
            apply_schema(db)
            progress("schema", 1, 1)
        shutil.rmtree(_work(sole.home), ignore_errors=True)
        _mark(sole.home).unlink()
    summary.seconds = time.monotonic() - started
    watch(summary)
    return summary


def _import(
    sole: SoleUse, load: _Load, rejects: Path | None, watch: Watch, progress: Progress
) -> LoadSummary:
    """Everything up to the moment when the new data are in place."""
    began = datetime.now(UTC)
    work = _prepare_work(sole.home, load)
    summary = LoadSummary()
    tasks = _read(load.items, work / "parts", summary, watch, worker_mark(sole.home))
    _keep_rejects(tasks, rejects, summary)
    files = work / "files"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    progress("resolve", 0, 2)
    with resolved(
        [task.folder for task in tasks],
        work,
        load=load.number,
        times=(began, datetime.now(UTC)) if load.noted else None,
        drop_dangling=load.drop_dangling,
    ) as tables:
        count_items(tables, summary)
        progress("resolve", 1, 2)
        written, separator = write_files(tables, files)
    progress("resolve", 2, 2)
    beside = sole.prepare_beside()
    import_files(sole, beside, written, separator, progress)
    mark = {"identity": load.identity, "summary": asdict(summary)}
    _mark(beside).write_text(json.dumps(mark))
    sole.swap()
    sole.confirm()
    return summary


def _read(
    items: Iterable[Read] | Resumable,
    folder: Path,
    summary: LoadSummary,
    watch: Watch,
    mark: str,
) -> list[Task]:
    """Read all that has not been read by an earlier run."""
    shards = items.shards(processes()) if isinstance(items, Parted) else [None]
    shards = sorted(shards, key=lambda shard: shard.key if shard else "")
    tasks = numbered(shards, folder)
    sums, sizes = _Sums(summary, watch), dict.fromkeys(range(len(tasks)), 0)

    def tell(task: Task, told: LoadSummary, size: int) -> None:
        if isinstance(items, Parted):
            items.count(size - sizes[task.number])
        sizes[task.number] = size
        sums.tell(task.number, told)

    for task in tasks:
        if told := task.done:
            summary.parts_done_before += 1
            tell(task, told, task.shard.size if task.shard else 0)
    left = [task for task in tasks if not task.done]
    if isinstance(items, Parted):
        read_tasks(items, left, tell, mark)
    elif left:
        stream = items.read(()) if isinstance(items, Resumable) else items
        write_tables(stream, tasks[0], lambda told: tell(tasks[0], told, 0))
    return tasks


def numbered(shards: Sequence[Shard | None], folder: Path) -> list[Task]:
    """The tasks of a load; one that is done keeps its number, though other shards come or go."""
    names = [path.name.split("-", 1) for path in folder.glob("*-*") if (path / SUMMARY).exists()]
    done = {key: int(number) for number, key in names}
    taken = {*done.values()}
    free = (number for number in count() if number not in taken)
    tasks = []
    for shard in shards:
        key = shard.key if shard else "all"
        number = done[key] if key in done else next(free)
        tasks.append(Task(shard, number, folder / f"{number}-{key}"))
    return tasks


class _Sums:
    """The summaries of tasks, all together."""

    def __init__(self, summary: LoadSummary, watch: Watch) -> None:
        self._summary = summary
        self._watch = watch
        self._told: dict[int, LoadSummary] = {}

    def tell(self, number: int, told: LoadSummary) -> None:
        """Take in how far a task is."""
        before, whole = self._told.get(number, LoadSummary()), self._summary
        for name in _TOLD:
            more = getattr(told, name) - getattr(before, name)
            setattr(whole, name, getattr(whole, name) + more)
        whole.unknown_keys = list(dict.fromkeys(whole.unknown_keys + told.unknown_keys))
        self._told[number] = told
        self._watch(whole)


def _keep_rejects(tasks: Iterable[Task], path: Path | None, summary: LoadSummary) -> None:
    """Bring what the tasks have put aside into one file."""
    kept = [task.folder / REJECTS for task in tasks if (task.folder / REJECTS).exists()]
    if not kept or path is None:
        return
    with rejects_file(path) as rejects:
        for part in kept:
            rejects.keep_all(part)
    summary.rejects = str(path)


def _require_empty(instance: Instance, sole: SoleUse) -> None:
    """Raise InputError unless nothing is lost when the data of the instance go."""
    if not (sole.home / "data" / "databases").exists():
        return
    with _opened(sole.up()) as db:
        empty = is_empty(db)
    sole.down()
    if not empty:
        raise InputError(
            f"the graph of the instance {instance.name!r} is not empty: --bulk makes a new one",
            "use another one (--instance NAME), `specter-graph clear` it, or load without --bulk",
        )


def _prepare_work(home: Path, load: _Load) -> Path:
    """The folder of this load; that of another load goes."""
    work = _work(home)
    about = work / "load"
    if not about.exists() or about.read_text() != load.identity:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        about.write_text(load.identity)
    return work


def _imported(sole: SoleUse, load: _Load) -> LoadSummary | None:
    """What this load did if its data are in place already, and only the schema may be missing.

    A mark is worth nothing when the graph was cleared after the kill.
    """
    try:
        mark = json.loads(_mark(sole.home).read_text())
    except FileNotFoundError:
        return None
    if mark["identity"] == load.identity:
        with _opened(sole.up()) as db:
            if db.value(statement("loading/is_known").text, load=load.number):
                return LoadSummary(**mark["summary"])
        sole.down()
        _mark(sole.home).unlink()
    return None


@contextmanager
def _opened(endpoint: Endpoint) -> Iterator[Database]:
    with connect(endpoint.uri, endpoint.username, endpoint.password) as db:
        yield db


@contextmanager
def _file_errors() -> Iterator[None]:
    try:
        yield
    except (OSError, duckdb.Error) as error:
        raise ServerError(
            f"the files of the bulk load cannot be written: {error}",
            "is the disk full? The same load, run again, goes on from the files that it has read",
        ) from error


def _work(home: Path) -> Path:
    return home / "bulk"


def _mark(home: Path) -> Path:
    return home / "data" / "bulk.json"
