"""Authentication: anyone on loopback without keys, otherwise by API key."""

import json
import re
import secrets
from base64 import b64decode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit

from fastapi import Depends, Request
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from specter_graph.core.atomic_files import complete_file, data_folder
from specter_graph.core.errors import InputError
from specter_graph.service.web.config import SCOPES, KeyScope, Terms
from specter_graph.service.web.error_responses import refusal

FILE = "api_keys.json"
_OPEN = "/v1/healthz/live"
_SAFE = {"GET", "HEAD", "OPTIONS"}
_LOOPBACK_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_ABSOLUTE = re.compile(rb"https?://(?P<host>[^/]*)(?P<path>.*)", re.IGNORECASE)


class Access:
    """Middleware that rejects requests without a key; without keys, those for another host.

    Checking the Host header prevents pages of other sites from reading (DNS rebinding). A key is
    sent as `Authorization: Bearer KEY`, or as the password of a browser's login dialog. Requests
    that a browser sends from a page of another site are rejected (see `crosses`).
    """

    def __init__(self, app: ASGIApp, terms: Terms) -> None:
        self._app = app
        self._keys = terms.keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or reject a request."""
        answer: ASGIApp = self._app
        if scope["type"] == "http" and scope["path"] != _OPEN:
            use_origin_form(scope)
            headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
            may = self._scope_of(headers.get(b"authorization", ""))
            if not self._keys and not _LOOPBACK_HOST.fullmatch(headers.get(b"host", "")):
                answer = refusal(scope, 421, "this service answers only requests to localhost")
            elif may is None:
                asks = {"WWW-Authenticate": 'Basic realm="specter-graph", charset="UTF-8", Bearer'}
                hint = "send Authorization: Bearer KEY, or KEY as the password"
                answer = refusal(scope, 401, "an API key is required", hint, asks)
            elif crosses(headers) if scope["method"] not in _SAFE else is_embedded(headers):
                answer = refusal(scope, 403, "requests from pages of other sites are rejected")
            else:
                scope.setdefault("state", {})["may_write"] = may == "write"
        await answer(scope, receive, send)

    def _scope_of(self, authorization: str) -> KeyScope | None:
        """Return the scope of a key; without any keys, everyone has the scope "write"."""
        if not self._keys:
            return "write"
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() == "basic":
            try:
                given = b64decode(given, validate=True).decode().partition(":")[2]
            except ValueError:
                return None
        elif scheme.lower() != "bearer":
            return None
        return self._keys.get(hashed(given.strip()))


def crosses(headers: Mapping[bytes, str]) -> bool:
    """Return True if the headers show that a browser sent a request from another site.

    Current browsers send Sec-Fetch-Site to https and loopback addresses. For plain http to other
    hosts, and in older browsers, the Origin header shows the site. Other programs send neither, and
    a page cannot make them send requests.
    """
    if b"sec-fetch-site" in headers:
        return headers[b"sec-fetch-site"] not in ("same-origin", "none")
    origin = headers.get(b"origin")
    return origin is not None and urlsplit(origin).netloc != headers.get(b"host")


def is_embedded(headers: Mapping[bytes, str]) -> bool:
    """Return True if a page of another site loads this in the background, not by following a link.

    The page could not read the response, but many such requests would occupy all slots.
    """
    followed = (headers.get(b"sec-fetch-mode"), headers.get(b"sec-fetch-dest"))
    return headers.get(b"sec-fetch-site") == "cross-site" and followed != ("navigate", "document")


def use_origin_form(scope: Scope) -> None:
    """Replace an absolute request target (`GET http://host/path`) with the path and the Host.

    The authority of the target replaces the Host header (RFC 9112, section 3.2.2).
    """
    if target := _ABSOLUTE.fullmatch(scope.get("raw_path") or b""):
        scope["raw_path"] = target["path"] or b"/"
        scope["path"] = unquote(scope["raw_path"].decode("ascii"))
        others = [(key, value) for key, value in scope["headers"] if key != b"host"]
        scope["headers"] = [(b"host", target["host"]), *others]


def may_write(request: Request) -> bool:
    """Return True if the caller has the scope "write"."""
    return bool(request.state.may_write)


def _require_write(request: Request) -> None:
    if not may_write(request):
        raise HTTPException(403, "this request needs an API key with the scope write")


Writes = Depends(_require_write)
"""Dependency of all routes that make changes."""
MayWrite = Annotated[bool, Depends(may_write)]


def hashed(key: str) -> str:
    """Return the SHA-256 of a key; 256 random bits need no salt or slow hash."""
    return sha256(key.encode()).hexdigest()


def make_key(folder: Path, name: str, scope: KeyScope = "read") -> str:
    """Create a key and store its hash under a name, replacing an older key of that name.

    Raises:
        InputError: The name is empty.
    """
    if not name.strip():
        raise InputError("the name of the key is empty", "specter-graph keys add NAME")
    key = secrets.token_urlsafe(32)
    _write(folder, _read(folder) | {name: {"scope": scope, "sha256": hashed(key)}})
    return key


def drop_key(folder: Path, name: str) -> None:
    """Remove a key; raises InputError if the name is unknown."""
    known = _read(folder)
    if name not in known:
        raise InputError(f"there is no key {name!r}", "specter-graph keys list prints all keys")
    _write(folder, {each: key for each, key in known.items() if each != name})


def list_keys(folder: Path) -> dict[str, KeyScope]:
    """Return the scope of each key by its name."""
    scopes: dict[str, KeyScope] = {scope: scope for scope in SCOPES}
    try:
        return {name: scopes[key["scope"]] for name, key in sorted(_read(folder).items())}
    except (KeyError, TypeError) as error:
        raise _damaged(folder, error) from error


def keys(folder: Path) -> dict[str, KeyScope]:
    """Return the scope of each key, by its hash."""
    scopes: dict[str, KeyScope] = {scope: scope for scope in SCOPES}
    try:
        return {key["sha256"]: scopes[key["scope"]] for key in _read(folder).values()}
    except (KeyError, TypeError) as error:
        raise _damaged(folder, error) from error


def _read(folder: Path) -> dict[str, dict[str, str]]:
    file = folder / FILE
    try:
        stored: dict[str, dict[str, str]] = json.loads(file.read_text()) if file.exists() else {}
    except ValueError as error:
        raise _damaged(folder, error) from error
    return stored


def _damaged(folder: Path, error: Exception) -> InputError:
    return InputError(
        f"{folder / FILE} is damaged: {error!r}",
        "delete it, and create new keys: specter-graph keys add NAME",
    )


def _write(folder: Path, known: dict[str, dict[str, str]]) -> None:
    data_folder(folder)
    with complete_file(folder / FILE) as unfinished:
        unfinished.touch(mode=0o600)
        unfinished.write_text(json.dumps(known, indent=1))
