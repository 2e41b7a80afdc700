"""The optional usage log: which papers were shown and opened, without personal data.

A session is a random number in a session cookie. IP addresses and user agents are not logged. The
words of a search are logged only on request; otherwise they are replaced by a keyed hash, whose key
is lost when the service stops. Browsers that send `Sec-GPC: 1` or `DNT: 1` are not logged.
"""

import hmac
import json
import logging
import os
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from random import Random
from threading import Lock
from typing import Annotated, Protocol, TypeVar

from fastapi import Depends, Request, Response

from specter_graph.core.errors import InputError
from specter_graph.evaluation.feedback.interleaving import team_draft
from specter_graph.evaluation.feedback.usage_log import Clicked, Event, Opened, Page, Shown
from specter_graph.service.web.config import Learning

COOKIE = "use"
_LOG = logging.getLogger(__name__)
_SESSION = re.compile(r"[0-9a-f]{32}")


class _Paper(Protocol):
    @property
    def id(self) -> str: ...


Paper = TypeVar("Paper", bound=_Paper)


class UseLog:
    """The usage log of a service."""

    def __init__(self, terms: Learning) -> None:
        """Remove an incomplete last line; raises InputError if the log cannot be written."""
        self.terms = terms
        self._key = secrets.token_bytes(32)
        self._lock = Lock()
        try:
            with terms.file.open("a+b") as file:
                file.seek(0)
                file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))
        except OSError as error:
            raise InputError(
                f"{terms.file} cannot be written: {error.strerror or error}",
                "use another file: --log-use FILE",
            ) from error

    def note(self, event: Event) -> None:
        """Append a line atomically; a failure is logged, and the page is shown nevertheless."""
        line = json.dumps(event.model_dump(), ensure_ascii=False) + "\n"
        with self._lock:
            size = None
            try:
                with self.terms.file.open("ab") as file:
                    size = file.tell()
                    file.write(line.encode())
            except OSError as error:
                _LOG.warning("%s: the event was not logged: %s", self.terms.file, error)
                if size is not None:
                    with suppress(OSError):
                        os.truncate(self.terms.file, size)

    def name(self, words: str) -> str:
        """Return the logged form of a search: its words or their hash."""
        if self.terms.queries:
            return words
        return hmac.digest(self._key, words.encode(), "sha256").hex()[:16]


class Use:
    """The log of one session."""

    def __init__(self, log: UseLog, session: str) -> None:
        self._log = log
        self._session = session

    @property
    def rival(self) -> str | None:
        """The space that is compared with the service's space."""
        return self._log.terms.interleave

    def interleaved(
        self, query: str, a: Sequence[Paper], b: Sequence[Paper], spaces: tuple[str, str]
    ) -> list[tuple[Paper, str]]:
        """Interleave two lists; return each paper with its space.

        The result depends only on the session and the query. Remaining papers of the longer list
        are appended.
        """
        of = {each.id: each for each in (*b, *a)}
        drawn = team_draft([p.id for p in a], [p.id for p in b], self._generator("draft", query))
        both = {paper: spaces[team == "b"] for paper, team in drawn}
        for space, papers in zip(spaces, (a, b), strict=True):
            for each in papers:
                both.setdefault(each.id, space)
        return [(of[paper], space) for paper, space in both.items()]

    def swapped(self, query: str, papers: Sequence[Paper]) -> list[Paper]:
        """Exchange two papers in the configured share of lists."""
        generator = self._generator("swap", query)
        exchanged = list(papers)
        if len(papers) >= 2 and generator.random() < self._log.terms.swap:
            one, other = generator.sample(range(len(papers)), 2)
            exchanged[one], exchanged[other] = exchanged[other], exchanged[one]
        return exchanged

    def shown(self, page: Page, query: str, papers: Sequence[Paper], spaces: Sequence[str]) -> str:
        """Log a list, and return its name for the links, so that clicks can be logged."""
        name = secrets.token_hex(8)
        self._log.note(
            Shown(
                at=_now(),
                session=self._session,
                list=name,
                page=page,
                query=query if page == "similar" else self._log.name(query),
                shown=tuple(each.id for each in papers),
                spaces=tuple(spaces),
            )
        )
        return name

    def clicked(self, name: str, place: int, paper: str) -> None:
        """Log that a paper was opened from a list."""
        self._log.note(
            Clicked(at=_now(), session=self._session, list=name, place=place, clicked=paper)
        )

    def opened(self, paper: str) -> None:
        """Log that the page of a paper was opened."""
        self._log.note(Opened(at=_now(), session=self._session, opened=paper))

    def _generator(self, what: str, query: str) -> Random:
        return Random(f"{self._session} {what} {query}")  # noqa: S311, an experiment


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _use(request: Request, response: Response) -> Use | None:
    """Return the log of the caller's session; None if it must not be logged."""
    log: UseLog | None = request.app.state.use
    headers = request.headers
    if log is None or "1" in (headers.get("sec-gpc"), headers.get("dnt")):
        return None
    if "sec-purpose" in headers:  # a browser prefetches a page
        return None
    session = request.cookies.get(COOKIE, "")
    if not _SESSION.fullmatch(session):
        session = secrets.token_hex(16)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, session, httponly=True, samesite="lax", secure=secure)
    return Use(log, session)


TheUse = Annotated[Use | None, Depends(_use)]
