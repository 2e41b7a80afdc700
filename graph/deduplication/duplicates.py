"""Find papers that are the same: connected components over shared identifiers and titles."""

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.loading.source_records import SourceContent

_SHORTEST = 12
"""The minimum length of a title, in letters and digits: "Introduction" is too common."""


def normal_title(title: str) -> str:
    """Return the letters and digits of a title in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", title).casefold()
    return re.sub(r"[\W_]+", "", "".join(c for c in plain if not unicodedata.combining(c)))


def family_name(name: str) -> str:
    """Return the part before a comma, or else the last word: "Smith" of "Smith, J."."""
    family, comma, _ = name.partition(",")
    words = (family if comma else name).split()
    return normal_title(words[-1]) if words else ""


def title_key(title: str, year: int | None, first_author: str | None) -> int | None:
    """Return a hash of 64 bits of all three, None where one is missing or too short."""
    normal, family = normal_title(title), family_name(first_author or "")
    if year is None or not family or len(normal) < _SHORTEST:
        return None
    text = f"{normal} {year} {family}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def same_titles(db: Database) -> Iterator[list[str]]:
    """Yield ids of papers that have title, year and first author in common, two or more.

    Reads all papers twice; memory holds 8 bytes for each, and the ids in groups.
    """
    keys = np.sort(np.array(array("Q", (key for key, _ in _keys(db))), dtype=np.uint64))
    shared = {*keys[1:][keys[1:] == keys[:-1]].tolist()}
    papers: dict[int, set[str]] = {key: set() for key in shared}
    if shared:
        for key, paper in _keys(db):
            if key in shared:
                papers[key].add(paper)
    yield from (sorted(ids) for ids in papers.values() if len(ids) > 1)


def _keys(db: Database) -> Iterator[tuple[int, str]]:
    """Yield keys with ids: of papers, and of SourceRecords with the ids of combined papers."""
    for row in db.stream(statement("deduplication/titles").text):
        if (key := title_key(row["title"], row["year"], row["author"])) is not None:
            yield key, row["id"]
    for row in db.stream(statement("deduplication/source_titles").text):
        if paper := SourceContent.from_json(row["json"]).paper:
            author = next((person.name for person in paper.authors), None)
            if (key := title_key(paper.title, paper.year, author)) is not None:
                yield key, row["id"]


_WHOLES = ["isbn"]
"""Schemes that name a whole for its parts too: the chapters of a book have its ISBN."""


def same_papers(db: Database, *, by_title: bool = False) -> list[list[str]]:
    """Return groups of two or more ids of papers that are the same, sorted.

    Papers of a group share an identifier, or have one that is the id of a stub; with `by_title`
    title, year and first author, too. Memory grows with the papers in groups only.
    """
    return connected_components(_shared(db, by_title=by_title))


def _shared(db: Database, *, by_title: bool) -> Iterator[list[str]]:
    for name in ("shared_identifiers", "stub_identifiers"):
        for row in db.stream(statement(f"deduplication/{name}").text, wholes=_WHOLES):
            yield row["papers"]
    if by_title:
        yield from same_titles(db)


def connected_components(groups: Iterable[list[str]]) -> list[list[str]]:
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
