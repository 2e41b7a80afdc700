"""A named local server: its home, its life from `up` to `down`, and who may use it meanwhile."""

import errno
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
from specter_graph.core.errors import InputError, ServerError
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.server import config
from specter_graph.graph.server import usage_leases as leases
from specter_graph.graph.server.endpoint import Endpoint, ServerStatus, answers, endpoint_of
from specter_graph.graph.server.exclusive_access import SoleUse, end_of_swap, is_in_a_swap
from specter_graph.graph.server.jar_lock import read_lock
from specter_graph.graph.server.jars import damaged, fetch_jars
from specter_graph.graph.server.jvm import Jvm, find_jvm
from specter_graph.graph.server.process import (
    find_server,
    is_alive,
    log_end,
    start_detached,
    stop,
)

_START_SECONDS = 300.0
_LOCK_SECONDS = 2 * _START_SECONDS
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class Instance:
    """A local Neo4j with Graph Data Science, with a home, ports and a password of its own.

    Its home is `data_dir`/instances/NAME; the jars are shared below `cache_dir`. `jvm` None means
    the best one there is, `repository` None the Maven repository that jgo knows. A server that
    was started by `lease` stops after `idle_minutes` without one; `up` makes it stay.

    Raises InputError when the name is not made of small letters, digits, - and _.
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
        if not _NAME.fullmatch(name):
            raise InputError(
                f"{name!r} cannot name an instance",
                "use small letters, digits, - and _, 63 at most, such as `--instance trial-2`",
            )
        if idle_minutes <= 0:
            raise InputError(f"an idle time of {idle_minutes} minutes is not above 0")
        self.name = name
        self.data_dir = data_dir.expanduser().resolve()
        self.cache_dir = cache_dir.expanduser().resolve()
        self.idle_seconds = idle_minutes * 60
        self.home = self.data_dir / "instances" / name
        self._jvm = jvm
        self._repository = repository
        self._children: list[subprocess.Popen[bytes]] = []  # they outlive us, and it

    @property
    def log(self) -> Path:
        """What the server said since its last start."""
        return self.home / "logs" / "console.log"

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the other instances that have data."""
        homes = sorted(home.parent for home in self.home.parent.glob("*/data"))
        return tuple(home.name for home in homes if home.name != self.name)

    def up(self, *, keep: bool = True, progress: Progress = silent) -> Endpoint:
        """Start the server unless it runs, and return once it answers.

        With `keep` it stays until `down`. Raises ServerError when it cannot be fetched or started.
        """
        self._fetch_unless_running(progress)
        with self._locked():
            return self._up(keep, progress)

    @contextmanager
    def lease(self, progress: Progress = silent) -> Iterator[Endpoint]:
        """Use the server, started when need be, and keep it from stopping meanwhile."""
        self._fetch_unless_running(progress)
        with self._locked():
            endpoint = self._up(False, progress)
            lease = leases.take_lease(self.home)
        try:
            yield endpoint
        finally:
            leases.give_back(lease)

    def down(self) -> bool:
        """Stop the server, gracefully if it lets us; False when none was running."""
        with self._locked():
            self._keep_mark.unlink(missing_ok=True)
            if self.home.exists():
                self._down_mark.touch()
            return self._stop()

    def restart(self) -> bool:
        """Start the server again if it ended without `down`; False where it was stopped so.

        Raises ServerError when the server cannot be started.
        """
        if self._down_mark.exists():
            return False
        self.up(keep=self._keep_mark.exists())
        return True

    def remove(self) -> None:
        """Stop the server and delete its home: data, logs, ports and password."""
        with self._locked():
            self._stop()
            if self.home.exists():
                shutil.rmtree(self.home)

    @contextmanager
    def sole_use(self, progress: Progress = silent) -> Iterator[SoleUse]:
        """Keep everybody else from starting, stopping and using the server.

        Afterwards it runs again if it was to stay. Raises ServerError when commands are at work
        on it.
        """
        jars = self._jars(progress)
        with self._locked():
            if working := leases.live_leases(self.home):
                raise ServerError(
                    f"{working} {'command is' if working == 1 else 'commands are'} at work on"
                    f" {self.name!r}",
                    "run this again when they are done; `specter-graph server status` shows them",
                )
            self._prepare_home(keep=True)
            stays = self._keep_mark.exists() and find_server(self.home) is not None
            try:
                yield SoleUse(
                    home=self.home,
                    jars=jars,
                    jvm=self._jvm or find_jvm(),
                    up=lambda: self._up(stays, progress),
                    down=self._stop,
                )
            finally:
                self._end_swap()
                if stays:
                    self._up(True, progress)

    def status(self) -> ServerStatus:
        """What the instance is doing now; starts nothing and waits for nobody."""
        process = find_server(self.home)
        if process is None:
            return ServerStatus(self.name, "stopped", str(self.home))
        endpoint = endpoint_of(self.home)
        return ServerStatus(
            instance=self.name,
            state="running" if answers(endpoint, process) else "starting",
            home=str(self.home),
            uri=endpoint.uri,
            http_uri=endpoint.http_uri,
            pid=process.pid,
            memory=_resident(process),
            kept=self._keep_mark.exists(),
            leases=leases.live_leases(self.home),
        )

    def is_idle(self) -> bool:
        """Whether nobody has used the server for the idle time."""
        return not leases.live_leases(self.home) and (
            leases.idle_seconds(self.home) >= self.idle_seconds
        )

    def stop_when_idle(self) -> bool:
        """Stop the server if it is idle; True when there is nothing left to watch over."""
        with self._locked():
            if self._keep_mark.exists() or find_server(self.home) is None:
                return True
            return self.is_idle() and self._stop()

    @property
    def _keep_mark(self) -> Path:
        return self.home / "keep"

    @property
    def _down_mark(self) -> Path:
        return self.home / "down"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time starts or stops; the system ends the lock of one that dies."""
        data_folder(self.data_dir, "instances")
        path = self.home.with_name(self.name + ".lock")
        try:
            with FileLock(path, timeout=_LOCK_SECONDS, poll_interval=0.1):
                self._end_swap()
                yield
        except Timeout as error:
            raise ServerError(
                f"another process has been starting or stopping {self.name!r} for "
                f"{_LOCK_SECONDS:.0f} s",
                f"see {self.log}",
            ) from error

    def _end_swap(self) -> None:
        """Undo what was begun with the files of the home and not confirmed."""
        if is_in_a_swap(self.home):
            self._stop()
        end_of_swap(self.home)

    def _fetch_unless_running(self, progress: Progress) -> None:
        """Outside the lock: the first fetch takes as long as the network needs."""
        if find_server(self.home) is None:
            self._jars(progress)

    def _jars(self, progress: Progress = silent) -> Path:
        return fetch_jars(
            read_lock(), self.cache_dir, repository=self._repository, progress=progress
        )

    def _up(self, keep: bool, progress: Progress) -> Endpoint:
        process = find_server(self.home)
        if process is None or not self._wait(process, progress):
            self._start(keep, progress)
        leases.note_use(self.home)
        if keep:
            self._keep_mark.touch()
        if not self._keep_mark.exists():
            self._watch()
        return endpoint_of(self.home)

    def _start(self, keep: bool, progress: Progress) -> None:
        try:
            self._prepare_home(keep)
            jvm, memory, jars = self._jvm or find_jvm(), config.memory_for_machine(), self._jars()
            for _ in range(2):
                ports = config.choose_ports(self.home)
                config.write_configuration(self.home, jars, ports, memory)
                config.set_first_password(self.home, config.password_of(self.home))
                command = config.server_command(self.home, jars, jvm, memory)
                process = self._start_detached(command, self.log)
                if not keep:
                    self._watch()  # before it answers: we may be killed while we wait
                if self._wait(process, progress):
                    return
                if config.is_free(ports.bolt) and config.is_free(ports.http):
                    break  # it died of something else than a port that was taken under us
        except OSError as error:
            raise self._file_error(error) from error
        if wrong := damaged(read_lock(), self.cache_dir):
            raise ServerError(
                f"Neo4j ended while it started: these of its jars are damaged: {', '.join(wrong)}",
                f"delete {jars}: it is fetched again",
            )
        raise ServerError(
            f"Neo4j ended while it started (Java {jvm.version}, {jvm.java}); "
            f"the end of {self.log}:\n{log_end(self.log)}",
            "`specter-graph server doctor` looks for the usual causes",
        )

    def _prepare_home(self, keep: bool) -> None:
        data_folder(self.data_dir, "instances", self.name)
        config.check_space(self.home)
        leases.note_use(self.home)
        self._down_mark.unlink(missing_ok=True)
        if not keep:  # a mark that a killed server has left behind
            self._keep_mark.unlink(missing_ok=True)

    def _wait(self, process: psutil.Process, progress: Progress) -> bool:
        """Wait until the server answers; False when it has ended instead."""
        begun = time.monotonic()
        endpoint = endpoint_of(self.home)
        while is_alive(process):
            if answers(endpoint, process):
                return True
            waited = time.monotonic() - begun
            if waited > _START_SECONDS:
                raise ServerError(
                    f"Neo4j (pid {process.pid}) does not answer at {endpoint.uri} after "
                    f"{waited:.0f} s; the end of {self.log}:\n{log_end(self.log)}",
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
        """Start a watchdog unless one is there."""
        try:
            with FileLock(self.home / "watchdog.lock", timeout=0):
                pass
        except Timeout:
            return
        directories = [str(self.data_dir), str(self.cache_dir)]
        module = "specter_graph.graph.server.watchdog"
        command = [sys.executable, "-m", module, self.name, *directories, str(self.idle_seconds)]
        self._start_detached(command, self.home / "logs" / "watchdog.log")

    def _start_detached(self, command: list[str], log: Path) -> psutil.Process:
        child = start_detached(command, self.home, log)
        self._children.append(child)
        return psutil.Process(child.pid)

    def _file_error(self, error: OSError) -> ServerError:
        if error.errno == errno.ENOSPC:
            return ServerError(f"the disk of {self.home} is full", "free some space")
        return ServerError(f"cannot set up {self.home}: {error}", "check its permissions")


def _resident(process: psutil.Process) -> int | None:
    try:
        return int(process.memory_info().rss // 10**6)
    except psutil.Error:
        return None
