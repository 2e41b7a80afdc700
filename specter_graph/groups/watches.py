"""The group `graph.watches`: new papers near a query, a reading list or a paper, or citing them.

    (:Watch {name, kind, target, among, created, ran})-[:REPORTED {at, place, reason}]->(:Paper)

A paper is near if it is among the best of the whole graph. It is new if its record was loaded after
the watch was added, and the watch has not reported it. So no paper is missed because it got its
vector or its citations after a run, or because a run was interrupted.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import localtime
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, get_args

from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import (
    GraphError,
    InputError,
    ModelError,
    QueryTimeoutError,
    SpecterGraphError,
    require_choice,
    require_counts,
    require_texts,
)
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import first_space
from specter_graph.graph.maintenance.reading_lists import MAX_NAME_LENGTH, list_entries
from specter_graph.graph.queries.library_queries import current_ids
from specter_graph.graph.search.hits import SearchHit, add_details
from specter_graph.graph.search.vector_search import similar
from specter_graph.groups import Group
from specter_graph.groups.lists import Lists
from specter_graph.groups.spaces import Spaces
from specter_graph.search import SearchOptions, search

AMONG = 100
"""By default, a paper is near if it is among this number of best papers."""
MAX_AMONG = 1_000
MAX_QUERY_LENGTH = 10_000
MAX_REPORTED = 1_000
_MAX_CITED = 3
"""Maximum number of cited papers in a reason."""

WatchKind = Literal["query", "list", "paper"]
"""Kinds of targets."""


@dataclass(frozen=True, slots=True)
class PaperWatch:
    """A watch.

    Attributes:
        name: The name.
        kind: The kind of the target.
        target: The query, the name of the list, or the id of the paper.
        among: A paper is near if it is among this number of best papers of the whole graph.
        created: Time of creation, ISO 8601; papers that were loaded later are new.
        ran: Time of the last run, ISO 8601.
        reported: Number of reported papers.
    """

    name: str
    kind: WatchKind
    target: str
    among: int
    created: str
    ran: str | None
    reported: int


@dataclass(frozen=True, slots=True)
class NewPaper:
    """A new paper that a watch reports.

    Attributes:
        watch: The watch.
        id: The paper.
        title: The title.
        authors: Names, in order.
        year: The year.
        venue: The venue.
        links: URLs of the paper.
        reason: The reason of the report.
        loaded: Time at which it was loaded, ISO 8601.
        at: Time of the report, ISO 8601; None before it is recorded.
    """

    watch: str
    id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str | None
    links: tuple[str, ...]
    reason: str
    loaded: str | None
    at: str | None = None


class Watches(Group):
    """Watches: new papers near a query, a reading list or a paper, or citing it."""

    def __init__(self, database: Database, spaces: Spaces) -> None:
        super().__init__(database)
        self._spaces = spaces

    def list(self) -> Sequence[PaperWatch]:
        """Return all watches by name."""
        return [PaperWatch(**row) for row in self.database.read("watches/all")]

    def add(
        self, kind: WatchKind, target: str, *, name: str | None = None, among: int = AMONG
    ) -> PaperWatch:
        """Add a watch; papers that are loaded from now on are new.

        Args:
            kind: The kind of the target.
            target: The query, the name of the list, or the id of the paper.
            name: The name of the watch, by default the target.
            among: Report papers among this number of best papers of the whole graph, at most
                MAX_AMONG.

        Raises:
            GraphError: The list or the paper is not in the graph.
            InputError: The kind is unknown, the target is empty, `among` is invalid, or there is a
                watch of this name.
        """
        require_choice("kind of target", kind, get_args(WatchKind))
        require_texts(target=target, name=name or "")
        require_counts(among=among)
        if among > MAX_AMONG:
            raise InputError(f"among is {among}", f"choose a number from 1 to {MAX_AMONG:,}")
        target = target.strip()
        name = (name or target).strip()
        if not target or len(target) > MAX_QUERY_LENGTH:
            raise InputError(
                f"a watch needs a target of 1 to {MAX_QUERY_LENGTH:,} characters",
                'specter-graph watch add query "coral bleaching"',
            )
        if len(name) > MAX_NAME_LENGTH:
            raise InputError(
                f"the name of a watch has at most {MAX_NAME_LENGTH} characters",
                "give it a shorter name",
            )
        if kind == "list":
            list_entries(self.database, target)
        elif kind == "paper":
            [target] = current_ids(self.database, [target])
        [row] = self.database.write("watches/add", name=name, kind=kind, target=target, among=among)
        if not row["created"]:
            raise InputError(
                f"there is a watch {name!r}",
                f"give another name, or specter-graph watch delete {name!r}",
            )
        return self._require_watch(name)

    def delete(self, name: str) -> PaperWatch:
        """Delete a watch, and the record of the papers that it has reported; return it.

        Raises:
            GraphError: The watch is not in the graph.
        """
        watch = self._require_watch(name)
        self.database.write("watches/delete", name=name)
        return watch

    def run(
        self, report: Callable[[Sequence[NewPaper]], object], name: str | None = None
    ) -> Sequence[NewPaper]:
        """Find new papers, report them, and then record that they have been reported.

        If `report` fails or the process ends before the record, the next run reports the same
        papers again: none is lost. Do not run watches of a graph twice at the same time.

        Args:
            report: Called once with the new papers, by watch; also if there are none.
            name: The watch; None for all.

        Returns:
            The new papers.

        Raises:
            GraphError: The watch is not in the graph, or some watches did not run; the papers of
                the others have been reported.
        """
        papers: list[NewPaper] = []
        names: list[str] = []
        errors: dict[str, SpecterGraphError] = {}
        for watch in [self._require_watch(name)] if name else self.list():
            try:
                papers += self._find_new(watch)
                names.append(watch.name)
            except (GraphError, InputError, ModelError, QueryTimeoutError) as error:
                errors[watch.name] = error
        report(papers)
        rows = [{"watch": p.watch, "id": p.id, "reason": p.reason} for p in papers]
        self.database.write("watches/record", watches=names, papers=rows)
        if errors:
            raise _join_errors(errors)
        return papers

    def reported(self, name: str | None = None, *, limit: int = MAX_REPORTED) -> Sequence[NewPaper]:
        """Return the papers that watches have reported, the newest first.

        Args:
            name: The watch; None for all.
            limit: Maximum number of papers.

        Raises:
            GraphError: The watch is not in the graph.
        """
        if name is not None:
            self._require_watch(name)
        rows = self.database.read("watches/reported", name=name, limit=limit)
        return self._read_papers(rows)

    def _require_watch(self, name: str) -> PaperWatch:
        watches = {watch.name: watch for watch in self.list()}
        if name not in watches:
            known = ", ".join([*watches][:5])
            raise GraphError(
                f"the graph has no watch {name!r}",
                f"use one of: {known}" if known else 'specter-graph watch add query "coral reefs"',
            )
        return watches[name]

    def _find_new(self, watch: PaperWatch) -> Sequence[NewPaper]:
        cited = self._read_target(watch)
        near = self._find_near(watch, cited)
        rows = self.database.read("watches/new", name=watch.name, near=near, cited=cited)
        for row in rows:
            row["watch"], row["reason"] = watch.name, _describe_reason(row, watch)
        return self._read_papers(rows)

    def _read_target(self, watch: PaperWatch) -> Sequence[str]:
        """Return the papers of the target of a watch; none for a query."""
        try:
            if watch.kind == "list":
                return [entry.id for entry in list_entries(self.database, watch.target)]
            return current_ids(self.database, [watch.target] if watch.kind == "paper" else [])
        except GraphError as error:  # the target was deleted
            deletion = f"specter-graph watch delete {watch.name!r}"
            raise GraphError(error.message, deletion) from error

    def _find_near(self, watch: PaperWatch, cited: Sequence[str]) -> Sequence[str]:
        """Return the papers near the target of a watch, in order."""
        db = self.database
        hits: Sequence[SearchHit] = []
        if watch.kind == "query":
            embed, covers = self._spaces.embed_text, self._spaces.covers
            hits = search(db, embed, watch.target, SearchOptions(watch.among), covers=covers)
        elif watch.kind == "list":
            with suppress(GraphError):  # no paper with a record, or none with a vector
                hits = Lists(db).recommend(watch.target, k=watch.among)
        else:
            with suppress(GraphError):  # a stub, or a paper without a vector
                if space := first_space(db):
                    hits = similar(db, cited[0], space, watch.among)
        return [hit.id for hit in hits]

    def _read_papers(self, rows: Sequence[dict[str, Any]]) -> Sequence[NewPaper]:
        hits = add_details(
            self.database, [SearchHit(key, None, None, 1.0) for key in {row["id"] for row in rows}]
        )
        details = {hit.id: hit for hit in hits}
        return [
            NewPaper(
                row["watch"],
                hit.id,
                hit.title or hit.id,
                hit.authors,
                hit.year,
                hit.venue,
                hit.links,
                row["reason"],
                row["loaded"],
                row.get("at"),
            )
            for row in rows
            if (hit := details.get(row["id"]))
        ]


def _join_errors(errors: Mapping[str, SpecterGraphError]) -> GraphError:
    """Return an error that names all watches that did not run; equal errors are given once."""
    watches: dict[tuple[str, str | None], list[str]] = {}
    for name, error in errors.items():
        watches.setdefault((error.message, error.hint), []).append(repr(name))
    messages = [
        f"the {'watch' if len(names) == 1 else 'watches'} {', '.join(names)} did not run: {message}"
        for (message, _), names in watches.items()
    ]
    hints = dict.fromkeys(hint for _, hint in watches if hint)
    return GraphError("; ".join(messages), "; ".join(hints) or None)


def _describe_reason(row: dict[str, Any], watch: PaperWatch) -> str:
    """Return the reason of a report as text."""
    reasons = []
    if row["cites"]:
        titles = [paper["title"] or paper["id"] for paper in row["cites"]]
        more = f" and {len(titles) - _MAX_CITED} more" if len(titles) > _MAX_CITED else ""
        reasons.append(f"cites {'; '.join(titles[:_MAX_CITED])}{more}")
    if row["place"] is not None:
        target = (
            f"the {watch.kind} {watch.target!r}" if watch.kind != "query" else repr(watch.target)
        )
        reasons.append(f"number {row['place'] + 1} of the papers near {target}")
    return ", ".join(reasons)


def write_email(
    papers: Sequence[NewPaper], path: Path | str, *, recipient: str | None = None
) -> None:
    """Write new papers as an email, which other programs send.

    Args:
        papers: The papers, by watch.
        path: The .eml file, which must not exist: its papers may not have been sent.
        recipient: The address for the header To.

    Raises:
        InputError: The file exists or cannot be written, or the address is invalid.
    """
    path = Path(path)
    if path.exists():
        raise InputError(f"{path} exists: its papers may not have been sent", "send and delete it")
    message = EmailMessage(SMTP)
    number = len({paper.id for paper in papers})  # several watches may report a paper
    subject = "a new paper" if number == 1 else f"{number:,} new papers"
    message["Subject"] = f"specter-graph: {subject}"
    message["Date"] = localtime()
    try:
        if recipient:
            message["To"] = recipient
    except ValueError as error:
        raise InputError(f"{recipient!r} is not an address: {error}") from error
    lines: list[str] = []
    for watch, reported in groupby(papers, attrgetter("watch")):
        lines += [watch, "=" * len(watch), ""]
        for paper in reported:
            by = ", ".join(paper.authors)
            facts = ", ".join(str(fact) for fact in (paper.venue, paper.year) if fact)
            about = filter(None, [by, facts])
            lines += [paper.title, *about, paper.reason, *paper.links, paper.id, ""]
    message.set_content("\n".join(lines))
    write_file(path, message.as_bytes())
