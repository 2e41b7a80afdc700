"""The server as a process of the operating system: found, started detached, stopped.

No pid file: a server is found by its command line, in which its home stands. So a stale pid, or
one that another process has got since, cannot mislead, and a server whose starter was killed
before it could note a pid is found all the same.
"""

import os
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from specter_graph.core.errors import ServerError
from specter_graph.graph.server.config import home_argument, server_environment

_STOP_SECONDS = 60
_TAIL_LINES = 20


def find_server(home: Path) -> psutil.Process | None:
    """Find the running server of this home, ready or not; None when there is none.

    A process of another user is never taken for it, whatever its command line says.
    """
    mark = home_argument(home)
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or ()  # a zombie, or another user's process, has none
        if mark in command and "org.neo4j.server.Neo4jCommunity" in command:
            with suppress(psutil.NoSuchProcess):
                if os.name != "posix" or process.uids().real == os.getuid():
                    return process
    return None


def listens(process: psutil.Process, ports: Iterable[int | None]) -> bool:
    """Whether it is this process that listens on all of these ports."""
    try:
        connections = process.net_connections("tcp")
    except psutil.Error:
        return False
    return {*ports} <= {
        each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN
    }


def is_alive(process: psutil.Process) -> bool:
    """Whether the process runs; one that ended and that its parent has not asked after does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def start_detached(command: Sequence[str], home: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, which no Ctrl-C at our terminal reaches.

    Its output goes to `log`, begun anew.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=home,
            env=server_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def stop(process: psutil.Process, seconds: float = _STOP_SECONDS) -> None:
    """Ask the process to end, and kill it when it has not after this time.

    Raises ServerError when not even that ends it.
    """
    for end in (process.terminate, process.kill):
        with suppress(psutil.NoSuchProcess):
            end()
        if _ends_within(process, seconds):
            return
    raise ServerError(f"Neo4j (pid {process.pid}) cannot be stopped", "is its disk hanging?")


def _ends_within(process: psutil.Process, seconds: float) -> bool:
    """Whether it ends in time; one whose parent has not asked after it has ended, too."""
    end = time.monotonic() + seconds
    while is_alive(process):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    with suppress(psutil.Error):  # lets the system forget it, if we are the parent
        process.wait(0)
    return True


def log_end(log: Path) -> str:
    """The last lines of a log, for an error message."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return "".join(deque(file, _TAIL_LINES)).rstrip() or "(the log is empty)"
    except FileNotFoundError:
        return "(there is no log)"
