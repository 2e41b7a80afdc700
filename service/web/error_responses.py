"""Error responses: problem details (RFC 9457) for programs, HTML pages for people."""

from functools import partial
from http import HTTPStatus
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from specter_graph.core.errors import GraphError, InputError, ServerError, SpecterGraphError
from specter_graph.graph.driver_errors import DRIVER_ERRORS, TooLongError, translate_driver_error
from specter_graph.service.web.templates import render
from specter_graph.uploads import UploadError

RETRY_SECONDS = 2
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

_STATUS: dict[type[SpecterGraphError], HTTPStatus] = {
    InputError: HTTPStatus.BAD_REQUEST,
    UploadError: HTTPStatus.UNPROCESSABLE_ENTITY,
    TooLongError: HTTPStatus.GATEWAY_TIMEOUT,
    GraphError: HTTPStatus.NOT_FOUND,
    ServerError: HTTPStatus.SERVICE_UNAVAILABLE,
}


def refusal(
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
        return HTMLResponse(render("error.html", scope, **values), status, headers)
    body: dict[str, Any] = {"type": "about:blank", "title": title, "status": int(status)}
    body |= {"detail": detail, "instance": scope["path"]}
    if hint:
        body["hint"] = hint
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def answer_errors(app: FastAPI) -> None:
    """Register the error handlers of an application."""
    app.add_exception_handler(SpecterGraphError, _known)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(OverflowError, _too_large)
    app.add_exception_handler(UnicodeError, _too_large)
    for kind in DRIVER_ERRORS:
        app.add_exception_handler(kind, _of_driver)
    app.add_exception_handler(Exception, _unknown)


def _known(request: Request, error: Exception) -> Response:
    known = cast(SpecterGraphError, error)
    kinds = (kind for kind in type(known).__mro__ if kind in _STATUS)
    status = _STATUS[kind] if (kind := next(kinds, None)) else HTTPStatus.SERVICE_UNAVAILABLE
    later = status == HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": str(RETRY_SECONDS)} if later else None
    return refusal(request.scope, status, known.message, known.hint, headers)


def _of_driver(request: Request, error: Exception) -> Response:
    known = translate_driver_error(error)
    monitor = request.app.state.backend.monitor
    if isinstance(known, ServerError):
        monitor.report_failure()
    elif isinstance(known, TooLongError) and monitor.is_recovering:
        known = ServerError("the database has just restarted and is slow", known.hint)
    return _known(request, known) if known else _unknown(request, error)


def _of_http(request: Request, error: Exception) -> Response:
    raised = cast(HTTPException, error)
    detail = str(raised.detail)
    if detail == HTTPStatus(raised.status_code).phrase:  # what the framework says
        detail = f"{request.method} {request.url.path}: {detail}"
    headers = dict(raised.headers or {})
    if raised.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(filter(partial(_is_allowed, request), _METHODS))
    return refusal(request.scope, raised.status_code, detail, headers=headers)


def _is_allowed(request: Request, method: str) -> bool:
    """Return True if any route of the path allows a method; the framework checks only the first."""
    scope = {**request.scope, "method": method}
    return any(route.matches(scope)[0] == Match.FULL for route in request.app.routes)


def _invalid(request: Request, error: Exception) -> Response:
    wrong = cast(RequestValidationError, error).errors()
    messages = [f"{'.'.join(map(str, each['loc'][1:])) or 'body'}: {each['msg']}" for each in wrong]
    return refusal(request.scope, HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(messages))


def _too_large(request: Request, error: Exception) -> Response:
    return refusal(request.scope, HTTPStatus.BAD_REQUEST, f"a value cannot be used: {error}")


def _unknown(request: Request, error: Exception) -> Response:
    """Return a generic error; the log has the details."""
    return refusal(request.scope, HTTPStatus.INTERNAL_SERVER_ERROR, "an internal error occurred")
