"""Reading of a shard of a corpus into tables.

`python -m specter_graph.graph.loading.bulk.parse` is a worker process. It reads a pickled corpus
and then tasks from its standard input, and writes its progress as JSON Lines to its standard
output.
"""

import gc
import pickle
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import orjson

from specter_graph.core.parts import MANIFEST, Parts
from specter_graph.graph.loading.bulk.columns import Tables
from specter_graph.graph.loading.summary import LoadSummary, rejects_file, split_rejects
from specter_graph.loaders.records import CorpusItem, EndOfFile

REJECTS = "rejects.jsonl"
_REPORT_INTERVAL = 2_000
"""Records between two reports."""


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


def is_read(folder: Path) -> bool:
    """Return True if a folder has all tables of a shard."""
    return (folder / MANIFEST).exists()


def read_task(
    corpus: ShardedCorpus, task: Task, report: Callable[[Task, LoadSummary, int], None]
) -> None:
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
    with rejects_file(unfinished / REJECTS) as rejects, _infrequent_garbage_collection():
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


def main() -> None:
    """Run tasks until the standard input ends, which also happens when the parent ends."""
    source = sys.stdin.buffer
    try:
        corpus = pickle.load(source)  # noqa: S301, from the parent process
    except Exception as error:  # the parent reads a corpus that cannot be unpickled here
        _send({"unreadable": repr(error)})
        return
    _send({"ready": True})
    while True:
        try:
            task = pickle.load(source)  # noqa: S301
        except EOFError:
            return
        read_task(
            corpus,
            task,
            lambda _, summary, size: _send({"size": size, "summary": asdict(summary)}),
        )
        _send({"done": True})


def _send(message: dict[str, object]) -> None:
    sys.stdout.buffer.write(orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
