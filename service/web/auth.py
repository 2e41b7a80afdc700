"""Who may ask, and who may change something: whoever reaches a service on loopback, else by key."""

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

from specter_graph.core.errors import InputError
from specter_graph.core.files import complete_file, data_folder
from specter_graph.service.web.config import SCOPES, KeyScope, Terms
from specter_graph.service.web.error_responses import refusal

FILE = "api_keys.json"
_OPEN = "/v1/healthz/live"
_SAFE = {"GET", "HEAD", "OPTIONS"}
_LOOPBACK_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_ABSOLUTE = re.compile(rb"https?://(?P<host>[^/]*)(?P<path>.*)", re.IGNORECASE)


class Access:
    """Refuses who has no key; without keys, who names another host than this machine.

    The latter keeps the pages of strangers, whose names lead here, from reading (DNS rebinding).
    A key comes as `Authorization: Bearer KEY`, or as the password that a browser asks for. What a
    browser sends from a page of another site is not taken for the person's wish (see `crosses`).
    """

    def __init__(self, app: ASGIApp, terms: Terms) -> None:
        self._app = app
        self._keys = terms.keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        answer: ASGIApp = self._app
        if scope["type"] == "http" and scope["path"] != _OPEN:
            use_origin_form(scope)
            headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
            may = self._may(headers.get(b"authorization", ""))
            if not self._keys and not _LOOPBACK_HOST.fullmatch(headers.get(b"host", "")):
                answer = refusal(scope, 421, "this service answers on this machine alone")
            elif may is None:
                asks = {"WWW-Authenticate": 'Basic realm="specter-graph", charset="UTF-8", Bearer'}
                hint = "Authorization: Bearer KEY, or KEY as the password"
                answer = refusal(scope, 401, "an API key is needed", hint, asks)
            elif crosses(headers) if scope["method"] not in _SAFE else is_embedded(headers):
                answer = refusal(scope, 403, "a page of another site has sent this")
            else:
                scope.setdefault("state", {})["may_write"] = may == "write"
        await answer(scope, receive, send)

    def _may(self, authorization: str) -> KeyScope | None:
        """What a key is for; without any keys, whoever reaches the service may all."""
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
    """Whether a browser sent a request from another site than ours, as its headers tell.

    Every browser of today says so itself (Sec-Fetch-Site) to https and to loopback; by plain http
    to another host, and in older ones, the page's origin tells. Programs send neither: nobody can
    lead those to ask with another's rights.
    """
    if b"sec-fetch-site" in headers:
        return headers[b"sec-fetch-site"] not in ("same-origin", "none")
    origin = headers.get(b"origin")
    return origin is not None and urlsplit(origin).netloc != headers.get(b"host")


def is_embedded(headers: Mapping[bytes, str]) -> bool:
    """Whether a page of another site loads this in the background; a link that is followed is not.

    The page could not read the answer, but many such requests would take all slots.
    """
    followed = (headers.get(b"sec-fetch-mode"), headers.get(b"sec-fetch-dest"))
    return headers.get(b"sec-fetch-site") == "cross-site" and followed != ("navigate", "document")


def use_origin_form(scope: Scope) -> None:
    """Replace an absolute request target (`GET http://host/path`) with the path and the Host.

    As RFC 9112, section 3.2.2, asks; the authority of the target replaces the Host header.
    """
    if target := _ABSOLUTE.fullmatch(scope.get("raw_path") or b""):
        scope["raw_path"] = target["path"] or b"/"
        scope["path"] = unquote(scope["raw_path"].decode("ascii"))
        others = [(key, value) for key, value in scope["headers"] if key != b"host"]
        scope["headers"] = [(b"host", target["host"]), *others]


def may_write(request: Request) -> bool:
    """Whether who asks may change something."""
    return bool(request.state.may_write)


def _require_write(request: Request) -> None:
    if not may_write(request):
        raise HTTPException(403, "this changes something, and the API key only reads")


Writes = Depends(_require_write)
"""Of each route that changes something."""
MayWrite = Annotated[bool, Depends(may_write)]


def hashed(key: str) -> str:
    """SHA-256 of a key. It has 256 random bits, which no salt or slow hash would make safer."""
    return sha256(key.encode()).hexdigest()


def make_key(folder: Path, name: str, scope: KeyScope = "read") -> str:
    """Make a key and keep its hash under a name, in place of an older one of that name.

    Raises InputError for an empty name.
    """
    if not name.strip():
        raise InputError("the name of the key is empty", "--make-key NAME")
    key = secrets.token_urlsafe(32)
    _write(folder, _read(folder) | {name: {"scope": scope, "sha256": hashed(key)}})
    return key


def drop_key(folder: Path, name: str) -> None:
    """Forget a key; raises InputError where there is none of that name."""
    known = _read(folder)
    if name not in known:
        raise InputError(f"there is no key {name!r}", ", ".join(known) or "--make-key NAME")
    _write(folder, {each: key for each, key in known.items() if each != name})


def keys(folder: Path) -> dict[str, KeyScope]:
    """What each key is for, by its hash."""
    scopes: dict[str, KeyScope] = {scope: scope for scope in SCOPES}
    try:
        return {key["sha256"]: scopes[key["scope"]] for key in _read(folder).values()}
    except (KeyError, TypeError) as error:
        raise _damaged(folder, error) from error


def _read(folder: Path) -> dict[str, dict[str, str]]:
    file = folder / FILE
    try:
        found: dict[str, dict[str, str]] = json.loads(file.read_text()) if file.exists() else {}
    except ValueError as error:
        raise _damaged(folder, error) from error
    return found


def _damaged(folder: Path, error: Exception) -> InputError:
    return InputError(
        f"{folder / FILE} is damaged: {error!r}", "delete it, and make new keys: --make-key NAME"
    )


def _write(folder: Path, known: dict[str, dict[str, str]]) -> None:
    data_folder(folder)
    with complete_file(folder / FILE) as unfinished:
        unfinished.touch(mode=0o600)
        unfinished.write_text(json.dumps(known, indent=1))
