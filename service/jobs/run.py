"""Runs jobs one at a time, each command a process of its own; they survive a restart."""

import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition, Thread

import psutil
from filelock import FileLock, Timeout

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.files import data_folder
from specter_graph.service.jobs import records
from specter_graph.service.jobs.job_types import AnyAsked, commands
from specter_graph.service.jobs.records import LOG, Job, now

WAITING = 20
"""Jobs that may wait at once."""
KEPT = 50
"""Jobs that have ended and are still told of."""
GRACE_SECONDS = 10.0
_LOG = logging.getLogger(__name__)
_LOOK_SECONDS = 0.25
_SAME_SECONDS = 2.0
"""The start of a process is told again with this error at most."""


class Jobs:
    """The jobs of a data folder.

    A job that was running when the service stopped, in order or by a kill, is begun again by the
    next one: its commands go on where they were. Only one service runs the jobs of a folder.
    """

    def __init__(
        self, folder: Path, instance: str | None, environment: Mapping[str, str] = os.environ
    ) -> None:
        """`folder` is the data folder, `instance` the local server that new jobs work on.

        Raises InputError where another service has the jobs of the folder.
        """
        folder = folder.resolve()  # the commands work in folders of their own
        self.folder = data_folder(folder, "jobs")
        self._models = data_folder(folder, "models")
        self._instance = instance
        self._environment = {
            **environment,
            "SPECTER_GRAPH_DATA": str(folder),
            "SPECTER_GRAPH_LOG_SECONDS": "1",
        }
        if cache := environment.get("SPECTER_GRAPH_CACHE"):
            self._environment["SPECTER_GRAPH_CACHE"] = str(Path(cache).resolve())
        self._changed = Condition()
        self._jobs: dict[str, Job] = {}
        self._closing = False
        self._thread = Thread(target=self._work, name="jobs", daemon=True)
        self._lock = FileLock(self.folder / ".lock", thread_local=False)
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise InputError(
                f"another service runs the jobs in {self.folder}", "serve without --allow-jobs"
            ) from error

    def start(self) -> None:
        """Take up what was left, and work."""
        for job in records.read(self.folder):
            if job.process:
                end_group(*job.process)
            if job.open:
                job = job.model_copy(update={"state": "waiting"})
            self._keep(job, process=None)
        self._thread.start()

    def close(self) -> None:
        """Stop what runs, to be gone on with by the next service."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._lock.release()

    def every(self) -> list[Job]:
        """All jobs, the newest first."""
        with self._changed:
            return sorted(self._jobs.values(), key=lambda job: job.id, reverse=True)

    def job(self, id: str) -> Job:
        """A job; raises GraphError where there is none of that id."""
        with self._changed:
            if id not in self._jobs:
                raise GraphError(f"there is no job {id!r}", "/v1/jobs lists them")
            return self._jobs[id]

    def log(self, job: Job) -> str:
        """The end of what a job has printed."""
        return records.tail(self.folder, job)

    def add(self, asked: AnyAsked, inputs: Mapping[str, bytes] | None = None) -> Job:
        """Queue a job, with files that it brings along; raises InputError where too many wait."""
        with self._changed:
            if sum(job.state == "waiting" for job in self._jobs.values()) >= WAITING:
                raise InputError(f"{WAITING} jobs wait already", "cancel one, or wait")
            stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
            id = f"{stamp}-{secrets.token_hex(3)}"
            own = self.folder / id
            try:
                own.mkdir(mode=0o700)
                for name, content in (inputs or {}).items():
                    (own / name).touch(mode=0o600)
                    (own / name).write_bytes(content)
                job = self._keep(Job(id=id, asked=asked, instance=self._instance, created=now()))
            except Exception:
                shutil.rmtree(own, ignore_errors=True)
                raise
            for old in self._ended()[:-KEPT]:
                records.forget(self.folder, self._jobs.pop(old.id))
            self._changed.notify_all()
            return job

    def cancel(self, id: str) -> Job:
        """Cancel a job; one that has ended stays as it is."""
        with self._changed:
            job = self.job(id)
            if job.open:
                job = self._keep(job, state="cancelled", ended=now())
            return job

    def _ended(self) -> list[Job]:
        """The jobs that have ended with all their processes, the oldest first."""
        ended = [job for job in self._jobs.values() if not (job.open or job.process)]
        return sorted(ended, key=lambda job: job.id)

    def _keep(self, job: Job, **changes: object) -> Job:
        """Note changes of a job, on disk first."""
        changed = job.model_copy(update=changes)
        records.write(self.folder, changed)
        self._jobs[job.id] = changed
        return changed

    def _work(self) -> None:
        while job := self._next():
            try:
                self._run(job.id)
            except Exception:  # a full disk, say: this job has failed, the next one may not
                _LOG.exception("the job %s", job.id)
                with self._changed:
                    job = self._jobs[job.id]
                    ended = {"state": "failed", "ended": now()} if job.open else {}
                    job = job.model_copy(update={**ended, "process": None})
                    self._jobs[job.id] = job
                    with suppress(InputError, OSError):  # else the next service begins it again
                        records.write(self.folder, job)

    def _next(self) -> Job | None:
        """The oldest job that waits; None when the service stops."""
        with self._changed:
            while not self._closing:
                waiting = [job for job in self._jobs.values() if job.state == "waiting"]
                if waiting:
                    return min(waiting, key=lambda each: each.id)
                self._changed.wait()
        return None

    def _run(self, id: str) -> None:
        with self._changed:
            job = self.job(id)
            if job.state != "waiting":  # cancelled meanwhile
                return
            begun = job.started or now()
            job = self._keep(job, state="running", started=begun, runs=job.runs + 1)
        own = self.folder / id
        steps = commands(job.asked, own, self._models, again=job.runs > 1)
        (own / LOG).touch(mode=0o600)
        with (own / LOG).open("ab") as log:
            succeeded = all(self._step(id, own, step, log.fileno()) for step in steps)
        with self._changed:
            job = self._keep(self.job(id), process=None)
            if job.state == "running" and (succeeded or not self._closing):
                self._keep(job, state="done" if succeeded else "failed", ended=now())

    def _step(self, id: str, folder: Path, arguments: list[str], log: int) -> bool:
        """Run a command to its end, or end it when it is to stop; whether it succeeded."""
        with self._changed:
            if self._stopped(id):
                return False
            job = self.job(id)
            server = ["--instance", job.instance] if job.instance else []
            shown = " ".join(["specter-graph", *arguments]).replace(str(folder), ".")
            os.write(log, f"\n$ {shown}\n".encode())
            process = subprocess.Popen(
                [sys.executable, "-m", "specter_graph", *arguments, *server],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                env=self._environment,
                start_new_session=True,
                umask=0o077,
            )
            try:
                self._keep(job, process=(process.pid, psutil.Process(process.pid).create_time()))
            except Exception:  # what is not known of must not run on
                end_group(process.pid)
                process.wait()
                raise
        while not self._stopped(id):
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_LOOK_SECONDS) == 0
        end_group(process.pid)
        process.wait()
        return False

    def _stopped(self, id: str) -> bool:
        return self._closing or self._jobs[id].state == "cancelled"


def end_group(pid: int, started: float | None = None, seconds: float = GRACE_SECONDS) -> None:
    """End a process with all of its group: SIGTERM, and SIGKILL for what is there after `seconds`.

    With `started` only the process that began then: an id may be another's by now.
    """
    try:
        leader = psutil.Process(pid)
        if started is not None and abs(leader.create_time() - started) > _SAME_SECONDS:
            return
        every = [leader, *leader.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    group = [each for each in every if _group_of(each) == pid]
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)
    _, alive = psutil.wait_procs(group, timeout=seconds)
    if alive:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        psutil.wait_procs(alive, timeout=seconds)


def _group_of(process: psutil.Process) -> int | None:
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return None
