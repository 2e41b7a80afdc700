"""A named local server: its folder, and its life from `up` to `down`."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from specter_graph.core.atomic_files import data_folder
from specter_graph.core.errors import InputError, ServerError, counted
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.server import instance_config as config
from specter_graph.graph.server import usage
from specter_graph.graph.server.backup import restore_backup, write_backup
from specter_graph.graph.server.endpoint import Endpoint, ServerStatus, is_reachable, read_endpoint
from specter_graph.graph.server.exclusive_access import (
    ExclusiveServer,
    finish_swap,
    has_unconfirmed_swap,
)
from specter_graph.graph.server.jars import damaged_jars, jar_folder, missing_jars, read_lock
from specter_graph.graph.server.jvm import Jvm, find_jvm
from specter_graph.graph.server.process import find_server, is_alive, log_tail, start_detached, stop

_START_TIMEOUT = 300.0
_LOCK_TIMEOUT = 2 * _START_TIMEOUT
_SERVER_BYTES = 500_000_000
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class Instance:
    """A local Neo4j with Graph Data Science, with its own folder, ports and password.

    A server that was started by `lease` stops when it has had no lease for the idle time. A server
    that was started by `up` runs until `down`.

    Attributes:
        name: Name of the instance.
        home: Its folder, DATA_DIR/instances/NAME.
        log: The log of the server since its last start.
    """

    def __init__(
        self,
        name: str,
        data_dir: Path,
        cache_dir: Path,
        *,
        jvm: Jvm | None = None,
        repository: str | None = None,
        idle_minutes: float = 15.0,
    ) -> None:
        """Describe an instance; nothing is started.

        Args:
            name: Up to 63 lower-case letters, digits, hyphens and underscores.
            data_dir: The folder of all instances.
            cache_dir: The folder of the downloaded jars, which all instances share.
            jvm: The Java runtime; by default the first that `find_jvm` finds.
            repository: URL of a Maven repository; by default the public one.
            idle_minutes: Minutes without a lease after which the server stops.

        Raises:
            InputError: The name is invalid, or `idle_minutes` is not positive.
        """
        if not _NAME.fullmatch(name):
            raise InputError(
                f"{name!r} is not a valid name of an instance",
                "use up to 63 lower-case letters, digits, - and _, such as trial-2",
            )
        if idle_minutes <= 0:
            raise InputError(f"the idle time must be positive, not {idle_minutes} minutes")
        self.name = name
        self.data_dir = data_dir.expanduser().resolve()
        self.cache_dir = cache_dir.expanduser().resolve()
        self.idle_seconds = idle_minutes * 60
        self.home = self.data_dir / "instances" / name
        self.log = self.home / "logs" / "console.log"
        self._keep_mark, self._down_mark = self.home / "keep", self.home / "down"
        self._jvm = jvm
        self._repository = repository
        self._children: list[subprocess.Popen[bytes]] = []  # they outlive this object

    def __repr__(self) -> str:
        return f"<Instance {self.name!r} in {self.home}>"

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the other instances that have data."""
        homes = sorted(home.parent for home in self.home.parent.glob("*/data"))
        return tuple(home.name for home in homes if home.name != self.name)

    def up(self, *, keep: bool = True, progress: Progress = silent) -> Endpoint:
        """Start the server if it is not running, and wait until it answers.

        Args:
            keep: Keep the server running until `down`.
            progress: Called with the progress of the download and the seconds of the start.

        Returns:
            The address and the credentials of the server.

        Raises:
            ServerError: The server cannot be downloaded or started.
        """
        self._fetch_unless_running(progress)
        with self._locked():
            return self._up(keep, progress)

    @contextmanager
    def lease(self, progress: Progress = silent) -> Iterator[Endpoint]:
        """Start the server if it is not running, and keep it running during the block.

        Raises:
            ServerError: The server cannot be downloaded or started.
        """
        self._fetch_unless_running(progress)
        with self._locked():
            endpoint = self._up(False, progress)
            lease = usage.take_lease(self.home)
        with usage.hold(lease, self.home):
            yield endpoint

    def down(self) -> bool:
        """Stop the server; return False if it was not running."""
        with self._locked():
            self._keep_mark.unlink(missing_ok=True)
            if self.home.exists():
                self._down_mark.touch()
            return self._stop()

    def restart(self) -> bool:
        """Start a server that ended unexpectedly; return False after `down`.

        Raises:
            ServerError: The server cannot be started.
        """
        if self._down_mark.exists():
            return False
        self.up(keep=self._keep_mark.exists())
        return True

    def delete(self) -> None:
        """Stop the server and delete its folder: data, logs, ports and password."""
        with self._locked():
            self._stop()
            if self.home.exists():
                shutil.rmtree(self.home)

    backup = write_backup
    restore = restore_backup

    @contextmanager
    def exclusive(self, progress: Progress = silent) -> Iterator[ExclusiveServer]:
        """Prevent other processes from starting, stopping and using the server.

        A server that was to run until `down` runs again afterwards.

        Raises:
            ServerError: Other commands use the server.
        """
        jars = self._jars(progress)
        with self._locked():
            if count := usage.count_leases(self.home):
                raise ServerError(
                    f"{counted(count, 'command uses', 'commands use')} the server {self.name!r}",
                    "run this again when they have ended; see `specter-graph server status`",
                )
            self._prepare_home(keep=True)
            keep = self._keep_mark.exists() and find_server(self.home) is not None
            try:
                yield ExclusiveServer(
                    home=self.home,
                    jars=jars,
                    jvm=self._jvm or find_jvm(),
                    up=lambda: self._up(keep, progress),
                    down=self._stop,
                )
            finally:
                self._finish_swap()
                if keep:
                    self._up(True, progress)

    def status(self) -> ServerStatus:
        """Return the state of the server without starting it or waiting for it."""
        process = find_server(self.home)
        if process is None:
            return ServerStatus(self.name, "stopped", str(self.home), others=self.others)
        endpoint = read_endpoint(self.home)
        return ServerStatus(
            instance=self.name,
            state="running" if is_reachable(endpoint, process) else "starting",
            home=str(self.home),
            uri=endpoint.uri,
            http_uri=endpoint.http_uri,
            pid=process.pid,
            memory=_resident_memory(process),
            permanent=self._keep_mark.exists(),
            leases=usage.count_leases(self.home),
            others=self.others,
        )

    def is_idle(self) -> bool:
        """Return True if the server has had no lease for the idle time."""
        return not usage.count_leases(self.home) and (
            usage.idle_seconds(self.home) >= self.idle_seconds
        )

    def stop_when_idle(self) -> bool:
        """Stop the server if it is idle; return True if the watchdog may end."""
        with self._locked():
            if self._keep_mark.exists() or find_server(self.home) is None:
                return True
            return self.is_idle() and self._stop()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one process at a time start or stop the server; a killed process leaves no lock."""
        data_folder(self.data_dir, "instances")
        path = self.home.with_name(self.name + ".lock")
        try:
            with FileLock(path, timeout=_LOCK_TIMEOUT, poll_interval=0.1):
                self._finish_swap()
                yield
        except Timeout as error:
            raise ServerError(
                f"another process has been starting or stopping {self.name!r} for "
                f"{_LOCK_TIMEOUT:.0f} s",
                f"see {self.log}",
            ) from error

    def _finish_swap(self) -> None:
        """Undo an exchange of the data that was not confirmed."""
        if has_unconfirmed_swap(self.home):
            self._stop()
        finish_swap(self.home)

    def _fetch_unless_running(self, progress: Progress) -> None:
        """Download the jars before the instance is locked: the first download may take long."""
        if find_server(self.home) is None:
            self._jars(progress)

    def _jars(self, progress: Progress = silent) -> Path:
        lock = read_lock()
        if missing_jars(lock, self.cache_dir):
            # Imported here because the HTTP client would cost every command a third of a second.
            from specter_graph.graph.server.download import fetch_jars

            fetch_jars(lock, self.cache_dir, repository=self._repository, progress=progress)
        return jar_folder(lock, self.cache_dir)

    def _up(self, keep: bool, progress: Progress) -> Endpoint:
        process = find_server(self.home)
        if process is None or not self._wait(process, progress):
            self._start(keep, progress)
        usage.note_use(self.home)
        if keep:
            self._keep_mark.touch()
        if not self._keep_mark.exists():
            self._watch()
        return read_endpoint(self.home)

    def _start(self, keep: bool, progress: Progress) -> None:
        with config.disk_errors(self.home, "SPECTER_GRAPH_DATA"):
            self._prepare_home(keep)
            jvm, jars = self._jvm or find_jvm(), self._jars()
            memory = config.memory_for_machine(home=self.home)
            for _ in range(2):
                ports = config.choose_ports(self.home)
                config.write_configuration(self.home, jars, ports, memory)
                config.set_first_password(self.home, config.read_password(self.home))
                command = config.server_command(self.home, jars, jvm, memory)
                process = self._start_detached(command, self.log)
                if not keep:
                    self._watch()  # before the server answers: this process may be killed first
                if self._wait(process, progress):
                    return
                if config.is_free(ports.bolt) and config.is_free(ports.http):
                    break  # no other process took a port, so another attempt would fail, too
        if damaged := damaged_jars(read_lock(), self.cache_dir):
            raise ServerError(
                f"Neo4j ended during its start: damaged jars: {', '.join(damaged)}",
                f"delete {jars}, then run the command again: it downloads them",
            )
        raise ServerError(
            f"Neo4j ended during its start (Java {jvm.version}, {jvm.java}); "
            f"the end of {self.log}:\n{log_tail(self.log)}",
            "run `specter-graph server doctor`: it checks for the usual causes",
        )

    def _prepare_home(self, keep: bool) -> None:
        data_folder(self.data_dir, "instances", self.name)
        config.check_space(self.home, "a server", _SERVER_BYTES, "SPECTER_GRAPH_DATA")
        usage.note_use(self.home)
        self._down_mark.unlink(missing_ok=True)
        if not keep:  # a killed server may have left its mark
            self._keep_mark.unlink(missing_ok=True)

    def _wait(self, process: psutil.Process, progress: Progress) -> bool:
        """Wait until the server answers; return False if it ends instead."""
        started = time.monotonic()
        endpoint = read_endpoint(self.home)
        while is_alive(process):
            if is_reachable(endpoint, process):
                return True
            waited = time.monotonic() - started
            if waited > _START_TIMEOUT:
                raise ServerError(
                    f"Neo4j (pid {process.pid}) has not answered at {endpoint.uri} for "
                    f"{waited:.0f} s; the end of {self.log}:\n{log_tail(self.log)}",
                    f"specter-graph server down --instance {self.name}",
                )
            progress("start Neo4j (s)", round(waited), None)
            time.sleep(0.2)
        return False

    def _stop(self) -> bool:
        process = find_server(self.home)
        if process is not None:
            stop(process)
        return process is not None

    def _watch(self) -> None:
        """Start a watchdog unless one is running."""
        if usage.is_held(self.home / "watchdog.lock"):
            return
        directories = [str(self.data_dir), str(self.cache_dir)]
        module = ("-P", "-m", "specter_graph.graph.server.watchdog")
        command = [sys.executable, *module, self.name, *directories, str(self.idle_seconds)]
        self._start_detached(command, self.home / "logs" / "watchdog.log")

    def _start_detached(self, command: list[str], log: Path) -> psutil.Process:
        child = start_detached(command, self.home, log)
        self._children.append(child)
        return psutil.Process(child.pid)


def _resident_memory(process: psutil.Process) -> int | None:
    """Return the resident memory in MB."""
    try:
        return int(process.memory_info().rss // 10**6)
    except psutil.Error:
        return None
