"""Queue of background jobs, which run one at a time in separate processes."""

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

from specter_graph.core.atomic_files import data_folder
from specter_graph.core.errors import GraphError, InputError
from specter_graph.service import job_records
from specter_graph.service.job_records import LOG, Job, JobRequest, commands

MAX_WAITING = 20
"""Maximum number of waiting jobs."""
MAX_ENDED = 50
"""Maximum number of finished jobs that are listed."""
GRACE_SECONDS = 10.0
_log = logging.getLogger(__name__)
_POLL_INTERVAL = 0.25
_START_TOLERANCE = 2.0
"""Tolerance of the start time of a process in seconds."""


class QueueFullError(InputError):
    """Too many jobs are waiting."""


class JobQueue:
    """The jobs of a data folder.

    If a job was running when the service stopped or was killed, the next service starts it again,
    and its commands resume. Only one service can run the jobs of a folder.
    """

    def __init__(
        self, folder: Path, instance: str | None, environment: Mapping[str, str] = os.environ
    ) -> None:
        """Open the jobs of a data folder.

        Args:
            folder: The data folder.
            instance: The local server that new jobs work on.
            environment: Environment of the commands.

        Raises:
            InputError: Another service runs the jobs of the folder.
        """
        folder = folder.resolve()  # the commands run in other folders
        self.folder = data_folder(folder, "jobs")
        self.models = data_folder(folder, "models")
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
        self._thread = Thread(target=self._run_jobs, name="jobs", daemon=True)
        self._lock = FileLock(self.folder / ".lock", thread_local=False)
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise InputError(
                f"another service runs the jobs in {self.folder}", "serve without --allow-jobs"
            ) from error

    def start(self) -> None:
        """Queue unfinished jobs again and start the worker thread."""
        for job in job_records.read(self.folder):
            if job.process:
                end_group(*job.process)
            if job.is_open:
                job = job.model_copy(update={"state": "waiting"})
            self._store(job, process=None)
        self._thread.start()

    def close(self) -> None:
        """Stop the running job; the next service resumes it."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._lock.release()

    def all_jobs(self) -> list[Job]:
        """List all jobs, the newest first."""
        with self._changed:
            return sorted(self._jobs.values(), key=lambda job: job.id, reverse=True)

    def job(self, id: str) -> Job:
        """Return a job; raises GraphError if the id is unknown."""
        with self._changed:
            if id not in self._jobs:
                raise GraphError(f"there is no job {id!r}", "list the jobs at /v1/jobs")
            return self._jobs[id]

    def add(self, request: JobRequest, inputs: Mapping[str, bytes] | None = None) -> Job:
        """Queue a job with its input files; raises QueueFullError if too many are waiting."""
        with self._changed:
            if sum(job.state == "waiting" for job in self._jobs.values()) >= MAX_WAITING:
                detail = f"{MAX_WAITING} jobs are already waiting"
                raise QueueFullError(detail, "cancel one, or wait")
            stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
            id = f"{stamp}-{secrets.token_hex(3)}"
            own = self.folder / id
            try:
                own.mkdir(mode=0o700)
                for name, content in (inputs or {}).items():
                    file = own / name
                    file.parent.mkdir(mode=0o700, exist_ok=True)
                    file.touch(mode=0o600)
                    file.write_bytes(content)
                job = self._store(
                    Job(id=id, request=request, instance=self._instance, created=_now())
                )
            except Exception:
                self._jobs.pop(id, None)
                shutil.rmtree(own, ignore_errors=True)
                raise
            jobs = sorted(self._jobs.values(), key=lambda job: job.id)
            ended = [job for job in jobs if not (job.is_open or job.process)]
            for old in ended[:-MAX_ENDED]:
                del self._jobs[old.id]
                shutil.rmtree(self.folder / old.id)
            self._changed.notify_all()
            return job

    def cancel(self, id: str) -> Job:
        """Cancel a job; a finished job is not changed."""
        with self._changed:
            job = self.job(id)
            if job.is_open:
                job = self._store(job, state="cancelled", ended=_now())
            return job

    def _store(self, job: Job, **changes: object) -> Job:
        changed = job.model_copy(update=changes)
        self._jobs[job.id] = changed
        job_records.write(self.folder, changed)
        return changed

    def _run_jobs(self) -> None:
        while job := self._wait_for_job():
            try:
                self._run(job.id)
            except Exception:  # for example a full disk: the next job may succeed
                _log.exception("the job %s", job.id)
                # If the job cannot be written, the next service starts it again.
                with self._changed, suppress(InputError, OSError):
                    job = self._jobs[job.id]
                    ended = {"state": "failed", "ended": _now()} if job.is_open else {}
                    self._store(job, **ended, process=None)

    def _wait_for_job(self) -> Job | None:
        """Wait for a job and return the oldest one; None when the service stops."""
        with self._changed:
            while not self._closing:
                waiting = [job for job in self._jobs.values() if job.state == "waiting"]
                if waiting:
                    return min(waiting, key=lambda job: job.id)
                self._changed.wait()
        return None

    def _run(self, id: str) -> None:
        with self._changed:
            job = self.job(id)
            if job.state != "waiting":  # it has been cancelled
                return
            started = job.started or _now()
            job = self._store(job, state="running", started=started, runs=job.runs + 1)
        own = self.folder / id
        steps = commands(job.request, own, self.models, resume=job.runs > 1)
        (own / LOG).touch(mode=0o600)
        with (own / LOG).open("ab") as log:
            succeeded = all(self._step(id, own, step, log.fileno()) for step in steps)
        with self._changed:
            job = self._store(self.job(id), process=None)
            if job.state == "running" and (succeeded or not self._closing):
                self._store(job, state="done" if succeeded else "failed", ended=_now())

    def _step(self, id: str, folder: Path, arguments: list[str], log: int) -> bool:
        """Run a command, or stop it on request; return True if it succeeded."""
        with self._changed:
            if self._is_stopped(id):
                return False
            job = self.job(id)
            server = ["--instance", job.instance] if job.instance else []
            command_line = " ".join(["specter-graph", *arguments]).replace(str(folder), ".")
            os.write(log, f"\n$ {command_line}\n".encode())
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "specter_graph", *arguments, *server],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                env=self._environment,
                start_new_session=True,
                umask=0o077,
            )
            try:
                self._store(job, process=(process.pid, psutil.Process(process.pid).create_time()))
            except Exception:  # a process that is not recorded must not continue
                end_group(process.pid)
                process.wait()
                raise
        while not self._is_stopped(id):
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_POLL_INTERVAL) == 0
        end_group(process.pid)
        process.wait()
        return False

    def _is_stopped(self, id: str) -> bool:
        return self._closing or self._jobs[id].state == "cancelled"


def end_group(pid: int, started: float | None = None, seconds: float = GRACE_SECONDS) -> None:
    """Stop a process group: send SIGTERM, and SIGKILL when its leader ends, or after `seconds`.

    `started` is the start time of the process; another process that reuses the id is not stopped.
    """
    with suppress(psutil.NoSuchProcess, ProcessLookupError):
        leader = psutil.Process(pid)
        if started is not None and abs(leader.create_time() - started) > _START_TOLERANCE:
            return
        os.killpg(pid, signal.SIGTERM)
        with suppress(psutil.TimeoutExpired):
            leader.wait(seconds)
        os.killpg(pid, signal.SIGKILL)
        leader.wait(seconds)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
