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
from random import Random
from threading import Lock
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from specter_graph.core.atomic_files import write_errors
from specter_graph.core.progress import timestamp
from specter_graph.evaluation.feedback.experiments import arm_of, team_draft
from specter_graph.evaluation.feedback.usage_events import Clicked, Event, Opened, Page, Shown
from specter_graph.graph.search.hits import SearchHit
from specter_graph.service.service_settings import UsageLogSettings

COOKIE = "use"
_log = logging.getLogger(__name__)
_SESSION = re.compile(r"[0-9a-f]{32}")


def _open_private(path: str, flags: int) -> int:
    """Open a file, which only its owner can read if it is new: it has the words of searches."""
    return os.open(path, flags, 0o600)


class UsageLog:
    """The usage log of a service."""

    def __init__(self, settings: UsageLogSettings) -> None:
        """Remove an incomplete last line; raises InputError if the log cannot be written."""
        self.settings = settings
        self._key = secrets.token_bytes(32)
        self._lock = Lock()
        with (
            write_errors(settings.file),
            open(settings.file, "a+b", opener=_open_private) as file,
        ):
            file.seek(0)
            file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))

    def write(self, event: Event) -> None:
        """Append a line atomically; a failure is logged, and the page is shown nevertheless."""
        line = json.dumps(event.model_dump(exclude_none=True), ensure_ascii=False) + "\n"
        with self._lock:
            size = None
            try:
                with open(self.settings.file, "ab", opener=_open_private) as file:
                    size = file.tell()
                    file.write(line.encode())
            except OSError as error:
                _log.warning("%s: the event was not logged: %s", self.settings.file, error)
                if size is not None:
                    with suppress(OSError):
                        os.truncate(self.settings.file, size)

    def query_key(self, words: str) -> str:
        """Return the logged form of a search: its words or their hash."""
        if self.settings.log_queries:
            return words
        return hmac.digest(self._key, words.encode(), "sha256").hex()[:16]


class SessionLog:
    """The log of one session."""

    def __init__(self, log: UsageLog, session: str) -> None:
        self._log = log
        self._session = session

    @property
    def challenger_space(self) -> str | None:
        """The space that is compared with the service's space."""
        return self._log.settings.interleave

    def arms(self, space: str) -> tuple[str, str] | None:
        """The two rankings of an A/B experiment, of which `space` is the first."""
        challenger = self._log.settings.ab
        return (space, challenger) if challenger else None

    def arm(self, arms: tuple[str, str]) -> str:
        """The ranking that the session sees."""
        return arm_of(self._session, arms)

    def interleaved(
        self, query: str, a: Sequence[SearchHit], b: Sequence[SearchHit], spaces: tuple[str, str]
    ) -> list[tuple[SearchHit, str]]:
        """Interleave two lists; return each paper with its space.

        The result depends only on the session and the query. Remaining papers of the longer list
        are appended.
        """
        papers_by_id = {paper.id: paper for paper in (*b, *a)}
        ids_a, ids_b = [paper.id for paper in a], [paper.id for paper in b]
        drafted = team_draft(ids_a, ids_b, self._generator("draft", query))
        space_of = {id: spaces[team == "b"] for id, team in drafted}
        for space, ids in zip(spaces, (ids_a, ids_b), strict=True):
            for id in ids:
                space_of.setdefault(id, space)
        return [(papers_by_id[id], space) for id, space in space_of.items()]

    def swapped(self, query: str, papers: Sequence[SearchHit]) -> list[SearchHit]:
        """Exchange two papers in the configured share of lists."""
        generator = self._generator("swap", query)
        swapped = list(papers)
        if len(papers) >= 2 and generator.random() < self._log.settings.swap_rate:
            first, second = generator.sample(range(len(papers)), 2)
            swapped[first], swapped[second] = swapped[second], swapped[first]
        return swapped

    def shown(
        self,
        page: Page,
        query: str,
        papers: Sequence[SearchHit],
        spaces: Sequence[str],
        arms: tuple[str, str] | None = None,
    ) -> str:
        """Log a list, and return its name for the links, so that clicks can be logged."""
        name = secrets.token_hex(8)
        self._write(
            Shown,
            list=name,
            page=page,
            query=query if page == "similar" else self._log.query_key(query),
            shown=tuple(paper.id for paper in papers),
            spaces=tuple(spaces),
            arms=arms,
        )
        return name

    def clicked(self, name: str, place: int, paper: str) -> None:
        """Log that a paper was opened from a list."""
        self._write(Clicked, list=name, place=place, clicked=paper)

    def opened(self, paper: str) -> None:
        """Log that the page of a paper was opened."""
        self._write(Opened, opened=paper)

    def _write(self, kind: type[Event], **values: Any) -> None:  # noqa: ANN401
        self._log.write(kind(at=timestamp(), session=self._session, **values))

    def _generator(self, purpose: str, query: str) -> Random:
        return Random(f"{self._session} {purpose} {query}")  # noqa: S311, an experiment


async def _session_log(request: Request, response: Response) -> SessionLog | None:
    """Return the log of the caller's session; None if it must not be logged."""
    log: UsageLog | None = request.app.state.backend.usage_log
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
    return SessionLog(log, session)


SessionLogDep = Annotated[SessionLog | None, Depends(_session_log)]
