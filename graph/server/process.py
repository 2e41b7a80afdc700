"""The server as a process of the operating system: find it, start it detached, stop it.

There is no pid file. A server is found by its command line, which contains its home. A stale pid
therefore cannot lead to another process, and the server of a killed command is found too.
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
from specter_graph.graph.server.instance_config import home_argument, server_environment

_STOP_TIMEOUT = 60
_TAIL_LINES = 20


def find_server(home: Path) -> psutil.Process | None:
    """Find the running server of a home, ready or not; None if there is none.

    Processes of other users are ignored, whatever their command lines are.
    """
    mark = home_argument(home)
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or ()  # None for zombies and processes of other users
        if mark in command and "org.neo4j.server.Neo4jCommunity" in command:
            with suppress(psutil.NoSuchProcess):
                if os.name != "posix" or process.uids().real == os.getuid():
                    return process
    return None


def listens(process: psutil.Process, ports: Iterable[int | None]) -> bool:
    """Return True if the process itself listens on all of these ports."""
    try:
        connections = process.net_connections("tcp")
    except psutil.Error:
        return False
    return {*ports} <= {
        connection.laddr.port
        for connection in connections
        if connection.status == psutil.CONN_LISTEN
    }


def is_alive(process: psutil.Process) -> bool:
    """Return True if the process is running; a zombie is not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def start_detached(command: Sequence[str], home: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a process in a new session, so that Ctrl-C in this terminal does not reach it.

    Its output replaces the content of `log`.
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


def stop(process: psutil.Process) -> None:
    """Terminate the process, and kill it if it has not ended after _STOP_TIMEOUT seconds.

    Raises:
        ServerError: The process has not ended after it was killed.
    """
    for end in (process.terminate, process.kill):
        with suppress(psutil.NoSuchProcess):
            end()
        if _ends_within(process, _STOP_TIMEOUT):
            return
    raise ServerError(
        f"Neo4j (pid {process.pid}) cannot be stopped", "check whether its disk responds"
    )


def _ends_within(process: psutil.Process, timeout: float) -> bool:
    """Return True if the process ends, or becomes a zombie, in time."""
    end = time.monotonic() + timeout
    while is_alive(process):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    with suppress(psutil.Error):  # removes the zombie if this process is its parent
        process.wait(0)
    return True


def log_tail(log: Path) -> str:
    """Return the last lines of a log, for an error message."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return "".join(deque(file, _TAIL_LINES)).rstrip() or "(the log is empty)"
    except FileNotFoundError:
        return "(there is no log)"
