"""Records of jobs: one folder per job with a JSON file that is written atomically.

`jobs/ID/job.json` is the record, and `jobs/ID/log.txt` is the output of the commands. The folder
also contains the uploaded lists and the files that the job creates.
"""

import logging
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ValidationError

from specter_graph.core.atomic_files import complete_file
from specter_graph.service.jobs.job_types import AnyAsked

LOG = "log.txt"
TAIL = 4_000
"""Maximum bytes of a log that are shown."""
_LOG = logging.getLogger(__name__)
_RECORD = "job.json"
_COUNTED = re.compile(r"^([^:\n]{1,80}): (\d+)(?:/(\d+))?$", re.MULTILINE)


class Job(BaseModel):
    """The record of a job.

    Attributes:
        asked: The request.
        instance: The local server that it works on.
        runs: Number of starts.
        process: Id and start time of its process, which identify a process that outlives the
            service.
    """

    id: str
    asked: AnyAsked
    instance: str | None
    state: Literal["waiting", "running", "done", "failed", "cancelled"] = "waiting"
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    runs: int = 0
    process: tuple[int, float] | None = None

    @property
    def open(self) -> bool:
        """True if the job is waiting or running."""
        return self.state in ("waiting", "running")


class Progress(NamedTuple):
    """The last stage in a log; `total` is None if unknown."""

    stage: str
    done: int
    total: int | None


def now() -> datetime:
    """Return the current time without microseconds."""
    return datetime.now(UTC).replace(microsecond=0)


def write(folder: Path, job: Job) -> None:
    """Write a record in `folder`, which contains all jobs."""
    own = folder / job.id
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    with complete_file(own / _RECORD) as unfinished:
        unfinished.touch(mode=0o600)
        unfinished.write_text(job.model_dump_json(indent=1))


def read(folder: Path) -> list[Job]:
    """Read all records, the oldest first.

    A record that cannot be read is skipped and logged. A folder without a record belongs to a job
    that was never queued.
    """
    jobs = []
    for file in folder.glob(f"*/{_RECORD}"):
        try:
            jobs.append(Job.model_validate_json(file.read_bytes()))
        except (OSError, ValidationError) as error:
            _LOG.warning("%s is not a valid job record, remove its folder: %s", file, error)
    return sorted(jobs, key=lambda job: job.id)


def forget(folder: Path, job: Job) -> None:
    """Remove a job with all its files."""
    shutil.rmtree(folder / job.id)


def tail(folder: Path, job: Job) -> str:
    """Return the end of the commands' output, in complete lines."""
    try:
        with (folder / job.id / LOG).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return text if size <= TAIL else text.partition("\n")[2]


def told(log: str) -> Progress | None:
    """Return the last stage of the last command in a log."""
    counted = _COUNTED.findall(log.rpartition("\n$ ")[2])
    if not counted:
        return None
    stage, done, total = counted[-1]
    return Progress(stage, int(done), int(total) if total else None)
