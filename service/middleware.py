"""Middleware: metrics, security headers, ETags, and limits of bodies and of concurrency."""

import asyncio
import time
from contextlib import nullcontext, suppress
from hashlib import sha256

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specter_graph.service.dependencies import Backend
from specter_graph.service.error_responses import RETRY_SECONDS, error_response
from specter_graph.service.monitor import Metrics
from specter_graph.service.service_settings import ServiceSettings

_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_WITH_BODY = {"POST", "PUT", "PATCH"}
_UNLIMITED = ("/v1/healthz", "/v1/metrics", "/static/")
"""Paths without limits: health checks and metrics must not wait."""
_LISTS = ("/match", "/v1/jobs/match")
"""Paths that receive the lists of a venue."""
_CLOSE = {"Connection": "close"}
_RETRY = "wait a few seconds, and repeat it"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""Policy of a report, a self-contained file: no scripts, forms, external content or origin."""
SECURITY_HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",  # the graph and the files may change at any time
}


class UnreadBodyMiddleware:
    """Middleware that reads the rest of a body before an early response, such as 401 or 413.

    If the connection were closed while the body arrives, a proxy would report 502, and a browser a
    lost connection. Clients that send "Expect: 100-continue" wait before they send the body.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._timeout = settings.body_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; its body is discarded until `body_timeout`."""
        deadline = asyncio.get_running_loop().time() + self._timeout
        is_read = scope["method"] not in _WITH_BODY or "expect" in Headers(scope=scope)

        async def receive_message() -> Message:
            nonlocal is_read
            message = await receive()
            is_read = is_read or not message.get("more_body")
            return message

        async def send_after_body(message: Message) -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    while not is_read and message["type"] == "http.response.start":
                        await receive_message()
            await send(message)

        await self._app(scope, receive_message, send_after_body)


class BodyLimitMiddleware:
    """Middleware that rejects bodies that are too large or arrive too slowly."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose body is within the limits, or reject it."""
        if scope["method"] not in _WITH_BODY:
            await self._app(scope, receive, send)
            return
        limit, timeout, hint = self._settings.max_body, self._settings.body_timeout, "send less"
        if scope["path"] in _LISTS and scope["state"]["may_write"]:
            # partial lists would replace the complete lists in the graph
            limit, timeout = self._settings.max_lists, self._settings.lists_timeout
            hint = "specter-graph match load VENUE"
        too_large = f"the body has more than {limit:,} bytes"
        if int(Headers(scope=scope).get("content-length", 0)) > limit:
            await error_response(scope, 413, too_large, hint, _CLOSE)(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + timeout
        size = 0

        async def receive_limited() -> Message:
            nonlocal size
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError as error:
                detail = f"the body did not arrive within {timeout:g} seconds"
                raise HTTPException(408, detail, _CLOSE) from error
            size += len(message.get("body", b""))
            if size > limit:
                raise HTTPException(413, too_large, _CLOSE)
            return message

        await self._app(scope, receive_limited, send)


class ConcurrencyMiddleware:
    """Middleware that limits concurrent and waiting requests, and rejects further ones.

    Requests that only read share the values of `Database.shared`. While the database recovers,
    requests do not wait, because they would be rejected later.
    """

    def __init__(self, app: ASGIApp, backend: Backend) -> None:
        self._app = app
        self._backend = backend
        self._slots = asyncio.Semaphore(backend.settings.max_concurrency)
        self._waiting = 0
        backend.metrics.waiting.set_function(lambda: self._waiting)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when a slot is free, or reject the request."""
        if scope["path"].startswith(_UNLIMITED):
            await self._app(scope, receive, send)
            return
        again = {"Retry-After": str(RETRY_SECONDS)}
        if self._slots.locked() and self._backend.monitor.is_recovering:
            detail = "the database has just restarted and is slow"
            await error_response(scope, 503, detail, _RETRY, again)(scope, receive, send)
            return
        if not await self._acquire_slot():
            detail = "too many requests at the same time"
            await error_response(scope, 429, detail, _RETRY, again)(scope, receive, send)
            return

        async def send_in_time(message: Message) -> None:
            try:
                async with asyncio.timeout(self._backend.settings.send_timeout):
                    await send(message)
            except TimeoutError as error:
                raise ClientDisconnect from error

        reads = self._backend.reads.use() if scope["method"] == "GET" else nullcontext()
        try:
            # a client that does not read must not occupy a slot
            working = self._backend.metrics.working.track_inprogress()
            with working, reads, suppress(ClientDisconnect):
                await self._app(scope, receive, send_in_time)
        finally:
            self._slots.release()

    async def _acquire_slot(self) -> bool:
        if self._slots.locked() and self._waiting >= self._backend.settings.max_waiting:
            return False
        self._waiting += 1
        try:
            async with asyncio.timeout(self._backend.settings.max_wait):
                return await self._slots.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1


class SecurityHeadersMiddleware:
    """Middleware that adds SECURITY_HEADERS to all responses; a route may set another policy."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with SECURITY_HEADERS."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                del headers["server"], headers["accept-ranges"]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class ETagMiddleware:
    """Middleware that adds an ETag to complete responses, and answers 304 if the client has it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with 304 if the response has not changed."""
        if scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        body = bytearray()

        async def collect(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_complete(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    await _send_with_etag(scope, receive, send, start, bytes(body))

        await self._app(scope, receive, collect)


def _is_complete(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    return message["status"] == 200 and "content-length" in headers and "etag" not in headers


async def _send_with_etag(
    scope: Scope, receive: Receive, send: Send, start: Message, body: bytes
) -> None:
    tag = f'"{sha256(body).hexdigest()[:24]}"'
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["ETag"] = tag
    known_tags = Headers(scope=scope).get("if-none-match", "").split(",")
    if {tag, "*"} & {known.strip().removeprefix("W/") for known in known_tags}:
        del headers["content-length"]
        await Response(status_code=304, headers=dict(headers))(scope, receive, send)
        return
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})


class MetricsMiddleware:
    """The outermost middleware, which records the number and duration of requests by route.

    HEAD is treated as GET, and ranges are ignored: the framework would answer an invalid range in
    plain text. Only requests reach the middleware inside it; other events, such as the
    start, go to `routes`.
    """

    def __init__(self, app: ASGIApp, routes: FastAPI, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self.routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and record its duration."""
        if scope["type"] != "http":
            await self.routes(scope, receive, send)
            return
        scope = {**scope, "headers": [each for each in scope["headers"] if each[0] != b"range"]}
        if scope["method"] == "HEAD":  # the server sends only the headers of the response
            scope["method"] = "GET"
        started, status = time.perf_counter(), 500

        async def record_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, record_status)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            if scope["path"].startswith("/v1/") and route != "other":
                route = "/v1" + route.removeprefix("/v1")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(route, method, status).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - started)
