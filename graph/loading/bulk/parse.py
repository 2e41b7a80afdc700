"""Reading of a corpus into tables, shard by shard, by processes here or on several machines.

`python -m specter_graph.graph.loading.bulk.parse` is a worker process. It reads its corpus and its
tasks, pickled, from its standard input, and writes its progress, pickled, to its standard output.
"""

import gc
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock
from typing import IO, Any, Protocol, TypeAlias, runtime_checkable

from pyarrow.fs import LocalFileSystem, copy_files

from specter_graph.core.atomic_files import complete_folder
from specter_graph.core.errors import InputError
from specter_graph.core.parts import MANIFEST, Parts, Work, Workers, locate
from specter_graph.graph.loading.bulk.columns import Tables
from specter_graph.graph.loading.summary import LoadSummary, Rejects, split_rejects
from specter_graph.loaders.records import CorpusItem, EndOfFile

REJECTS = "rejects.jsonl"
_REPORT_INTERVAL = 2_000
"""Records between two reports."""

_MAX_PROCESSES = 8
"""Each takes about 200 MB."""

_COMMAND = [sys.executable, "-P", "-m", "specter_graph.graph.loading.bulk.parse"]


class CorpusShard(Protocol):
    """The part of a corpus that one process reads."""

    @property
    def key(self) -> str:
        """A name, unique within the corpus, that can also name a folder."""

    @property
    def size(self) -> int:
        """The size in bytes; 0 if unknown."""


@runtime_checkable
class ShardedCorpus(Protocol):
    """A corpus that several processes can read, such as `loaders.Corpus`."""

    @property
    def key(self) -> str:
        """A text that identifies this corpus in its present state."""

    def shards(self, processes: int) -> Sequence[Any]:
        """Split the corpus into shards for this number of processes."""

    def read_shard(self, shard: Any, count: Callable[[int], None]) -> Iterator[CorpusItem]:  # noqa: ANN401
        """Yield the records of a shard; `count` is called with numbers of bytes read."""

    def count(self, size: int) -> None:
        """Add bytes read to the progress of the corpus."""


@dataclass(frozen=True, slots=True)
class Task:
    """A shard, and the folder for its tables.

    `number` is unique within the load; the row numbers of its records begin with it.
    """

    shard: CorpusShard | None
    number: int
    folder: Path

    @property
    def done(self) -> LoadSummary | None:
        """The summary of the task; None if it is not complete."""
        notes = Parts(str(self.folder), {}).notes if is_read(self.folder) else None
        return LoadSummary(**notes) if notes else None


Report: TypeAlias = Callable[[Task, LoadSummary, int], None]
"""Called with a task, its current summary, and the bytes that it has read."""


def is_read(folder: Path) -> bool:
    """Return True if a folder has all tables of a shard."""
    return (folder / MANIFEST).exists()


def read_task(corpus: ShardedCorpus, task: Task, report: Report) -> None:
    """Run a task; its folder appears when it is complete."""
    size = 0

    def count(more: int) -> None:
        nonlocal size
        size += more

    items = corpus.read_shard(task.shard, count)
    write_tables(items, task, lambda summary: report(task, summary, size))


