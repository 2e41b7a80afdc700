"""Routes of background jobs: list them, and with the scope "write" start and cancel them."""

from pathlib import Path, PurePath, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, UploadFile
from fastapi import Path as PathParameter
from pydantic import Field
from starlette.responses import FileResponse, Response

from specter_graph.core.errors import InputError
from specter_graph.service.auth import MayWriteDep, WriteScope
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.job_queue import JobQueue
from specter_graph.service.job_records import (
    LIST_NAMES,
    UPLOADS,
    Job,
    JobRequest,
    MatchJob,
    last_output,
    last_progress,
    log_end,
)
from specter_graph.service.middleware import REPORT_POLICY
from specter_graph.service.models import JobResponse, ProblemDetails
from specter_graph.uploads import check_list

router = APIRouter(tags=["jobs"])
write_router = APIRouter(tags=["jobs"], dependencies=[WriteScope])

_DISK_FULL: dict[int | str, dict[str, Any]] = {
    507: {"model": ProblemDetails, "description": "The disk of the service is full."}
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: {"schema": {"type": "string"}} for kind in ("text/csv", "text/html")}}
}
_MAX_NAME_BYTES = 255  # of a file on Linux
JobId = Annotated[str, PathParameter(description="Id of a job.")]
LIST_SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".json", ".xlsx", ".xls", ".xml")


class MatchForm(MatchJob):
    """The matching of a venue, with lists and archives that change it."""

    kind: Literal["match"] = "match"
    submissions: UploadFile | None = None
    reviewers: UploadFile | None = None
    archives: list[UploadFile] = Field(default_factory=list)
    bids: UploadFile | None = None
    conflicts: UploadFile | None = None


@router.get("/jobs")
def jobs(backend: BackendDep, may_write: MayWriteDep) -> list[JobResponse]:
    """List the jobs, the newest first."""
    return list_jobs(backend, may_write)


@router.get("/jobs/{id}")
def job(backend: BackendDep, may_write: MayWriteDep, id: JobId) -> JobResponse:
    """Return a job with its state, progress and files."""
    queue = job_queue(backend)
    return job_response(queue, queue.job(id), may_write)


@router.get("/jobs/{id}/files/{name}", response_class=FileResponse, responses=_FILE)
def file(
    backend: BackendDep,
    id: JobId,
    name: Annotated[
        Literal["scores.csv", "assignment.csv", "matching.html"],
        PathParameter(description="One of the job's `files`."),
    ],
) -> Response:
    """Download a file that a job created."""
    queue = job_queue(backend)
    job = queue.job(id)
    if name not in _list_files(queue, job):
        raise InputError(f"the job has no file {name!r}", "use one of the job's `files`")
    path = queue.folder / job.id / name
    if name.endswith(".html"):
        return FileResponse(path, headers={"Content-Security-Policy": REPORT_POLICY})
    return FileResponse(path, filename=name, media_type="text/csv")


@write_router.post("/jobs", status_code=202, responses=_DISK_FULL)
def start(backend: BackendDep, request: JobRequest) -> JobResponse:
    """Queue a job."""
    queue = job_queue(backend)
    return job_response(queue, queue.add(request), may_write=True)


@write_router.post("/jobs/match", status_code=202, responses=_DISK_FULL)
def start_match(
    backend: BackendDep, form: Annotated[MatchForm, Form(media_type="multipart/form-data")]
) -> JobResponse:
    """Queue the matching of a venue, with its lists and the archives of its reviewers."""
    return job_response(job_queue(backend), add_match(backend, form), may_write=True)


@write_router.delete("/jobs/{id}")
def cancel(backend: BackendDep, id: JobId) -> JobResponse:
    """Cancel a job: its process gets SIGTERM, and SIGKILL after 10 seconds."""
    queue = job_queue(backend)
    return job_response(queue, queue.cancel(id), may_write=True)


