"""Reading of a corpus into tables, by several processes if possible."""

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from typing import IO, Any, TypeAlias

import orjson

from specter_graph.core.errors import InputError
from specter_graph.graph.loading.bulk.parse import ShardedCorpus, Task, read_task
from specter_graph.graph.loading.summary import LoadSummary

Report: TypeAlias = Callable[[Task, LoadSummary, int], None]
"""Called with a task, its current summary, and the bytes that it has read."""
Reports: TypeAlias = "SimpleQueue[tuple[Task, LoadSummary, int]]"

_MAX_PROCESSES = 8
"""Each takes about 200 MB."""

_COMMAND = [sys.executable, "-m", "specter_graph.graph.loading.bulk.parse"]
_POLL_INTERVAL = 0.1


class _UnreadableError(Exception):
    """A worker process cannot import the modules that the corpus needs."""


def process_count() -> int:
    """Return the number of processes that read at the same time."""
    return min(os.cpu_count() or 1, _MAX_PROCESSES)


def read_tasks(corpus: ShardedCorpus, tasks: Sequence[Task], report: Report, mark: str) -> None:
    """Run all tasks, and report their progress in this thread.

    Args:
        corpus: The corpus.
        tasks: The shards to read.
        report: Called with the progress.
        mark: An argument by which the processes can be found.

    Raises:
        InputError: A process ended unexpectedly.
    """
    workers = min(len(tasks), process_count())
    pickled = _pickle(corpus, tasks) if workers > 1 else None
    if pickled:
        try:
            _read_in_processes([*_COMMAND, mark], pickled, tasks, workers, report)
            return
        except _UnreadableError:
            tasks = [task for task in tasks if not task.done]
    for task in tasks:
        read_task(corpus, task, report)


def _pickle(corpus: ShardedCorpus, tasks: Sequence[Task]) -> bytes | None:
    """Return the corpus as bytes; None if it, or a task, cannot be pickled."""
    try:
        pickle.dumps(tasks)
        return pickle.dumps(corpus)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def _read_in_processes(
    command: list[str], corpus: bytes, tasks: Sequence[Task], workers: int, report: Report
) -> None:
    """Give each process the next task when it has completed one."""
    waiting, reports = deque(tasks), SimpleQueue[tuple[Task, LoadSummary, int]]()
    processes: list[subprocess.Popen[bytes]] = []
    with ThreadPoolExecutor(workers) as threads:
        try:
            futures = [
                threads.submit(_run_worker, command, corpus, waiting, reports, processes)
                for _ in range(workers)
            ]
            _report_until_done(futures, reports, report)
        except BaseException:
            waiting.clear()
            for process in processes:
                process.kill()
            raise


def _report_until_done(futures: list[Future[None]], reports: Reports, report: Report) -> None:
    running = True
    while running:
        running = bool(wait(futures, timeout=0).not_done)
        try:
            while True:
                report(*reports.get(timeout=_POLL_INTERVAL if running else 0))
        except Empty:
            pass
        for future in futures:
            if future.done():
                future.result()


def _run_worker(
    command: list[str],
    corpus: bytes,
    waiting: deque[Task],
    reports: Reports,
    processes: list[subprocess.Popen[bytes]],
) -> None:
    """Start a process and let it run tasks until none is waiting."""
    with (
        TemporaryFile() as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        processes.append(process)
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(corpus)
            process.stdin.flush()
            _require_ready(process.stdout)
            while waiting:
                try:
                    task = waiting.popleft()
                except IndexError:  # another thread took the last task
                    break
                pickle.dump(task, process.stdin)
                process.stdin.flush()
                _forward_reports(process.stdout, task, reports)
        except (BrokenPipeError, EOFError) as error:
            process.kill()
            raise _failure(process, errors) from error
        process.stdin.close()


def _require_ready(stdout: IO[bytes]) -> None:
    line = stdout.readline()
    if not line:
        raise EOFError
    if unreadable := orjson.loads(line).get("unreadable"):
        raise _UnreadableError(unreadable)


def _forward_reports(stdout: IO[bytes], task: Task, reports: Reports) -> None:
    """Forward the messages of a process until it has completed the task."""
    for line in stdout:
        message: dict[str, Any] = orjson.loads(line)
        if "done" in message:
            return
        reports.put((task, LoadSummary(**message["summary"]), message["size"]))
    raise EOFError


def _failure(process: subprocess.Popen[bytes], errors: IO[bytes]) -> InputError:
    errors.seek(0)
    end = "\n".join(errors.read().decode(errors="replace").splitlines()[-20:])
    return InputError(
        f"a process that read the corpus ended (status {process.wait()}):\n{end}",
        "if the machine has too little memory, load fewer files at once, or load without --bulk",
    )