def write_tables(
    items: Iterable[CorpusItem], task: Task, report: Callable[[LoadSummary], None]
) -> None:
    """Write the items of a stream to the tables of a task."""
    unfinished = task.folder.with_name(f"{task.folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    summary, reported = LoadSummary(), 0
    tables = Tables(unfinished, task.number << 32)
    with Rejects(unfinished / REJECTS) as rejects, _infrequent_garbage_collection():
        for item in split_rejects(items, summary, rejects):
            if not isinstance(item, EndOfFile):
                tables.add(item)
            if summary.records >= reported + _REPORT_INTERVAL:
                reported = summary.records
                report(summary)
    tables.close()
    parts = Parts(str(unfinished), {"shard": task.shard.key if task.shard else ""})
    parts.record(notes=asdict(summary))
    unfinished.rename(task.folder)
    report(summary)


@contextmanager
def _infrequent_garbage_collection() -> Iterator[None]:
    """Collect garbage less often: records have no cycles (saves a sixth of the time)."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def reader_count() -> int:
    """Return the number of processes that read at the same time."""
    return min(os.cpu_count() or 1, _MAX_PROCESSES)


@dataclass(frozen=True, slots=True)
class ReadShards:
    """The reading of shards by workers that have the files of the corpus under the same paths.

    Attributes:
        corpus: The corpus.
        folder: URI of the folder for the folders of the tasks.
    """

    corpus: ShardedCorpus
    folder: str
    uses_gpu: bool = False

    def open(self) -> Callable[[Task], Task]:
        """Return the function that reads a shard, unless a lost worker has completed it."""
        return self._read

    def _read(self, task: Task) -> Task:
        files, path = locate(f"{self.folder}/{task.folder.name}")
        if isinstance(files, LocalFileSystem):
            if not is_read(Path(path)):
                read_task(self.corpus, replace(task, folder=Path(path)), lambda *_: None)
            return task
        with TemporaryDirectory(prefix="specter-graph-") as folder:
            local = replace(task, folder=Path(folder) / task.folder.name)
            read_task(self.corpus, local, lambda *_: None)
            copy_files(str(local.folder), path, LocalFileSystem(), files)
        return task


def read_tasks_by(
    workers: Workers, folder: str, corpus: ShardedCorpus, tasks: Sequence[Task], report: Report
) -> None:
    """Run all tasks by workers, and report each that is complete.

    The workers write to `folder`, a URI; each folder is moved to that of its task for the importer.
    """
    files, path = locate(folder)
    files.create_dir(path)
    work: Work[Task, Task] = ReadShards(corpus, folder)
    for task in workers.map(work, tasks):
        read = f"{path}/{task.folder.name}"
        task.folder.parent.mkdir(exist_ok=True)
        if isinstance(files, LocalFileSystem):
            shutil.move(read, task.folder)
        else:
            with complete_folder(task.folder) as copy:
                copy_files(read, str(copy), files, LocalFileSystem())
        report(task, task.done or LoadSummary(), task.shard.size if task.shard else 0)
    files.delete_dir(path)


def read_tasks(corpus: ShardedCorpus, tasks: Sequence[Task], report: Report, mark: str) -> None:
    """Run all tasks, and report their progress, one report at a time.

    Args:
        corpus: The corpus.
        tasks: The shards to read.
        report: Called with the progress.
        mark: An argument by which the processes can be found.

    Raises:
        InputError: A process ended unexpectedly.
    """
    workers = min(len(tasks), reader_count())
    if workers > 1 and _can_be_sent(corpus, tasks):
        _read_in_processes([*_COMMAND, mark], corpus, tasks, workers, report)
        return
    for task in tasks:
        read_task(corpus, task, report)


def _can_be_sent(corpus: ShardedCorpus, tasks: Sequence[Task]) -> bool:
    """Return True if another process can read the corpus and the tasks."""
    try:
        return b"__main__" not in pickle.dumps((corpus, tasks))  # no other process has this module
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


def _read_in_processes(
    command: list[str], corpus: ShardedCorpus, tasks: Sequence[Task], workers: int, report: Report
) -> None:
    """Give each process the next task when it has completed one."""
    waiting, lock = iter(tasks), Lock()

    def report_alone(task: Task, summary: LoadSummary, size: int) -> None:
        with lock:
            report(task, summary, size)

    def read(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        try:
            _send(process.stdin, corpus)
            for task in waiting:
                _send(process.stdin, task)
                assert process.stdout
                while (message := pickle.load(process.stdout)) is not None:  # noqa: S301
                    report_alone(task, *message)
        except (BrokenPipeError, EOFError, pickle.UnpicklingError) as error:
            process.kill()
            raise _describe_failure(process, errors) from error

    with ThreadPoolExecutor(workers) as threads, ExitStack() as running:
        readers = []
        for _ in range(workers):
            errors = running.enter_context(TemporaryFile())
            process = running.enter_context(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
                )
            )
            running.callback(process.kill)
            readers.append(threads.submit(read, process, errors))
        for done in as_completed(readers):
            done.result()


def _send(stream: IO[bytes] | None, message: object) -> None:
    assert stream
    pickle.dump(message, stream)
    stream.flush()


def _describe_failure(process: subprocess.Popen[bytes], errors: IO[bytes]) -> InputError:
    errors.seek(0)
    end = "\n".join(errors.read().decode(errors="replace").splitlines()[-20:])
    return InputError(
        f"a process that read the corpus ended (status {process.wait()}):\n{end}",
        "if the machine has too little memory, load fewer files at once, or do not load in bulk",
    )


def main() -> None:
    """Run tasks until the standard input ends, which also happens when the parent ends.

    The first object of the input is the corpus, the others are tasks.
    """
    source, target = sys.stdin.buffer, sys.stdout.buffer
    corpus = pickle.load(source)  # noqa: S301, from the parent process
    while True:
        try:
            task = pickle.load(source)  # noqa: S301
        except (EOFError, pickle.UnpicklingError):
            return
        read_task(corpus, task, lambda _, *progress: _send(target, progress))
        _send(target, None)


if __name__ == "__main__":
    main()
