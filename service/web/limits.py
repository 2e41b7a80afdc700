"""Limits of request bodies, concurrent requests and waiting requests."""

import asyncio
import time
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specter_graph.service.web.config import Terms
from specter_graph.service.web.error_responses import RETRY_SECONDS, refusal
from specter_graph.service.web.monitor import DatabaseMonitor, Metrics

_WITH_BODY = {"POST", "PUT", "PATCH"}
_UNLIMITED = ("/v1/healthz", "/v1/metrics", "/static/")
"""Paths without limits: health checks and metrics must not wait."""
_LISTS = ("/match", "/v1/jobs/match")
"""Paths that receive the lists of a venue."""
_BY_COMMAND = "specter-graph match load VENUE"
STUCK_SECONDS = 5.0


class LimitedBody:
    """Middleware that reads each body completely and rejects those that are too large or too slow.

    The bodies of all requests in progress have at most `terms.bodies` bytes together.
    """

    def __init__(self, app: ASGIApp, terms: Terms) -> None:
        self._app = app
        self._terms = terms
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a complete body, or reject it."""
        if scope["type"] != "http" or scope["method"] not in _WITH_BODY:
            await self._app(scope, receive, send)
            return
        limit, seconds, hint = self._terms.body, self._terms.body_seconds, "a part of it"
        if scope["path"] in _LISTS and scope["state"]["may_write"]:
            # partial lists would replace the complete lists in the graph
            limit, seconds, hint = self._terms.lists, self._terms.lists_seconds, _BY_COMMAND
        close = {"Connection": "close"}
        body = bytearray()
        try:
            try:
                async with asyncio.timeout(seconds):
                    status = await self._read(body, scope, receive, limit)
            except ConnectionError:
                return  # the client has disconnected, and the body is incomplete
            except TimeoutError:
                status = HTTPStatus.REQUEST_TIMEOUT
            answer: ASGIApp = self._app
            if status == HTTPStatus.REQUEST_TIMEOUT:
                detail = f"the body did not arrive within {seconds:g} seconds"
                answer = refusal(scope, status, detail, headers=close)
            elif status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                detail = f"the body has more than {limit:,} bytes"
                answer = refusal(scope, status, detail, hint, close)
            elif status == HTTPStatus.TOO_MANY_REQUESTS:
                detail = f"the bodies of all requests have more than {self._terms.bodies:,} bytes"
                again = {"Retry-After": str(RETRY_SECONDS), **close}
                answer = refusal(scope, status, detail, "again in a few seconds", again)
            await answer(scope, _replayed(body, receive), send)
        finally:
            self._held -= len(body)

    async def _read(
        self, body: bytearray, scope: Scope, receive: Receive, limit: int
    ) -> HTTPStatus:
        """Read the body, and return OK or the status of the rejection.

        Raises:
            ConnectionError: The client disconnected before the end of the body.
        """
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if int(length) > limit:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            part = message.get("body", b"")
            body += part
            self._held += len(part)
            if len(body) > limit:
                return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            if self._held > self._terms.bodies:
                return HTTPStatus.TOO_MANY_REQUESTS
            if not message.get("more_body"):
                return HTTPStatus.OK


def _replayed(body: bytearray, receive: Receive) -> Receive:
    read = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": bytes(body)}

    return replay


class Slots:
    """Middleware that limits concurrent and waiting requests, and rejects further ones.

    While the database recovers, requests do not wait, because they would be rejected later.
    """

    def __init__(
        self, app: ASGIApp, terms: Terms, metrics: Metrics, monitor: DatabaseMonitor
    ) -> None:
        self._app = app
        self._terms = terms
        self._metrics = metrics
        self._monitor = monitor
        self._slots = asyncio.Semaphore(terms.at_once)
        self._waiting = 0
        self._changed = time.monotonic()

    @property
    def _are_stuck(self) -> bool:
        """True if all slots have been in use for longer than the time limit of a database read."""
        since = time.monotonic() - self._changed
        return self._slots.locked() and since > self._terms.seconds + STUCK_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when a slot is free, or reject the request."""
        if scope["type"] != "http" or scope["path"].startswith(_UNLIMITED):
            scope.setdefault("state", {})["slots_are_stuck"] = self._are_stuck
            await self._app(scope, receive, send)
            return
        again = {"Retry-After": str(RETRY_SECONDS)}
        if self._slots.locked() and self._monitor.is_recovering:
            detail = "the database has just come back, and is slow"
            await refusal(scope, 503, detail, "again in a few seconds", again)(scope, receive, send)
            return
        if not await self._turn():
            detail = "more is asked at once than can be answered"
            await refusal(scope, 429, detail, "again in a few seconds", again)(scope, receive, send)
            return
        self._changed = time.monotonic()
        self._metrics.working.inc()
        taken = _Taken(send, self._terms.send_seconds)
        try:
            await self._app(scope, receive, taken)
        except TimeoutError:
            if not taken.given_up:
                raise
        finally:
            self._metrics.working.dec()
            self._slots.release()
            self._changed = time.monotonic()

    async def _turn(self) -> bool:
        if self._slots.locked() and self._waiting >= self._terms.queue:
            return False
        self._waiting += 1
        self._metrics.waiting.set(self._waiting)
        try:
            async with asyncio.timeout(self._terms.queue_seconds):
                return await self._slots.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
            self._metrics.waiting.set(self._waiting)


class _Taken:
    """A send function that disconnects clients that do not read, which frees the slot."""

    def __init__(self, send: Send, seconds: float) -> None:
        self.given_up = False
        self._send = send
        self._seconds = seconds

    async def __call__(self, message: Message) -> None:
        """Send a part of a response; raises TimeoutError if the client does not read it."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._send(message)
        except TimeoutError:
            self.given_up = True
            raise
