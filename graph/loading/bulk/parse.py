"""Reads a shard of a corpus and writes its tables.

Run as a program (`python -m specter_graph.graph.loading.bulk.parse`) it is a worker process:
pickled on its standard input come a corpus and then tasks; on its standard output it tells, in
lines of JSON, how far it is.
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

from specter_graph.graph.loading.bulk.columns import Tables
from specter_graph.graph.loading.summary import LoadSummary, rejects_file, wanted
from specter_graph.loaders.records import EndOfFile, Read

REJECTS = "rejects.jsonl"
SUMMARY = "summary.json"
_TELL = 2_000
"""Records from one telling to the next."""

Tell = Callable[[LoadSummary, int], None]
"""Is told of a task as it stands: its summary, and the bytes that it has read."""


class Shard(Protocol):
    """What one of several processes reads; its key tells it from any other."""

    @property
    def key(self) -> str:
        """The name of a folder, too."""

    @property
    def size(self) -> int:
        """In bytes, 0 where nobody knows."""


@runtime_checkable
class Parted(Protocol):
    """A corpus that several processes can read, such as `loaders.Corpus`."""

    @property
    def key(self) -> str:
        """Tells this corpus, as it is now, from any other."""

    def shards(self, processes: int) -> Sequence[Any]:
        """All that there is to be read, each a Shard, split for so many processes."""

    def read_shard(self, shard: Any, count: Callable[[int], None]) -> Iterator[Read]:  # noqa: ANN401
        """The records of a shard; `count` is told how many bytes more have been read."""

    def count(self, size: int) -> None:
        """Note that so many bytes more have been read."""


@dataclass(frozen=True, slots=True)
class Task:
    """A shard to be read, and the folder that its tables are to be in.

    `number` is that of no other task of the load; the rows of its records begin with it.
    """

    shard: Shard | None
    number: int
    folder: Path

    @property
    def done(self) -> LoadSummary | None:
        """What the task did; None if it is still to be done."""
        try:
            return LoadSummary(**orjson.loads((self.folder / SUMMARY).read_bytes()))
        except FileNotFoundError:
            return None


def read_task(corpus: Parted, task: Task, tell: Tell) -> None:
    """Do a task. The folder appears when all is in it."""
    size = 0

    def count(more: int) -> None:
        nonlocal size
        size += more

    items = corpus.read_shard(task.shard, count)
    write_tables(items, task, lambda summary: tell(summary, size))


def write_tables(items: Iterable[Read], task: Task, tell: Callable[[LoadSummary], None]) -> None:
    """Write all that a stream holds as the tables of a task."""
    unfinished = task.folder.with_name(f"{task.folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    summary, told = LoadSummary(), 0
    tables = Tables(unfinished, task.number << 32)
    with rejects_file(unfinished / REJECTS) as rejects, _few_collections():
        for item in wanted(items, summary, rejects):
            if not isinstance(item, EndOfFile):
                tables.add(item)
            if summary.records >= told + _TELL:
                told = summary.records
                tell(summary)
    tables.close()
    (unfinished / SUMMARY).write_bytes(orjson.dumps(asdict(summary)))
    unfinished.rename(task.folder)
    tell(summary)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Let Python look for cycles seldom: records have none, and are many (a sixth of the time)."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def main() -> None:
    """Do tasks until there are no more; the end of the starter ends this process too."""
    source = sys.stdin.buffer
    try:
        corpus = pickle.load(source)  # noqa: S301, from the process that started this one
    except Exception as error:  # what cannot be unpickled here is read by the starter
        _say({"unreadable": repr(error)})
        return
    _say({"ready": True})
    while True:
        try:
            task = pickle.load(source)  # noqa: S301
        except EOFError:
            return
        read_task(corpus, task, lambda s, size: _say({"size": size, "summary": asdict(s)}))
        _say({"done": True})


def _say(message: dict[str, object]) -> None:
    sys.stdout.buffer.write(orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
