"""Jobs in the background."""

from datetime import datetime
from typing import Literal

from specter_graph.service.jobs import AnyAsked
from specter_graph.service.models.base import Model


class JobProgress(Model):
    """How far the stage that a job is in is; `total` is null while it is unknown."""

    stage: str
    done: int
    total: int | None


class Job(Model):
    """A job; `files` are addresses of what it made.

    `log` is the end of what its commands have printed: it is told to who may start jobs, for it
    names folders of the machine.
    """

    id: str
    asked: AnyAsked
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    created: datetime
    started: datetime | None
    ended: datetime | None
    progress: JobProgress | None
    error: str | None
    files: dict[str, str]
    log: str | None
