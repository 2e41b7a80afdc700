"""How much is taken at once: bodies of so many bytes, so many requests, so many that wait."""

import asyncio
import time
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specter_graph.service.web.config import Terms
from specter_graph.service.web.error_responses import RETRY_SECONDS, refusal
from specter_graph.service.web.monitor import DatabaseMonitor, Metrics

_WITH_BODY = {"POST", "PUT", "PATCH"}
_UNLIMITED = ("/v1/healthz", "/v1/metrics", "/static/")
"""What is asked to see how the service does must not wait for it."""
_LISTS = ("/match", "/v1/jobs/match")
"""Where those who may write send the lists of a venue."""
_BY_COMMAND = "specter-graph match load VENUE"
STUCK_SECONDS = 5.0


class LimitedBody:
    """Reads a body before anything is done with it; one that is too large or too slow is refused.

    The bodies of all requests that are being answered have at most `terms.bodies` bytes together.
    """

    def __init__(self, app: ASGIApp, terms: Terms) -> None:
        self._app = app
        self._terms = terms
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a complete body, or refuse it."""
        if scope["type"] != "http" or scope["method"] not in _WITH_BODY:
            await self._app(scope, receive, send)
            return
        most, seconds, hint = self._terms.body, self._terms.body_seconds, "a part of it"
        if scope["path"] in _LISTS and scope["state"]["may_write"]:
            # a part of the lists of a venue would replace what the graph has of it
            most, seconds, hint = self._terms.lists, self._terms.lists_seconds, _BY_COMMAND
        close = {"Connection": "close"}
        body = bytearray()
        try:
            try:
                async with asyncio.timeout(seconds):
                    status = await self._read(body, scope, receive, most)
            except ConnectionError:
                return  # nobody is there to be answered, and half of a body is not to be acted on
            except TimeoutError:
                status = HTTPStatus.REQUEST_TIMEOUT
            answer: ASGIApp = self._app
            if status == HTTPStatus.REQUEST_TIMEOUT:
                said = f"the body did not arrive within {seconds:g} seconds"
                answer = refusal(scope, status, said, headers=close)
            elif status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                said = f"the body has more than {most:,} bytes"
                answer = refusal(scope, status, said, hint, close)
            elif status == HTTPStatus.TOO_MANY_REQUESTS:
                said = f"the bodies of all requests have more than {self._terms.bodies:,} bytes"
                again = {"Retry-After": str(RETRY_SECONDS), **close}
                answer = refusal(scope, status, said, "again in a few seconds", again)
            await answer(scope, _replayed(body, receive), send)
        finally:
            self._held -= len(body)

    async def _read(self, body: bytearray, scope: Scope, receive: Receive, most: int) -> HTTPStatus:
        """Read the body, and return OK or why it is refused.

        Raises ConnectionError when the body breaks off.
        """
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if int(length) > most:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            part = message.get("body", b"")
            body += part
            self._held += len(part)
            if len(body) > most:
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
    """Limits how many requests are worked on and how many wait; those beyond are refused.

    None waits while the database recovers: what waits then would be refused later.
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
        """Whether all slots have been taken for longer than any read of the database takes."""
        since = time.monotonic() - self._changed
        return self._slots.locked() and since > self._terms.seconds + STUCK_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when there is a slot, or refuse."""
        if scope["type"] != "http" or scope["path"].startswith(_UNLIMITED):
            scope.setdefault("state", {})["slots_are_stuck"] = self._are_stuck
            await self._app(scope, receive, send)
            return
        again = {"Retry-After": str(RETRY_SECONDS)}
        if self._slots.locked() and self._monitor.is_recovering:
            said = "the database has just come back, and is slow"
            await refusal(scope, 503, said, "again in a few seconds", again)(scope, receive, send)
            return
        if not await self._turn():
            said = "more is asked at once than can be answered"
            await refusal(scope, 429, said, "again in a few seconds", again)(scope, receive, send)
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
    """Sends, and gives up on who does not read: the connection ends, and the slot is free."""

    def __init__(self, send: Send, seconds: float) -> None:
        self.given_up = False
        self._send = send
        self._seconds = seconds

    async def __call__(self, message: Message) -> None:
        """Send a part of an answer; raises TimeoutError when it is not taken."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._send(message)
        except TimeoutError:
            self.given_up = True
            raise
