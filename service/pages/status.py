"""Pages of how the service does: status with its jobs, and the report; forms that start work."""

from importlib.metadata import version
from typing import Annotated, get_args

from fastapi import APIRouter, Depends, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.embeddings.spaces import usual_holdout
from specter_graph.service.jobs import AnyAsked, Recipe
from specter_graph.service.models import Stats
from specter_graph.service.views import jobs as job_views
from specter_graph.service.views.reports import latest_report
from specter_graph.service.web.auth import MayWrite, Writes
from specter_graph.service.web.dependencies import TheBackend
from specter_graph.service.web.headers import DOCUMENT
from specter_graph.service.web.templates import render

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
writing = APIRouter(include_in_schema=False, dependencies=[Writes])

_ASKED: TypeAdapter[AnyAsked] = TypeAdapter(AnyAsked)
_SHOWN = 20


async def _form(request: Request) -> dict[str, str]:
    return {key: str(value) for key, value in (await request.form()).items()}


TheForm = Annotated[dict[str, str], Depends(_form)]


@router.get("/status")
def status(request: Request, backend: TheBackend, may_write: MayWrite) -> str:
    """Show what is here, and what is being worked on."""
    spaces = backend.graph.spaces.list()
    counts = Stats.model_validate(backend.graph.stats()).model_dump(exclude={"spaces"})
    return render(
        "status.html",
        request.scope,
        counts=[(name.replace("_", " "), count) for name, count in counts.items()],
        spaces=spaces,
        indexes=backend.rows("indexes"),
        jobs=job_views.every_job(backend, may_write)[:_SHOWN],
        may_write=may_write and backend.jobs is not None,
        holdout=usual_holdout(spaces),
        recipes=get_args(Recipe),
        release=version("specter-graph"),
    )


@router.get("/report")
def report(request: Request, backend: TheBackend, may_write: MayWrite) -> str:
    """Lead to the report that was made last, or tell how to make one."""
    found = latest_report(backend.terms.folder, backend.database)
    return render(
        "report.html",
        request.scope,
        made=found[1] if found else None,
        may_write=may_write and backend.jobs is not None,
    )


@router.get("/report/latest")
def latest(backend: TheBackend) -> Response:
    """Show the report that was made last, as it is: a document without rights."""
    found = latest_report(backend.terms.folder, backend.database)
    if found is None:
        raise GraphError("there is no report yet", f"specter-graph report{backend.database.option}")
    return FileResponse(
        found[0], media_type="text/html", headers={"Content-Security-Policy": DOCUMENT}
    )


@writing.post("/jobs")
def start(backend: TheBackend, form: TheForm) -> Response:
    """Queue a job that a form asks for."""
    try:
        asked = _ASKED.validate_python(form)
    except ValidationError as error:
        raise InputError(said(error)) from error
    job_views.add(backend, asked)
    return RedirectResponse("/status#jobs", 303)


@writing.post("/jobs/{id}/cancel")
def cancel(backend: TheBackend, id: str) -> Response:
    """Cancel a job."""
    job_views.jobs_of(backend).cancel(id)
    return RedirectResponse("/status#jobs", 303)


def said(error: ValidationError) -> str:
    """What does not fit, field by field."""
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
