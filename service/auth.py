"""Authentication: anyone on loopback without keys, otherwise by API key."""

import re
import secrets
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from filelock import FileLock
from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from specter_graph.core.atomic_files import data_folder, write_file
from specter_graph.core.errors import InputError
from specter_graph.service.error_responses import error_response
from specter_graph.service.service_settings import KeyScope, ServiceSettings

KEYS_FILE = "api_keys.json"
PUBLIC_PATH = "/v1/healthz/live"
"""Path that needs no key."""
_SAFE = {"GET", "OPTIONS"}
_LOOPBACK_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _StoredKey:
    scope: KeyScope
    sha256: str


_STORED_KEYS = TypeAdapter(dict[str, _StoredKey])


class AuthMiddleware:
    """Middleware that rejects requests without a key; without keys, those for another host.

    Checking the Host header prevents pages of other sites from reading (DNS rebinding). A key is
    sent as `Authorization: Bearer KEY`, or as the password of a browser's login dialog. Requests
    that a browser sends from a page of another site are rejected (see `is_cross_site`).
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._read_keys = settings.read_keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or reject a request."""
        answer: ASGIApp = self._app
        if scope["type"] == "http" and scope["path"] != PUBLIC_PATH:
            headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
            key_scope = self._scope_of(headers.get(b"authorization", ""))
            if self._read_keys is None and not _LOOPBACK_HOST.fullmatch(headers.get(b"host", "")):
                detail = "this service answers only requests to localhost"
                hint = "use http://127.0.0.1 with its port, or serve --require-key behind a proxy"
                answer = error_response(scope, 421, detail, hint)
            elif key_scope is None:
                challenge = {"WWW-Authenticate": 'Basic realm="specter-graph", charset="UTF-8"'}
                hint = "send Authorization: Bearer KEY, or KEY as the password"
                answer = error_response(scope, 401, "an API key is required", hint, challenge)
            elif is_cross_site(headers) if scope["method"] not in _SAFE else is_embedded(headers):
                detail = "requests from pages of other sites are rejected"
                hint = "follow a link, or use the pages of the service"
                answer = error_response(scope, 403, detail, hint)
            else:
                scope.setdefault("state", {})["may_write"] = key_scope == "write"
        await answer(scope, receive, send)

    def _scope_of(self, authorization: str) -> KeyScope | None:
        """Return the scope of a key; if no key is required, everyone has the scope "write"."""
        if self._read_keys is None:
            return "write"
        scheme, _, key = authorization.partition(" ")
        if scheme.lower() == "basic":
            try:
                key = b64decode(key, validate=True).decode().partition(":")[2]
            except ValueError:
                return None
        elif scheme.lower() != "bearer":
            return None
        return self._read_keys().get(hash_key(key.strip()))


def is_cross_site(headers: Mapping[bytes, str]) -> bool:
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
    destination = (headers.get(b"sec-fetch-mode"), headers.get(b"sec-fetch-dest"))
    return headers.get(b"sec-fetch-site") == "cross-site" and destination != (
        "navigate",
        "document",
    )


def may_write(request: Request) -> bool:
    """Return True if the caller has the scope "write"."""
    return bool(request.state.may_write)


async def _require_write(request: Request) -> None:
    if not may_write(request):
        raise HTTPException(403, "this request needs an API key with the scope write")


WriteScope = Depends(_require_write)
"""Dependency of all routes that make changes."""
MayWriteDep = Annotated[bool, Depends(may_write)]


def hash_key(key: str) -> str:
    """Return the SHA-256 of a key; 256 random bits need no salt or slow hash."""
    return sha256(key.encode()).hexdigest()


def add_key(folder: Path, name: str, scope: KeyScope = "read") -> str:
    """Create a key and store its hash under a name, replacing an older key of that name.

    Raises:
        InputError: The name is empty.
    """
    if not name.strip():
        raise InputError("the name of the key is empty", "specter-graph keys add NAME")
    key = secrets.token_urlsafe(32)
    with _lock_keys(folder):
        _write(folder, _read(folder) | {name: _StoredKey(scope, hash_key(key))})
    return key


def delete_key(folder: Path, name: str) -> None:
    """Delete a key; raises InputError if the name is unknown."""
    with _lock_keys(folder):
        stored = _read(folder)
        if name not in stored:
            raise InputError(f"there is no key {name!r}", "specter-graph keys list prints all keys")
        _write(folder, {other: key for other, key in stored.items() if other != name})


def key_scopes(folder: Path) -> dict[str, KeyScope]:
    """Return the scope of each key by its name."""
    return {name: key.scope for name, key in sorted(_read(folder).items())}


def read_keys(folder: Path) -> dict[str, KeyScope]:
    """Return the scope of each key by its hash."""
    return {key.sha256: key.scope for key in _read(folder).values()}


def _read(folder: Path) -> dict[str, _StoredKey]:
    file = folder / KEYS_FILE
    try:
        return _STORED_KEYS.validate_json(file.read_bytes()) if file.exists() else {}
    except ValidationError as error:
        raise InputError(
            f"{file} is damaged: {error.errors()[0]['msg']}",
            "delete it, and create new keys: specter-graph keys add NAME",
        ) from error


def _lock_keys(folder: Path) -> FileLock:
    """Return a lock, so that of two commands at once neither overwrites the key of the other."""
    return FileLock(data_folder(folder) / f".{KEYS_FILE}.lock")


def _write(folder: Path, keys: dict[str, _StoredKey]) -> None:
    write_file(folder / KEYS_FILE, _STORED_KEYS.dump_json(keys, indent=1), 0o600)
