"""Learns from use, where it is asked to: what was shown and opened, of whom nothing is known.

A session is a random number in a cookie that the browser forgets when it is closed. Neither
addresses nor the browser's name are noted, and the words of a search only if that is asked for;
else a number stands for them that means nothing once the service has stopped. Who asks not to be
followed (Sec-GPC, DNT) is not.
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
    """The log of a service."""

    def __init__(self, terms: Learning) -> None:
        """Cut a half line off the end of the log; raises InputError where none can be written."""
        self.terms = terms
        self._key = secrets.token_bytes(32)
        self._lock = Lock()
        try:
            with terms.file.open("a+b") as file:
                file.seek(0)
                file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))
        except OSError as error:
            raise InputError(
                f"{terms.file} cannot be written: {error.strerror or error}", "another --log-use"
            ) from error

    def note(self, event: Event) -> None:
        """Add a line, whole or not at all: a page is shown whether it can be noted or not."""
        line = json.dumps(event.model_dump(), ensure_ascii=False) + "\n"
        with self._lock:
            size = None
            try:
                with self.terms.file.open("ab") as file:
                    size = file.tell()
                    file.write(line.encode())
            except OSError as error:
                _LOG.warning("%s: nothing is noted: %s", self.terms.file, error)
                if size is not None:
                    with suppress(OSError):
                        os.truncate(self.terms.file, size)

    def name(self, words: str) -> str:
        """What stands for the words of a search."""
        if self.terms.queries:
            return words
        return hmac.digest(self._key, words.encode(), "sha256").hex()[:16]


class Use:
    """One session's use."""

    def __init__(self, log: UseLog, session: str) -> None:
        self._log = log
        self._session = session

    @property
    def rival(self) -> str | None:
        """The space that is compared with that of the service."""
        return self._log.terms.interleave

    def interleaved(
        self, query: str, a: Sequence[Paper], b: Sequence[Paper], spaces: tuple[str, str]
    ) -> list[tuple[Paper, str]]:
        """One list of two, each paper with its space; for a session and query always the same.

        What only the longer list has left stands at the end.
        """
        of = {each.id: each for each in (*b, *a)}
        drawn = team_draft([p.id for p in a], [p.id for p in b], self._generator("draft", query))
        both = {paper: spaces[team == "b"] for paper, team in drawn}
        for space, papers in zip(spaces, (a, b), strict=True):
            for each in papers:
                both.setdefault(each.id, space)
        return [(of[paper], space) for paper, space in both.items()]

    def swapped(self, query: str, papers: Sequence[Paper]) -> list[Paper]:
        """The papers, in a share of the cases with two of them exchanged."""
        generator = self._generator("swap", query)
        exchanged = list(papers)
        if len(papers) >= 2 and generator.random() < self._log.terms.swap:
            one, other = generator.sample(range(len(papers)), 2)
            exchanged[one], exchanged[other] = exchanged[other], exchanged[one]
        return exchanged

    def shown(self, page: Page, query: str, papers: Sequence[Paper], spaces: Sequence[str]) -> str:
        """Note a list, and return what its links say so that a click can be noted."""
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
        """Note that a paper was opened from a list."""
        self._log.note(
            Clicked(at=_now(), session=self._session, list=name, place=place, clicked=paper)
        )

    def opened(self, paper: str) -> None:
        """Note that the page of a paper was opened."""
        self._log.note(Opened(at=_now(), session=self._session, opened=paper))

    def _generator(self, what: str, query: str) -> Random:
        return Random(f"{self._session} {what} {query}")  # noqa: S311, an experiment


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _use(request: Request, response: Response) -> Use | None:
    """The use of who asks; None where nothing is to be noted."""
    log: UseLog | None = request.app.state.use
    headers = request.headers
    if log is None or "1" in (headers.get("sec-gpc"), headers.get("dnt")):
        return None
    if "sec-purpose" in headers:  # a browser fetches what nobody has opened yet
        return None
    session = request.cookies.get(COOKIE, "")
    if not _SESSION.fullmatch(session):
        session = secrets.token_hex(16)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, session, httponly=True, samesite="lax", secure=secure)
    return Use(log, session)


TheUse = Annotated[Use | None, Depends(_use)]
