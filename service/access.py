"""Who may ask: whoever reaches a service on loopback, else who has a key."""

import json
import secrets
from base64 import b64decode
from hashlib import sha256
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from specter_graph.errors import InputError
from specter_graph.service.problems import refusal
from specter_graph.service.terms import LOOPBACK, Terms

FILE = "api_keys.json"
_OPEN = "/v1/healthz/live"


class Access:
    """Refuses who has no key; without keys, who names another host than this machine.

    The latter keeps the pages of strangers, whose names lead here, from reading (DNS rebinding).
    A key comes as `Authorization: Bearer KEY`, or as the password that a browser asks for.
    """

    def __init__(self, app: ASGIApp, terms: Terms) -> None:
        self._app = app
        self._keys = terms.keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        answer: ASGIApp = self._app
        if scope["type"] == "http" and scope["path"] != _OPEN:
            headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
            if not self._keys and _host(headers.get(b"host", "")) not in LOOPBACK:
                answer = refusal(scope, 421, "this service answers on this machine alone")
            elif self._keys and not self._opens(headers.get(b"authorization", "")):
                asks = {"WWW-Authenticate": 'Basic realm="specter-graph", charset="UTF-8", Bearer'}
                hint = "Authorization: Bearer KEY, or KEY as the password"
                answer = refusal(scope, 401, "an API key is needed", hint, asks)
        await answer(scope, receive, send)

    def _opens(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() == "basic":
            try:
                given = b64decode(given, validate=True).decode().partition(":")[2]
            except ValueError:
                return False
        elif scheme.lower() != "bearer":
            return False
        mark = hashed(given.strip())
        return mark in self._keys


def _host(header: str) -> str:
    """The name in a Host header, without port and brackets."""
    name = header.rpartition("]")[0].lstrip("[") if "]" in header else header.partition(":")[0]
    return name.lower()


def hashed(key: str) -> str:
    """SHA-256 of a key. It has 256 random bits, which no salt or slow hash would make safer."""
    return sha256(key.encode()).hexdigest()


def make_key(folder: Path, name: str) -> str:
    """Make a key and keep its hash under a name, in place of an older one of that name."""
    key = secrets.token_urlsafe(32)
    _write(folder, _read(folder) | {name: hashed(key)})
    return key


def drop_key(folder: Path, name: str) -> None:
    """Forget a key; raises InputError where there is none of that name."""
    known = _read(folder)
    if name not in known:
        raise InputError(f"there is no key {name!r}", ", ".join(known) or "--make-key NAME")
    _write(folder, {each: mark for each, mark in known.items() if each != name})


def keys(folder: Path) -> frozenset[str]:
    """The hashes of all keys."""
    return frozenset(_read(folder).values())


def _read(folder: Path) -> dict[str, str]:
    file = folder / FILE
    try:
        found: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    except ValueError as error:
        raise InputError(f"{file} is damaged: {error}", "delete it, and make new keys") from error
    return found


def _write(folder: Path, known: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{FILE}"
    unfinished.touch(mode=0o600)
    unfinished.write_text(json.dumps(known, indent=1))
    unfinished.replace(folder / FILE)
