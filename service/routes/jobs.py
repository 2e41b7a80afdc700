"""Routes of long work: what is done and how far it is; with a writing key, start and cancel it."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, UploadFile
from starlette.responses import FileResponse, Response

from specter_graph.service.jobs import AnyAsked, Match, VenueName
from specter_graph.service.models import Job, Problem
from specter_graph.service.views import jobs as job_views
from specter_graph.service.web.auth import MayWrite, Writes
from specter_graph.service.web.dependencies import TheBackend
from specter_graph.service.web.headers import DOCUMENT

router = APIRouter(tags=["jobs"])
writing = APIRouter(tags=["jobs"], dependencies=[Writes])

_REFUSED: dict[int | str, dict[str, Any]] = {403: {"model": Problem}}


@router.get("/jobs")
def jobs(backend: TheBackend, may_write: MayWrite) -> list[Job]:
    """List the jobs, the newest first."""
    return job_views.every_job(backend, may_write)


@router.get("/jobs/{id}")
def job(backend: TheBackend, may_write: MayWrite, id: str) -> Job:
    """Read a job: its state, progress, and files."""
    every = job_views.jobs_of(backend)
    return job_views.job(every, every.job(id), may_write)


@router.get("/jobs/{id}/files/{name}", response_class=FileResponse)
def file(
    backend: TheBackend, id: str, name: Literal["scores.csv", "assignment.csv", "matching.html"]
) -> Response:
    """Download a file that a job made."""
    path = job_views.output(job_views.jobs_of(backend), id, name)
    if name.endswith(".html"):
        return FileResponse(path, headers={"Content-Security-Policy": DOCUMENT})
    return FileResponse(path, filename=name, media_type="text/csv")


@writing.post("/jobs", status_code=202, responses=_REFUSED)
def start(backend: TheBackend, asked: AnyAsked) -> Job:
    """Queue a job."""
    return job_views.job(job_views.jobs_of(backend), job_views.add(backend, asked), may_write=True)


@writing.post("/jobs/match", status_code=202, responses=_REFUSED)
def start_match(
    backend: TheBackend,
    venue: Annotated[VenueName, Form()],
    submissions: UploadFile,
    reviewers: UploadFile,
    bids: UploadFile | None = None,
    conflicts: UploadFile | None = None,
    per_submission: Annotated[int, Form(ge=1, le=20)] = 3,
    max_load: Annotated[int, Form(ge=0, le=1_000)] = 6,
    fair: Annotated[bool, Form()] = False,
    replace: Annotated[bool, Form()] = False,
) -> Job:
    """Queue the matching of a venue whose lists come along (CSV, TSV, JSON Lines)."""
    lists = contents(submissions=submissions, reviewers=reviewers, bids=bids, conflicts=conflicts)
    asked = Match(
        kind="match",
        venue=venue,
        per_submission=per_submission,
        max_load=max_load,
        fair=fair,
        replace=replace,
    )
    return job_views.job(
        job_views.jobs_of(backend), job_views.add_match(backend, asked, lists), may_write=True
    )


@writing.delete("/jobs/{id}", responses=_REFUSED)
def cancel(backend: TheBackend, id: str) -> Job:
    """Cancel a job: its process is told to end, and killed if it does not within 10 seconds."""
    every = job_views.jobs_of(backend)
    return job_views.job(every, every.cancel(id), may_write=True)


def contents(**files: UploadFile | None) -> dict[str, tuple[str, bytes]]:
    """The names and contents of files, those that a form has sent."""
    return {
        what: (file.filename, file.file.read())
        for what, file in files.items()
        if file is not None and file.filename
    }
