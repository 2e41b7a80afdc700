"""Pages of the status, the jobs and the report."""

from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import get_args

from fastapi import APIRouter
from pydantic import TypeAdapter, ValidationError
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.embeddings.spaces import usual_holdout
from specter_graph.service import job_routes
from specter_graph.service.auth import MayWriteDep, WriteScope
from specter_graph.service.dependencies import Backend, BackendDep, FormDep
from specter_graph.service.error_responses import validation_message
from specter_graph.service.job_records import JobRequest, RecipeName
from specter_graph.service.middleware import REPORT_POLICY
from specter_graph.service.templating import RenderDep

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
write_router = APIRouter(include_in_schema=False, dependencies=[WriteScope])

MAX_JOBS = 20
_REQUEST: TypeAdapter[JobRequest] = TypeAdapter(JobRequest)


@router.get("/status")
def status(render: RenderDep, backend: BackendDep, may_write: MayWriteDep) -> str:
    """Show counts, embedding spaces, indexes and jobs."""
    spaces = backend.graph.spaces.list()
    counts = asdict(backend.graph.stats())
    del counts["spaces"]
    return render(
        "status.html",
        counts=[(name.replace("_", " "), count) for name, count in counts.items()],
        spaces=spaces,
        indexes=backend.rows("indexes"),
        jobs=job_routes.list_jobs(backend, may_write)[:MAX_JOBS],
        holdout=usual_holdout(spaces),
        recipes=get_args(RecipeName),
        release=version("specter-graph"),
    )


@router.get("/report")
def report(render: RenderDep, backend: BackendDep) -> str:
    """Link to the latest report, or show how to create one."""
    path = _latest_report(backend)
    created = datetime.fromtimestamp(path.stat().st_mtime, UTC) if path else None
    return render("report.html", created=created)


@router.get("/report/latest")
def latest_report_page(backend: BackendDep) -> Response:
    """Show the latest report, a self-contained file, without scripts or an origin."""
    path = _latest_report(backend)
    if path is None:
        raise GraphError("there is no report yet", f"specter-graph report{backend.database.option}")
    return FileResponse(
        path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY}
    )


@write_router.post("/jobs")
def start(backend: BackendDep, form: FormDep) -> Response:
    """Queue the job of a form."""
    try:
        request = _REQUEST.validate_python(form)
    except ValidationError as error:
        raise InputError(validation_message(error.errors())) from error
    job_routes.job_queue(backend).add(request)
    return RedirectResponse("/status#jobs", 303)


@write_router.post("/jobs/{id}/cancel")
def cancel(backend: BackendDep, id: str) -> Response:
    """Cancel a job."""
    job_routes.job_queue(backend).cancel(id)
    return RedirectResponse("/status#jobs", 303)


def _latest_report(backend: Backend) -> Path | None:
    if backend.settings.data_folder is None:
        return None
    path = backend.graph.evaluate.report_folder(backend.settings.data_folder) / "report.html"
    return path if path.exists() else None
