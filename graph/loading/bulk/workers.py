"""Reads a corpus into tables: in several processes where that helps."""

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from typing import IO, Any

import orjson

from specter_graph.core.errors import InputError
from specter_graph.graph.loading.bulk.parse import Parted, Task, Tell, read_task
from specter_graph.graph.loading.summary import LoadSummary

_MOST = 8
"""Processes; each takes about 200 MB."""

_COMMAND = [sys.executable, "-m", "specter_graph.graph.loading.bulk.parse"]
_LOOK_S = 0.1


class _NotThereError(Exception):
    """A worker process does not know the modules that the corpus needs."""


def processes() -> int:
    """How many processes read at once."""
    return min(os.cpu_count() or 1, _MOST)


def read_tasks(corpus: Parted, tasks: Sequence[Task], tell: Callable[..., None], mark: str) -> None:
    """Do all tasks; `tell` gets a task, its summary and the bytes it has read, in this thread.

    `mark` is an argument by which the processes can be found. Raises InputError when one of them
    ends before its time.
    """
    workers = min(len(tasks), processes())
    packed = _packed(corpus, tasks) if workers > 1 else None
    if packed:
        try:
            _in_processes([*_COMMAND, mark], packed, tasks, workers, tell)
            return
        except _NotThereError:
            tasks = [task for task in tasks if not task.done]
    for task in tasks:
        read_task(corpus, task, _telling(tell, task))


def _telling(tell: Callable[..., None], task: Task) -> Tell:
    return lambda summary, size: tell(task, summary, size)


def _packed(corpus: Parted, tasks: Sequence[Task]) -> bytes | None:
    """What a worker needs to read; None where that cannot leave this process."""
    try:
        pickle.dumps(tasks)
        return pickle.dumps(corpus)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def _in_processes(
    command: list[str],
    corpus: bytes,
    tasks: Sequence[Task],
    workers: int,
    tell: Callable[..., None],
) -> None:
    """Each process gets the next task when it has done one."""
    left, told = deque(tasks), SimpleQueue[tuple[Task, LoadSummary, int]]()
    started: list[subprocess.Popen[bytes]] = []
    with ThreadPoolExecutor(workers) as threads:
        try:
            futures = [
                threads.submit(_work, command, corpus, left, told, started) for _ in range(workers)
            ]
            _tell_until_done(futures, told, tell)
        except BaseException:
            left.clear()
            for process in started:
                process.kill()
            raise


def _tell_until_done(
    futures: list[Future[None]],
    told: "SimpleQueue[tuple[Task, LoadSummary, int]]",
    tell: Callable[..., None],
) -> None:
    running = True
    while running:
        running = bool(wait(futures, timeout=0).not_done)
        try:
            while True:
                tell(*told.get(timeout=_LOOK_S if running else 0))
        except Empty:
            pass
        for future in futures:
            if future.done():
                future.result()


def _work(
    command: list[str],
    corpus: bytes,
    left: deque[Task],
    told: "SimpleQueue[tuple[Task, LoadSummary, int]]",
    started: list[subprocess.Popen[bytes]],
) -> None:
    """Let a process do tasks while there are any."""
    with (
        TemporaryFile() as said,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
        ) as process,
    ):
        started.append(process)
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(corpus)
            process.stdin.flush()
            _require_ready(process.stdout)
            while True:
                task = left.popleft()
                pickle.dump(task, process.stdin)
                process.stdin.flush()
                _follow(process.stdout, task, told)
        except IndexError:
            pass  # no task is left
        except (BrokenPipeError, EOFError) as error:
            process.kill()
            raise _failed(process, said) from error
        process.stdin.close()


def _require_ready(stdout: IO[bytes]) -> None:
    line = stdout.readline()
    if not line:
        raise EOFError
    if unreadable := orjson.loads(line).get("unreadable"):
        raise _NotThereError(unreadable)


def _follow(
    stdout: IO[bytes], task: Task, told: "SimpleQueue[tuple[Task, LoadSummary, int]]"
) -> None:
    """Pass on what a process says until it has done the task."""
    for line in stdout:
        message: dict[str, Any] = orjson.loads(line)
        if "done" in message:
            return
        told.put((task, LoadSummary(**message["summary"]), message["size"]))
    raise EOFError


def _failed(process: subprocess.Popen[bytes], said: IO[bytes]) -> InputError:
    said.seek(0)
    end = "\n".join(said.read().decode(errors="replace").splitlines()[-20:])
    return InputError(
        f"a process that read the corpus ended (status {process.wait()}):\n{end}",
        "if the machine is short of memory, name fewer files at once; without --bulk it takes less",
    )