def job_queue(backend: Backend) -> JobQueue:
    """Return the queue of jobs; raises InputError if the service does not allow jobs."""
    if backend.jobs is None:
        raise InputError("this service is read-only", "specter-graph serve --allow-jobs")
    return backend.jobs


def list_jobs(backend: Backend, may_write: bool) -> list[JobResponse]:
    """List all jobs, the newest first; none if the service does not allow jobs."""
    queue = backend.jobs
    return [job_response(queue, job, may_write) for job in queue.all_jobs()] if queue else []


def job_response(queue: JobQueue, job: Job, may_write: bool) -> JobResponse:
    """Convert a job to its model in the API."""
    log = log_end(queue.folder, job)
    progress = last_progress(log) if job.state == "running" else None
    return JobResponse(
        **dict(job),
        progress=progress,
        error=_read_error(log, queue.folder / job.id) if job.state == "failed" else None,
        files={name: f"/v1/jobs/{job.id}/files/{name}" for name in _list_files(queue, job)},
        log=log if may_write else None,
    )


def add_match(backend: Backend, form: MatchForm) -> Job:
    """Queue a matching with its uploads; an upload without a name is skipped.

    Raises:
        InputError: A list is invalid (with its line), takes too much memory or time to read, or
            neither a list of reviewers nor an archive is given with the lists.
    """
    queue = job_queue(backend)
    uploads: dict[str, UploadFile] = {}
    for kind in LIST_NAMES:
        upload: UploadFile | None = getattr(form, kind)
        if upload and upload.filename:
            uploads[f"{kind}{_list_suffix(kind, upload.filename)}"] = upload
    for upload in form.archives:
        if upload.filename:
            uploads[f"archives/{_archive_name(upload.filename)}"] = upload
    if uploads and not any(name.startswith(("reviewers.", "archives/")) for name in uploads):
        raise InputError("the venue has no reviewers", "give a list of reviewers, or archives")
    inputs = {name: upload.file.read() for name, upload in uploads.items()}
    with TemporaryDirectory() as folder:
        for name, content in inputs.items():
            file = Path(folder, name)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)
        for path in sorted(Path(folder).iterdir()):
            try:
                check_list(backend.limited, path, path.stem)
            except InputError as error:  # without the path of the temporary folder
                raise type(error)(error.message.replace(f"{folder}/", ""), error.hint) from error
    request = MatchJob.model_validate(form.model_dump(exclude={*UPLOADS}))
    return queue.add(request, inputs)


def _list_suffix(kind: str, filename: str) -> str:
    suffix = PurePath(filename).suffix.lower()
    if suffix not in LIST_SUFFIXES or (suffix == ".json" and kind != "submissions"):
        raise InputError(
            f"a list of {kind} cannot end in {suffix or 'nothing'!r}", "use a .csv file"
        )
    return suffix


def _archive_name(filename: str) -> str:
    """Return the name of an archive without its folder, which some browsers send."""
    name = PureWindowsPath(filename).name
    if not name.endswith(".jsonl") or "\0" in name or len(name.encode()) > _MAX_NAME_BYTES:
        raise InputError(f"{name[:100]!r} is not the name of an archive", "use ~Ann_Smith1.jsonl")
    return name


def _list_files(queue: JobQueue, job: Job) -> list[str]:
    """Return the names of the files that a finished job created."""
    if job.state != "done":
        return []
    return [name for name in job.outputs if (queue.folder / job.id / name).exists()]


def _read_error(log: str, folder: Path) -> str:
    """Return the error and the hint of the last command, without the paths of folders."""
    lines = last_output(log).rstrip().splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    if not starts:
        return "the command ended without a message; it may have been killed or out of memory"
    text = "\n".join(lines[starts[-1] :]).replace("\n  try: ", "; try: ")
    message = " ".join(line.strip() for line in text.splitlines()).removeprefix("error: ")
    return message.replace(str(folder), ".").replace(str(folder.parent.parent), ".")
