"""Which papers a search may find, and where each condition is met: in the index or after it."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from specter_graph.core.errors import InputError
from specter_graph.cypher import statement
from specter_graph.graph.checks import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.search.authors import find_authors
from specter_graph.graph.search.lucene import phrase, words, words_like

NAMED = ("venue", "field", "author")
"""Conditions that name nodes, in the order of search/starts."""
MOST_NAMES = 1_000
"""How many venues or fields are looked at for one of a name."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on the papers found; None asks for nothing.

    `since` and `until` are years, both included; `language` is a code ("en"). `field` and `venue`
    are an id or a name, in any case, and `author` is a name: "Weinberg, S.". `without` are ids
    that are not wanted. A paper whose year or language is unknown passes no condition on it.
    """

    since: int | None = None
    until: int | None = None
    language: str | None = None
    field: str | None = None
    venue: str | None = None
    author: str | None = None
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise InputError for years that no paper can meet."""
        if self.since is not None and self.until is not None and self.since > self.until:
            raise InputError(
                f"no year is both {self.since} or later and {self.until} or earlier",
                "the earlier year first",
            )

    @property
    def parameters(self) -> dict[str, object]:
        """The values of the conditions that are asked for, by parameter."""
        every = {
            "since": self.since,
            "until": self.until,
            "language": self.language,
            "field": self.field,
            "venue": self.venue,
            "author": self.author,
            "without": list(self.without) or None,
        }
        return {name: value for name, value in every.items() if value is not None}


NONE = Filters()


@dataclass(frozen=True, slots=True)
class Resolved(Filters):
    """Filters whose names have been found in the graph of `papers` papers.

    `venues`, `fields` and `authors` are element ids. `smaller` says which of the three has the
    fewest papers, and `size` how many, counted once for each venue, field or author; None where
    none is asked for.
    """

    venues: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    smaller: str | None = None
    size: int = 0
    papers: int = 0

    @property
    def values(self) -> dict[str, object]:
        """The values of the conditions, by parameter of the statements."""
        found = {f"{kind}s": list(getattr(self, f"{kind}s")) for kind in NAMED}
        names = {name: value for name, value in found.items() if value}
        return {k: v for k, v in self.parameters.items() if k not in NAMED} | names

    @property
    def share(self) -> float:
        """The share of the papers that are on the smaller side; 1 without one."""
        return self.size / self.papers if self.smaller and self.papers else 1.0

    @property
    def conditions(self) -> str:
        """All of them in Cypher, on `near`."""
        return _joined(self._lines())

    @property
    def others(self) -> str:
        """Those in Cypher that are left for a paper of the smaller side."""
        return _joined(line for line in self._lines() if f"${self.smaller}s" not in line)

    def within(self, held: Iterable[str]) -> str:
        """Those in Cypher that an index can meet which holds these properties; "" for none."""
        starts = tuple(f"near.{name} " for name in held)
        return " AND ".join(line for line in self._lines() if line.startswith(starts))

    def _lines(self) -> list[str]:
        lines = statement("search/filters").text.strip().splitlines()
        return [line for line in lines if any(f"${name}" in line for name in self.values)]


def _joined(lines: Iterable[str]) -> str:
    return " AND ".join(lines) or "true"


def resolve(db: Database, filters: Filters) -> Resolved:
    """Find the venues, fields and authors that filters name.

    Raises InputError, with names like it, for one that the graph does not have.
    """
    if isinstance(filters, Resolved):
        return filters
    asked = {each.name: getattr(filters, each.name) for each in fields(Filters)}
    found = {kind: _named(db, kind, name) for kind in NAMED if (name := asked[kind]) is not None}
    if not found:
        return Resolved(**asked)
    sizes = {kind: sum(row["papers"] for row in rows) for kind, rows in found.items()}
    smaller = min(sizes, key=lambda kind: sizes[kind])
    nodes: dict[str, Any] = {
        f"{kind}s": tuple(row["node"] for row in rows) for kind, rows in found.items()
    }
    return Resolved(
        **asked,
        **nodes,
        smaller=smaller,
        size=sizes[smaller],
        papers=found[smaller][0]["every"],
    )


def _named(db: Database, kind: str, name: str) -> list[dict[str, Any]]:
    """Find the venues, fields or authors of a name; rows of search/named or authors_named."""
    if kind == "author":
        rows = find_authors(db, name)
    else:
        rows = db.read(
            statement("search/named").text,
            index=f"fulltext_{kind}s",
            phrases=[phrase("name", name), phrase("id", name)],
            name=name,
            most=MOST_NAMES,
        )
    if rows:
        return rows
    require_papers(db)
    close = _names_like(db, kind, name)
    raise InputError(f"there is no {kind} {name!r}", f"use {', '.join(close)}" if close else None)


def _names_like(db: Database, kind: str, name: str) -> list[str]:
    if not words(name):
        return []
    rows = db.read(
        statement("search/names_like").text,
        index=f"fulltext_{kind}s",
        words=words_like(words(name)),
        most=MOST_NAMES,
    )
    names = {row["name"].lower(): row["name"] for row in rows}
    return [names[each] for each in get_close_matches(name.lower(), names, n=3, cutoff=0.3)]


def spliced(text: str, filters: Resolved) -> str:
    """Put all conditions into a statement at `{{filters}}`.

    A statement without an index has `{{start}}`, all papers or those of the smaller side, and
    `{{others}}`, the conditions that remain.
    """
    starts = statement("search/starts").text.strip().splitlines()
    start = dict(zip((None, *NAMED), starts, strict=True))[filters.smaller]
    return (
        text.replace("{{filters}}", filters.conditions)
        .replace("{{start}}", start)
        .replace("{{others}}", filters.others)
    )
