"""Find papers that are the same: connected components over shared identifiers and titles."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.titles import same_titles

_WHOLES = ["isbn"]
"""Schemes that name a whole for its parts too: the chapters of a book have its ISBN."""


def same_papers(db: Database, *, by_title: bool = False) -> list[list[str]]:
    """Return groups of two or more ids of papers that are the same, sorted.

    Papers of a group share an identifier, or have one that is the id of a stub; with `by_title`
    title, year and first author, too. Memory grows with the papers in groups only.
    """
    return components(_shared(db, by_title=by_title))


def _shared(db: Database, *, by_title: bool) -> Iterator[list[str]]:
    for name in ("shared_identifiers", "stub_identifiers"):
        for row in db.stream(statement(f"deduplication/{name}").text, wholes=_WHOLES):
            yield row["papers"]
    if by_title:
        yield from same_titles(db)


def components(groups: Iterable[list[str]]) -> list[list[str]]:
    """Join groups that have a member in common; return those of two or more, sorted."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while (above := parent.setdefault(key, key)) != key:
            parent[key] = parent[above]
            key = parent[key]
        return key

    for first, *others in groups:
        for other in others:
            parent[root(other)] = root(first)
    joined: dict[str, list[str]] = defaultdict(list)
    for key in parent:
        joined[root(key)].append(key)
    return sorted(sorted(group) for group in joined.values() if len(group) > 1)
