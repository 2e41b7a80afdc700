"""Filters of a search, applied in the vector index or after it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from numbers import Integral
from typing import Any, TypedDict, Unpack

from specter_graph.core.errors import (
    GraphError,
    InputError,
    require_texts,
    summarize_names,
    text_list,
)
from specter_graph.cypher import query_text, statement
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.search.author_names import MAX_NAMES, find_authors
from specter_graph.graph.search.lucene import phrase, tokenize, words_like

NODE_CONDITIONS = ("venue", "field", "author", "topic", "list")
"""Conditions that name nodes, in the order of search/starts."""
_LISTED = {"list": ("reading list", "lists list"), "topic": ("topic", "topics list")}
"""Conditions whose nodes a command lists, with their name in messages and the command."""


class FilterOptions(TypedDict, total=False):
    """Conditions on the returned papers, as arguments of a search; None means no condition.

    A paper whose year or language is unknown does not satisfy a condition on it.

    Attributes:
        since: First year, inclusive.
        until: Last year, inclusive.
        language: Language code, such as "en".
        field: Id or name of a field, case-insensitive.
        venue: Id or name of a venue, case-insensitive.
        author: Name of an author, such as "Weinberg, S.".
        topic: Id of a topic, such as "specter:3", or its name, case-insensitive.
        list: Name of a reading list.
        exclude: Ids of papers to leave out.
    """

    since: int | None
    until: int | None
    language: str | None
    field: str | None
    venue: str | None
    author: str | None
    topic: str | None
    list: str | None
    exclude: Sequence[str]


@dataclass(frozen=True, slots=True)
class Filters:
    """The conditions of `FilterOptions`, with checked types."""

    since: int | None = None
    until: int | None = None
    language: str | None = None
    field: str | None = None
    venue: str | None = None
    author: str | None = None
    topic: str | None = None
    list: str | None = None
    exclude: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise InputError for a wrong type or year, or if `since` is after `until`."""
        object.__setattr__(self, "exclude", tuple(text_list("exclude", self.exclude)))
        for year in (self.since, self.until):
            # Cypher compares a text with no number.
            if year is not None and not (isinstance(year, Integral) and 1000 <= year <= 9999):
                raise InputError(f"the year is {year!r}", "give four digits, such as 2001")
        texts = {name: getattr(self, name) for name in ("language", *NODE_CONDITIONS)}
        require_texts(**{name: text for name, text in texts.items() if text is not None})
        if self.since is not None and self.until is not None and self.since > self.until:
            raise InputError(
                f"no year is both {self.since} or later and {self.until} or earlier",
                "give the earlier year first",
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """The conditions that are not None, by name."""
        conditions = {field.name: getattr(self, field.name) for field in fields(Filters)}
        conditions["exclude"] = [*self.exclude] or None
        return {name: value for name, value in conditions.items() if value is not None}


NO_FILTERS = Filters()


def make_filters(**options: Unpack[FilterOptions]) -> Filters:
    """Return the filters of a search.

    Raises:
        TypeError: A keyword is none of `FilterOptions`.
        InputError: A value has the wrong type.
    """
    for unknown in options.keys() - FilterOptions.__annotations__.keys():
        known = ", ".join(FilterOptions.__annotations__)
        raise TypeError(
            f"unexpected keyword argument {unknown!r}: k is the number of papers, and the filters"
            f" are {known}"
        )
    return Filters(**options)


@dataclass(frozen=True, slots=True)
class Resolved(Filters):
    """Filters whose names of venues, fields, authors, topics and lists are resolved to nodes.

    Attributes:
        nodes: The element ids of the nodes of each condition in NODE_CONDITIONS.
        smaller: The most selective of the conditions in NODE_CONDITIONS; None without any of them.
        size: Number of its papers, counted once for each node.
        papers: Number of papers in the graph.
    """

    nodes: Mapping[str, list[str]] = field(default_factory=dict)
    smaller: str | None = None
    size: int = 0
    papers: int = 0

    @property
    def values(self) -> dict[str, object]:
        """The values of the conditions, by parameter name in the statements."""
        nodes = {f"{kind}s": ids for kind, ids in self.nodes.items() if ids}
        return {k: v for k, v in self.parameters.items() if k not in NODE_CONDITIONS} | nodes

    @property
    def share(self) -> float:
        """The share of the papers that satisfy the most selective condition; 1 without one.

        It is above 0, also if no paper satisfies the condition.
        """
        return max(self.size, 1) / self.papers if self.smaller and self.papers else 1.0

    @property
    def conditions(self) -> list[str]:
        """The conditions in Cypher, on `near`."""
        names = [f"${name}" for name in self.values]
        lines = statement("search/filters").text.strip().splitlines() if names else []
        return [line for line in lines if any(name in line for name in names)]

    def within(self, held: Iterable[str]) -> str:
        """Return the conditions in Cypher on these properties of an index; "" if there are none."""
        starts = tuple(f"near.{name} " for name in held)
        return " AND ".join(line for line in self.conditions if line.startswith(starts))


def resolve(db: Database, filters: Filters) -> Resolved:
    """Resolve the venues, fields, authors, topics and reading lists that filters name.

    Raises:
        GraphError: A name is not in the graph; the hint lists similar names.
    """
    if isinstance(filters, Resolved):
        return filters
    requested = {condition.name: getattr(filters, condition.name) for condition in fields(Filters)}
    rows_by_kind = {
        kind: _find_named(db, kind, name)
        for kind in NODE_CONDITIONS
        if (name := requested[kind]) is not None
    }
    if not rows_by_kind:
        return Resolved(**requested)
    sizes = {kind: sum(row["papers"] for row in rows) for kind, rows in rows_by_kind.items()}
    smaller = min(sizes, key=lambda kind: sizes[kind])
    return Resolved(
        **requested,
        nodes={kind: [row["node"] for row in rows] for kind, rows in rows_by_kind.items()},
        smaller=smaller,
        size=sizes[smaller],
        papers=rows_by_kind[smaller][0]["every"],
    )


def _find_named(db: Database, kind: str, name: str) -> list[dict[str, Any]]:
    """Return the nodes with a name, as rows of search/named; none only for an empty graph."""
    if kind == "author":
        rows = find_authors(db, name)
    elif kind in _LISTED:
        rows = db.read(f"search/{kind}s_named", name=name)
        if not rows:
            noun, command = _LISTED[kind]
            raise GraphError(f"the graph has no {noun} {name!r}", f"specter-graph {command}")
    else:
        rows = db.read(
            "search/named",
            index=f"fulltext_{kind}s",
            phrases=[phrase("name", name), phrase("id", name)],
            name=name,
            limit=MAX_NAMES,
        )
    if rows:
        return rows
    require_papers(db)
    close = _find_names_like(db, kind, name)
    raise GraphError(f"there is no {kind} {name!r}", f"use {', '.join(close)}" if close else None)


def require_language(db: Database, language: str | None) -> None:
    """Raise GraphError if no paper has the language of the filters of a search without hits."""
    if language is None or db.read("search/one_in_language", language=language):
        return
    require_papers(db)
    codes = [row["language"] for row in db.read("search/languages")]
    raise GraphError(
        f"the graph has no paper in the language {language!r}",
        f"use {summarize_names(codes)}" if codes else None,
    )


def _find_names_like(db: Database, kind: str, name: str) -> list[str]:
    if not tokenize(name):
        return []
    rows = db.read(
        "search/names_like",
        index=f"fulltext_{kind}s",
        words=words_like(tokenize(name)),
        limit=MAX_NAMES,
    )
    names = {row["name"].lower(): row["name"] for row in rows}
    close = get_close_matches(name.lower(), names, n=3, cutoff=0.3)
    return [names[key] for key in close or [*names][:3]]


def render_filters(query: str, filters: Resolved) -> str:
    """Insert all conditions into a statement, or into Cypher, at `{{filters}}`.

    A statement that uses no index has `{{start}}`, all papers or those of the most selective
    condition, and `{{others}}`, the remaining conditions.
    """
    starts = statement("search/starts").text.strip().splitlines()
    start = dict(zip((None, *NODE_CONDITIONS), starts, strict=True))[filters.smaller]
    conditions = filters.conditions
    others = [line for line in conditions if f"${filters.smaller}s" not in line]
    return (
        query_text(query)
        .replace("{{filters}}", " AND ".join(conditions) or "true")
        .replace("{{start}}", start)
        .replace("{{others}}", " AND ".join(others) or "true")
    )
