"""The steps of a bulk load, which can be interrupted at any time.

All data are created next to the data of the instance and replace them in one step. The folder
`bulk` in the home of the instance stores the shards that have been read; the steps after reading
are repeated by the next run.
"""

import shutil
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from uuid import uuid4

from specter_graph.core.errors import InputError, ServerError, extra
from specter_graph.core.parts import Workers
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.contents import is_empty
from specter_graph.graph.database import connect
from specter_graph.graph.loading.bulk.importer import (
    count_items,
    import_files,
    kill_stale_workers,
    resolved,
    worker_mark,
    write_files,
)
from specter_graph.graph.loading.bulk.parse import (
    REJECTS,
    CorpusShard,
    ShardedCorpus,
    Task,
    is_read,
    read_tasks,
    read_tasks_by,
    reader_count,
    write_tables,
)
from specter_graph.graph.loading.loader import CheckpointedSource, load_number
from specter_graph.graph.loading.summary import LoadSummary, OnBatch, Rejects, ignore_batch
from specter_graph.graph.schema import apply_schema, program_version
from specter_graph.graph.server import Instance
from specter_graph.graph.server.exclusive_access import ExclusiveServer
from specter_graph.loaders.records import CorpusItem

with extra("bulk"):
    import duckdb

_SUMMED = ("records", "filtered", "rejected", "repaired")
"""Counts that are known after reading."""


def bulk_load(
    instance: Instance,
    items: Iterable[CorpusItem] | CheckpointedSource,
    *,
    rejects: Path | str | None = None,
    drop_dangling: bool = False,
    workers: Workers | None = None,
    on_batch: OnBatch = ignore_batch,
    progress: Progress = silent,
) -> LoadSummary:
    """Load a corpus into an empty instance, and start its server.

    An interrupted load, run again, continues. See `LiteratureGraph.bulk_load`.
    """
    started, began = time.monotonic(), datetime.now(UTC)
    is_resumable = isinstance(items, CheckpointedSource)
    key = items.key if isinstance(items, CheckpointedSource) else uuid4().hex
    identity = f"{program_version()} {key} {drop_dangling}"
    summary = LoadSummary()
    report = _ReadingProgress(items, summary, on_batch)
    with instance.exclusive(progress) as server:
        kill_stale_workers(server.home)
        _require_empty(instance, server)
        try:
            work = _prepare_work_folder(server.home, identity)
            tasks = _read_shards(items, workers, identity, server.home, report)
            _collect_rejects(tasks, rejects, summary)
            files = work / "files"
            shutil.rmtree(files, ignore_errors=True)
            files.mkdir()
            progress("resolve", 0, 2)
            with resolved(
                [task.folder for task in tasks],
                work,
                load=load_number(key),
                times=(began, datetime.now(UTC)) if is_resumable else None,
                drop_dangling=drop_dangling,
            ) as tables:
                count_items(tables, summary)
                progress("resolve", 1, 2)
                import_list, separator = write_files(tables, files)
            progress("resolve", 2, 2)
            new_home = server.prepare_new_home()
            import_files(server, new_home, import_list, separator, progress)
            server.swap()
        except (OSError, duckdb.Error) as error:
            raise ServerError(
                f"the files of the bulk load cannot be written: {error}",
                "check the free disk space; the same load, run again, continues with the files"
                " read",
            ) from error
        with connect(*server.up().login) as db:
            progress("schema", 0, 1)
            apply_schema(db)
            progress("schema", 1, 1)
        server.confirm()
        _delete_work_folder(_work_folder(server.home))
    summary.seconds = time.monotonic() - started
    on_batch(summary)
    return summary


