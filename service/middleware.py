"""Middleware: metrics, security headers, ETags, and limits of bodies and of concurrency."""

import asyncio
import time
from contextlib import nullcontext
from functools import partial
from hashlib import sha256

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specter_graph.graph.database import SharedReads
from specter_graph.service.error_responses import RETRY_SECONDS, error_response
from specter_graph.service.monitor import DatabaseMonitor, Metrics
from specter_graph.service.service_settings import ServiceSettings

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_READS = {"GET", "HEAD"}
_WITH_BODY = {"POST", "PUT", "PATCH"}
_UNLIMITED = ("/v1/healthz", "/v1/metrics", "/static/")
"""Paths without limits: health checks and metrics must not wait."""
_LISTS = ("/match", "/v1/jobs/match")
"""Paths that receive the lists of a venue."""
_CLOSE = {"Connection": "close"}
_RETRY = "wait a few seconds, and repeat it"
STUCK_SECONDS = 5.0

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
}


class BodyLimitMiddleware:
    """Middleware that reads each body completely and rejects those that are too large or too slow.

    The bodies of all requests in progress have at most `settings.max_bodies` bytes together.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings
        self._total = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a complete body, or reject it."""
        if scope["type"] != "http" or scope["method"] not in _WITH_BODY:
            await self._app(scope, receive, send)
            return
        limit, timeout, hint = self._settings.max_body, self._settings.body_timeout, "send less"
        if scope["path"] in _LISTS and scope["state"]["may_write"]:
            # partial lists would replace the complete lists in the graph
            limit, timeout = self._settings.max_lists, self._settings.lists_timeout
            hint = "specter-graph match load VENUE"
        body = bytearray()
        try:
            try:
                async with asyncio.timeout(timeout):
                    rejection = await self._read(body, scope, receive, limit, hint)
            except ConnectionError:
                return  # the client has disconnected, and the body is incomplete
            except TimeoutError:
                detail = f"the body did not arrive within {timeout:g} seconds"
                rejection = error_response(scope, 408, detail, headers=_CLOSE)
            await (rejection or self._app)(scope, _replay_body(body, receive), send)
        finally:
            self._total -= len(body)

    async def _read(
        self, body: bytearray, scope: Scope, receive: Receive, limit: int, hint: str
    ) -> Response | None:
        """Read the body; return the rejection of one that is too large, else None.

        Raises:
            ConnectionError: The client disconnected before the end of the body.
        """
        detail = f"the body has more than {limit:,} bytes"
        too_large = partial(error_response, scope, 413, detail, hint, _CLOSE)
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if int(length) > limit:
            return too_large()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            part = message.get("body", b"")
            body += part
            self._total += len(part)
            if len(body) > limit:
                return too_large()
            if self._total > self._settings.max_bodies:
                maximum = self._settings.max_bodies
                detail = f"the bodies of all requests have more than {maximum:,} bytes"
                again = {"Retry-After": str(RETRY_SECONDS), **_CLOSE}
                return error_response(scope, 429, detail, _RETRY, again)
            if not message.get("more_body"):
                return None


def _replay_body(body: bytearray, receive: Receive) -> Receive:
    read = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": bytes(body)}

    return replay


class ConcurrencyMiddleware:
    """Middleware that limits concurrent and waiting requests, and rejects further ones.

    Requests that only read share the values of `Database.shared`.

    While the database recovers, requests do not wait, because they would be rejected later.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServiceSettings,
        metrics: Metrics,
        monitor: DatabaseMonitor,
        reads: SharedReads,
    ) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._monitor = monitor
        self._reads = reads
        self._slots = asyncio.Semaphore(settings.max_concurrency)
        self._waiting = 0
        self._changed = time.monotonic()

    @property
    def _is_stuck(self) -> bool:
        """True if all slots have been in use for longer than the time limit of a database read."""
        since = time.monotonic() - self._changed
        return self._slots.locked() and since > self._settings.timeout + STUCK_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when a slot is free, or reject the request."""
        if scope["type"] != "http" or scope["path"].startswith(_UNLIMITED):
            scope.setdefault("state", {})["slots_are_stuck"] = self._is_stuck
            await self._app(scope, receive, send)
            return
        again = {"Retry-After": str(RETRY_SECONDS)}
        if self._slots.locked() and self._monitor.is_recovering:
            detail = "the database has just restarted and is slow"
            await error_response(scope, 503, detail, _RETRY, again)(scope, receive, send)
            return
        if not await self._acquire_slot():
            detail = "too many requests at the same time"
            await error_response(scope, 429, detail, _RETRY, again)(scope, receive, send)
            return
        self._changed = time.monotonic()
        self._metrics.working.inc()
        timed_send = _TimedSend(send, self._settings.send_timeout)
        try:
            with self._reads.use() if scope["method"] in _READS else nullcontext():
                await self._app(scope, receive, timed_send)
        except TimeoutError:
            if not timed_send.is_expired:
                raise
        finally:
            self._metrics.working.dec()
            self._slots.release()
            self._changed = time.monotonic()

    async def _acquire_slot(self) -> bool:
        if self._slots.locked() and self._waiting >= self._settings.max_waiting:
            return False
        self._waiting += 1
        self._metrics.waiting.set(self._waiting)
        try:
            async with asyncio.timeout(self._settings.max_wait):
                return await self._slots.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
            self._metrics.waiting.set(self._waiting)


class _TimedSend:
    """A send function with a time limit: a client that does not read must not block a slot."""

    def __init__(self, send: Send, timeout: float) -> None:
        self.is_expired = False
        self._send = send
        self._timeout = timeout

    async def __call__(self, message: Message) -> None:
        """Send a part of a response; raises TimeoutError if the client does not read it."""
        try:
            async with asyncio.timeout(self._timeout):
                await self._send(message)
        except TimeoutError:
            self.is_expired = True
            raise


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
                del headers["server"]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class ETagMiddleware:
    """Middleware that adds an ETag to complete responses, and answers 304 if the client has it.

    The graph may change at any time, so clients must revalidate (`no-cache`).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with 304 if the response has not changed."""
        if scope["type"] != "http" or scope["method"] != "GET":
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
    headers.setdefault("Cache-Control", "private, no-cache")
    known_tags = Headers(scope=scope).get("if-none-match", "").split(",")
    if tag in (known.strip().removeprefix("W/") for known in known_tags):
        del headers["content-length"]
        await Response(status_code=304, headers=dict(headers))(scope, receive, send)
        return
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})


class MetricsMiddleware:
    """Middleware that records the number and duration of requests by route."""

    def __init__(self, app: ASGIApp, routes: FastAPI, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self.routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and record its duration."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
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
