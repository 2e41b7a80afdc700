"""Security headers and ETags of responses."""

from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    f"{what} {where}"
    for what, where in {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }.items()
)
DOCUMENT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""Policy of a report, a self-contained file: no scripts, forms, external content or origin."""
SECURITY = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SecurityHeaders:
    """Middleware that adds SECURITY to all responses; a route may set another policy."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with SECURITY headers."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers.setdefault(name, value)
                del headers["server"]
            await send(message)

        await self._app(scope, receive, guarded if scope["type"] == "http" else send)


class Conditional:
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

        async def hashed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_complete(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    await _answer(scope, receive, send, start, bytes(body))

        await self._app(scope, receive, hashed)


def _is_complete(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    return message["status"] == 200 and "content-length" in headers and "etag" not in headers


async def _answer(scope: Scope, receive: Receive, send: Send, start: Message, body: bytes) -> None:
    tag = f'"{sha256(body).hexdigest()[:24]}"'
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["ETag"] = tag
    headers.setdefault("Cache-Control", "private, no-cache")
    known = Headers(scope=scope).get("if-none-match", "")
    if tag in (each.strip().removeprefix("W/") for each in known.split(",")):
        del headers["content-length"]
        await Response(status_code=304, headers=dict(headers))(scope, receive, send)
        return
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})