def _read_shards(
    items: Iterable[CorpusItem] | CheckpointedSource,
    workers: Workers | None,
    identity: str,
    home: Path,
    report: "_ReadingProgress",
) -> list[Task]:
    """Read all shards that an earlier run has not read, by workers or by processes."""
    count = workers.count(uses_gpu=False) if workers else reader_count()
    shards = items.shards(count) if isinstance(items, ShardedCorpus) else [None]
    shards = sorted(shards, key=lambda shard: shard.key if shard else "")
    tasks = number_tasks(shards, _work_folder(home) / "parts")
    for task in tasks:
        if done := task.done:
            report.summary.parts_done_before += 1
            report(task, done, task.shard.size if task.shard else 0)
    remaining = [task for task in tasks if not task.done]
    if isinstance(items, ShardedCorpus) and workers:
        storage = f"{workers.storage}/load-{load_number(identity)}"
        read_tasks_by(workers, storage, items, remaining, report)
    elif isinstance(items, ShardedCorpus):
        read_tasks(items, remaining, report, worker_mark(home))
    elif remaining:
        stream = items.read(()) if isinstance(items, CheckpointedSource) else items
        write_tables(stream, tasks[0], lambda done: report(tasks[0], done, 0))
    return tasks


def number_tasks(shards: Sequence[CorpusShard | None], folder: Path) -> list[Task]:
    """Return the tasks of a load; a completed task keeps its number if other shards change."""
    names = [path.name.split("-", 1) for path in folder.glob("*-*") if is_read(path)]
    done = {key: int(number) for number, key in names}
    free_numbers = (number for number in count() if number not in done.values())
    tasks = []
    for shard in shards:
        key = shard.key if shard else "all"
        number = done[key] if key in done else next(free_numbers)
        tasks.append(Task(shard, number, folder / f"{number}-{key}"))
    return tasks


class _ReadingProgress:
    """Adds up the latest summaries of all tasks, and reports the result."""

    def __init__(self, items: object, summary: LoadSummary, on_batch: OnBatch) -> None:
        self._items = items
        self.summary = summary
        self._on_batch = on_batch
        self._latest: dict[int, LoadSummary] = {}
        self._sizes: dict[int, int] = {}

    def __call__(self, task: Task, latest: LoadSummary, size: int) -> None:
        """Take the current summary of a task, and the bytes that it has read."""
        if isinstance(self._items, ShardedCorpus):
            self._items.count(size - self._sizes.get(task.number, 0))
        self._sizes[task.number], self._latest[task.number] = size, latest
        summaries = self._latest.values()
        for name in _SUMMED:
            setattr(self.summary, name, sum(getattr(summary, name) for summary in summaries))
        keys = chain.from_iterable(summary.unknown_keys for summary in summaries)
        self.summary.unknown_keys = list(dict.fromkeys(keys))
        self._on_batch(self.summary)


def _collect_rejects(tasks: Iterable[Task], path: Path | str | None, summary: LoadSummary) -> None:
    """Write the rejects of all tasks to one file."""
    parts = [task.folder / REJECTS for task in tasks if (task.folder / REJECTS).exists()]
    if not parts or path is None:
        return
    with Rejects(path) as rejects:
        for part in parts:
            rejects.add_file(part)
    summary.rejects = str(path)


def _require_empty(instance: Instance, server: ExclusiveServer) -> None:
    """Raise InputError if replacing the data of the instance would delete any."""
    if not (server.home / "data" / "databases").exists():
        return
    with connect(*server.up().login) as db:
        empty = is_empty(db)
    server.down()
    if not empty:
        raise InputError(
            f"the graph of the instance {instance.name!r} is not empty, as a bulk load needs",
            "name another instance, `specter-graph clear` it, or do not load in bulk",
        )


def _prepare_work_folder(home: Path, identity: str) -> Path:
    """Return the folder of the load with this identity; the folder of another load is deleted."""
    work = _work_folder(home)
    stored = work / "load"
    if not stored.exists() or stored.read_text() != identity:
        _delete_work_folder(work)
        work.mkdir()
        stored.write_text(identity)
    return work


def _delete_work_folder(work: Path) -> None:
    (work / "load").unlink(missing_ok=True)  # first: no load continues with a part of its files
    shutil.rmtree(work, ignore_errors=True)


def _work_folder(home: Path) -> Path:
    return home / "bulk"
