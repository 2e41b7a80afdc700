"""The record of a job: a JSON file in a folder of its own, written so that a kill leaves it whole.

`jobs/ID/job.json` is the record, `jobs/ID/log.txt` what the commands print; beside them are the
lists that came along and the files that the job makes.
"""

import logging
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ValidationError

from specter_graph.core.files import complete_file
from specter_graph.service.jobs.job_types import AnyAsked

LOG = "log.txt"
TAIL = 4_000
"""Bytes of a log that are shown."""
_LOG = logging.getLogger(__name__)
_RECORD = "job.json"
_COUNTED = re.compile(r"^([^:\n]{1,80}): (\d+)(?:/(\d+))?$", re.MULTILINE)


class Job(BaseModel):
    """What was asked for, of which local server, and how far it is.

    `runs` counts how often it was begun; `process` is the id of its process and when that started,
    by which a process that outlived the service is known again.
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
        """Whether there is something left to do."""
        return self.state in ("waiting", "running")


class Progress(NamedTuple):
    """The stage that a log told of last; `total` is None while it is unknown."""

    stage: str
    done: int
    total: int | None


def now() -> datetime:
    """The time, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


def write(folder: Path, job: Job) -> None:
    """Keep a record under `folder`, that of all jobs."""
    own = folder / job.id
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    with complete_file(own / _RECORD) as unfinished:
        unfinished.touch(mode=0o600)
        unfinished.write_text(job.model_dump_json(indent=1))


def read(folder: Path) -> list[Job]:
    """All records, the oldest first, but for those that cannot be read, of which the log tells.

    A folder without one is of a job that was never queued.
    """
    found = []
    for file in folder.glob(f"*/{_RECORD}"):
        try:
            found.append(Job.model_validate_json(file.read_bytes()))
        except (OSError, ValidationError) as error:
            _LOG.warning("%s is no record of a job, remove its folder: %s", file, error)
    return sorted(found, key=lambda job: job.id)


def forget(folder: Path, job: Job) -> None:
    """Remove a job with all its files."""
    shutil.rmtree(folder / job.id)


def tail(folder: Path, job: Job) -> str:
    """The end of what the commands have printed, whole lines."""
    try:
        with (folder / job.id / LOG).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return text if size <= TAIL else text.partition("\n")[2]


def told(log: str) -> Progress | None:
    """The stage that a log tells of last, of the command that it tells of last."""
    counted = _COUNTED.findall(log.rpartition("\n$ ")[2])
    if not counted:
        return None
    stage, done, total = counted[-1]
    return Progress(stage, int(done), int(total) if total else None)
