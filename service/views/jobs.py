"""Jobs for the API and the pages, and the uploaded lists of a matching."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from specter_graph.core.errors import InputError
from specter_graph.service.jobs import AnyAsked, Job, Jobs, Match, outputs, told
from specter_graph.service.models import Job as JobModel
from specter_graph.service.models import JobProgress
from specter_graph.service.web.dependencies import Backend
from specter_graph.uploads import check_list

_FORMS = (".csv", ".tsv", ".jsonl", ".json")


def jobs_of(backend: Backend) -> Jobs:
    """Return the jobs; raises InputError if the service does not allow jobs."""
    if backend.jobs is None:
        raise InputError("this service is read-only", "specter-graph serve --allow-jobs")
    return backend.jobs


def job(jobs: Jobs, found: Job, may_write: bool) -> JobModel:
    """Convert a job to the model of the API."""
    log = jobs.log(found)
    return JobModel(
        id=found.id,
        asked=found.asked,
        state=found.state,
        created=found.created,
        started=found.started,
        ended=found.ended,
        progress=JobProgress.model_validate(at)
        if found.state == "running" and (at := told(log))
        else None,
        error=_error(log, jobs.folder / found.id) if found.state == "failed" else None,
        files={
            name: f"/v1/jobs/{found.id}/files/{name}"
            for name in outputs(found.asked)
            if found.state == "done" and (jobs.folder / found.id / name).exists()
        },
        log=log if may_write else None,
    )


def every_job(backend: Backend, may_write: bool) -> list[JobModel]:
    """List all jobs, the newest first; none if the service does not allow jobs."""
    jobs = backend.jobs
    return [job(jobs, each, may_write) for each in jobs.every()] if jobs else []


def output(jobs: Jobs, id: str, name: str) -> Path:
    """Return the path of a file that a job made; raises InputError for any other name."""
    found = jobs.job(id)
    path = jobs.folder / found.id / name
    if name not in outputs(found.asked) or found.state != "done" or not path.exists():
        raise InputError(f"the job has no file {name!r}", "use one of the job's `files`")
    return path


def add_match(backend: Backend, asked: Match, lists: Mapping[str, tuple[str, bytes]]) -> Job:
    """Queue a matching with its lists.

    Args:
        backend: The backend.
        asked: The request.
        lists: File name and content by the kind of list.

    Raises:
        InputError: A list is invalid (with its line), or takes too much memory or time to read.
    """
    jobs = jobs_of(backend)
    with TemporaryDirectory() as folder:
        inputs = {}
        for what, (name, content) in lists.items():
            end = PurePath(name).suffix.lower()
            if end not in _FORMS or (end == ".json" and what != "submissions"):
                raise InputError(
                    f"a list of {what} cannot end in {end or 'nothing'!r}", "use a .csv file"
                )
            file = Path(folder, f"{what}{end}")
            file.write_bytes(content)
            try:
                check_list(backend.limited, file, what)
            except InputError as error:  # without the path of the temporary folder
                raise type(error)(error.message.replace(f"{folder}/", ""), error.hint) from error
            inputs[file.name] = content
        return jobs.add(asked, inputs)


def add(backend: Backend, asked: AnyAsked) -> Job:
    """Queue a job."""
    return jobs_of(backend).add(asked)


def _error(log: str, folder: Path) -> str:
    """Return the error and the hint of the last command, without the paths of folders."""
    lines = log.rpartition("\n$ ")[2].rstrip().splitlines()
    at = max((n for n, line in enumerate(lines) if line.startswith("error: ")), default=None)
    if at is None:
        return "the command ended without a reason: killed, or out of memory?"
    message = " ".join(each.strip() for each in lines[at:]).removeprefix("error: ")
    return message.replace(str(folder), ".").replace(str(folder.parent.parent), ".")
