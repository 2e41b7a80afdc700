"""Error responses: problem details (RFC 9457) for programs, HTML pages for people."""

import errno
from collections.abc import Iterable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from specter_graph.core.errors import (
    GraphError,
    InputError,
    OutdatedError,
    QueryTimeoutError,
    ServerError,
    SpecterGraphError,
)
from specter_graph.graph.database import DRIVER_ERRORS, translate_driver_error
from specter_graph.service.job_queue import QueueFullError
from specter_graph.service.templating import render
from specter_graph.uploads import UploadError

RETRY_SECONDS = 2
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_FORMS = ("/jobs", "/lists", "/match")
"""Pages whose forms start jobs or change the graph, with --allow-jobs."""

_STATUS: dict[type[SpecterGraphError], HTTPStatus] = {
    InputError: HTTPStatus.BAD_REQUEST,
    UploadError: HTTPStatus.UNPROCESSABLE_ENTITY,
    QueueFullError: HTTPStatus.TOO_MANY_REQUESTS,
    QueryTimeoutError: HTTPStatus.GATEWAY_TIMEOUT,
    GraphError: HTTPStatus.NOT_FOUND,
    OutdatedError: HTTPStatus.CONFLICT,
    ServerError: HTTPStatus.SERVICE_UNAVAILABLE,
}


def error_response(
    scope: Scope,
    status: int,
    detail: str,
    hint: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Return an error response: a page outside /v1, else `application/problem+json`."""
    title = HTTPStatus(status).phrase
    if not scope["path"].startswith("/v1"):
        values = {"status": int(status), "title": title, "detail": detail, "hint": hint}
        values["query"] = QueryParams(scope["query_string"]).get("q", "")
        return HTMLResponse(render(scope, "error.html", **values), status, headers)
    body: dict[str, Any] = {"type": "about:blank", "title": title, "status": int(status)}
    body |= {"detail": detail, "instance": scope["path"]}
    if hint:
        body["hint"] = hint
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def register_error_handlers(app: FastAPI) -> None:
    """Register the error handlers of an application."""
    app.add_exception_handler(SpecterGraphError, _specter_graph_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(OSError, _system_error)
    app.add_exception_handler(OverflowError, _too_large)
    app.add_exception_handler(UnicodeError, _too_large)
    for driver_error in DRIVER_ERRORS:
        app.add_exception_handler(driver_error, _driver_error)
    app.add_exception_handler(Exception, _internal_error)


def _specter_graph_error(request: Request, error: Exception) -> Response:
    known = cast(SpecterGraphError, error)
    if isinstance(known.__cause__, DRIVER_ERRORS):
        monitor = request.app.state.backend.monitor
        if isinstance(known, ServerError):
            monitor.report_failure()
        elif isinstance(known, QueryTimeoutError) and monitor.is_recovering:
            known = ServerError("the database has just restarted and is slow", known.hint)
    if isinstance(known.__cause__, OSError) and known.__cause__.errno == errno.ENOSPC:
        return _system_error(request, known.__cause__)
    statuses = (_STATUS[kind] for kind in type(known).__mro__ if kind in _STATUS)
    status = next(statuses, HTTPStatus.SERVICE_UNAVAILABLE)
    is_temporary = status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)
    headers = {"Retry-After": str(RETRY_SECONDS)} if is_temporary else None
    return error_response(request.scope, status, known.message, known.hint, headers)


def _system_error(request: Request, error: Exception) -> Response:
    if cast(OSError, error).errno != errno.ENOSPC:
        raise error
    detail, hint = "the disk of the service is full", "free some space where the service runs"
    return error_response(request.scope, HTTPStatus.INSUFFICIENT_STORAGE, detail, hint)


def _driver_error(request: Request, error: Exception) -> Response:
    known = translate_driver_error(error)
    if known is None:
        return _internal_error(request, error)
    known.__cause__ = error
    return _specter_graph_error(request, known)


def _http_error(request: Request, error: Exception) -> Response:
    raised, path = cast(HTTPException, error), request.url.path
    detail = str(raised.detail)
    if detail == HTTPStatus(raised.status_code).phrase:  # the default of the framework
        is_page = raised.status_code == HTTPStatus.NOT_FOUND and not path.startswith("/v1")
        detail = f"there is no page {path}" if is_page else f"{request.method} {path}: {detail}"
    headers = dict(raised.headers or {})
    if raised.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(filter(partial(_is_allowed, request), _METHODS))
    hint = f"use {headers['Allow']}" if "Allow" in headers else None
    is_unknown = raised.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
    if is_unknown and (option := _missing_option(request)):
        detail = f"this service runs without {option}"
        hint = f"start the service with: specter-graph serve {option}"
    elif raised.status_code == HTTPStatus.NOT_FOUND and path.startswith("/v1"):
        hint = "read the routes at /v1/openapi.json"
    return error_response(request.scope, raised.status_code, detail, hint, headers)


def _missing_option(request: Request) -> str | None:
    """Return the option of `serve` that would add the route of a request, or None."""
    path, backend = request.url.path, request.app.state.backend
    is_form = request.method == "POST" and path.startswith(_FORMS)
    if backend.jobs is None and (is_form or path.startswith("/v1/jobs")):
        return "--allow-jobs"
    if path.startswith("/v1/cypher") and not backend.settings.allow_cypher:
        return "--allow-cypher"
    return None


def _is_allowed(request: Request, method: str) -> bool:
    """Return True if any route of the path allows a method; the framework checks only the first."""
    scope = {**request.scope, "method": "GET" if method == "HEAD" else method}
    return any(route.matches(scope)[0] == Match.FULL for route in request.app.routes)


def _invalid(request: Request, error: Exception) -> Response:
    errors = cast(RequestValidationError, error).errors()
    for problem in errors:
        if problem["type"] == "json_invalid":
            where = f"{problem['ctx']['error']} at character {problem['loc'][-1] + 1}"
            return error_response(request.scope, 422, f"the body is not JSON: {where}")
        is_json = "json" in request.headers.get("Content-Type", "")
        if (
            problem["type"] == "model_attributes_type"
            and problem["loc"] == ("body",)
            and not is_json
        ):
            hint = "set the header Content-Type: application/json"
            return error_response(request.scope, 422, "the body is not sent as JSON", hint)
        problem["loc"] = problem["loc"][1:] or ("body",)
    return error_response(request.scope, 422, validation_message(errors))


def validation_message(errors: Iterable[Mapping[str, Any]]) -> str:
    """Return the errors of pydantic in one line, each with its field."""
    return "; ".join(f"{'.'.join(map(str, error['loc']))}: {_text_of(error)}" for error in errors)


def _text_of(error: Mapping[str, Any]) -> str:
    text: str = error["msg"].removeprefix("Value error, ")
    return "a file is required, not text" if text.startswith("Expected UploadFile") else text


def _too_large(request: Request, error: Exception) -> Response:
    return error_response(request.scope, HTTPStatus.BAD_REQUEST, f"a value cannot be used: {error}")


def _internal_error(request: Request, error: Exception) -> Response:
    """Return a generic error; the log has the details."""
    return error_response(
        request.scope, HTTPStatus.INTERNAL_SERVER_ERROR, "an internal error occurred"
    )
