"""How much is taken at once: bodies of so many bytes, so many requests, so many that wait."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from specter_graph.service.metrics import Metrics
from specter_graph.service.problems import RETRY_SECONDS, refusal
from specter_graph.service.terms import Terms

_WITH_BODY = {"POST", "PUT", "PATCH"}
_UNLIMITED = ("/v1/healthz", "/v1/metrics", "/static/")
"""What is asked to see how the service does must not wait for it."""
_LISTS = ("/match", "/v1/jobs/match")
"""Where those who may write send the lists of a venue."""
_BY_COMMAND = "specter-graph match load VENUE"


class LimitedBody:
    """Reads a body whole before anything is done with it: too large or too slow, it is refused."""

    def __init__(self, app: ASGIApp, terms: Terms) -> None:
        self._app = app
        self._terms = terms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a body read whole, or refuse it."""
        if scope["type"] != "http" or scope["method"] not in _WITH_BODY:
            await self._app(scope, receive, send)
            return
        most, seconds, hint = self._terms.body, self._terms.body_seconds, "a part of it"
        if scope["path"] in _LISTS and scope["state"]["may_write"]:
            # a part of the lists of a venue would replace what the graph has of it
            most, seconds, hint = self._terms.lists, self._terms.lists_seconds, _BY_COMMAND
        try:
            async with asyncio.timeout(seconds):
                body = await _read(scope, receive, most)
        except ConnectionError:
            return  # nobody is there to be answered, and half of a body is not to be acted on
        except TimeoutError:
            said = f"the body did not arrive within {seconds:g} seconds"
            await refusal(scope, 408, said, headers={"Connection": "close"})(scope, receive, send)
            return
        if body is None:
            said = f"the body has more than {most:,} bytes"
            close = {"Connection": "close"}
            await refusal(scope, 413, said, hint, close)(scope, receive, send)
            return
        whole: list[Message] = [{"type": "http.request", "body": body}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, replay, send)


async def _read(scope: Scope, receive: Receive, most: int) -> bytes | None:
    """The body, None when it has too many bytes; raises ConnectionError when it breaks off."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if int(length) > most:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return bytes(body)


class Slots:
    """Lets so many requests be worked on; others wait, and those beyond are told to come back."""

    def __init__(self, app: ASGIApp, terms: Terms, metrics: Metrics) -> None:
        self._app = app
        self._terms = terms
        self._metrics = metrics
        self._slots = asyncio.Semaphore(terms.at_once)
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when there is a slot, or refuse."""
        if scope["type"] != "http" or scope["path"].startswith(_UNLIMITED):
            await self._app(scope, receive, send)
            return
        if not await self._turn():
            said = "more is asked at once than can be answered"
            again = {"Retry-After": str(RETRY_SECONDS)}
            await refusal(scope, 429, said, "again in a few seconds", again)(scope, receive, send)
            return
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
