"""Find papers that are the same: connected components over shared identifiers and titles.

Papers that share identifiers but contradict each other are conflicts.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from typing import Any

import numpy as np

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.combine import Member
from specter_graph.graph.loading.source_records import SourceContent
from specter_graph.loaders.identifiers import ENRICHES, is_cjk, is_distinctive, split_suffix

_SHARED_SCHEMES = ["isbn", ENRICHES]
"""Schemes that several papers may share: the chapters of a book have its ISBN."""
MAX_MEMBERS = 100
"""Larger groups are not combined: an identifier must be wrong."""
_MAX_YEARS = 2
_ONE_EACH = ("doi", "arxiv", "pmid", "pmcid")
"""Schemes in which a source gives two papers two identifiers."""


def normal_title(title: str) -> str:
    """Return the letters and digits of a title in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", title).casefold()
    return re.sub(r"[\W_]+", "", "".join(c for c in plain if not unicodedata.combining(c)))


def family_name(name: str) -> str:
    """Return the part before a comma, or else the last word: "smith" of "Smith, J.".

    A Chinese, Japanese or Korean name is returned in full, because few have a space.
    """
    if is_cjk(name):
        return normal_title(name)
    name, _ = split_suffix(name)
    family, comma, _ = name.partition(",")
    words = (family if comma else name).split()
    return normal_title(words[-1]) if words else ""


def title_key(title: str, year: int | None, first_author: str | None) -> int | None:
    """Return a hash of 64 bits of all three, None where one is missing or too short."""
    normal, family = normal_title(title), family_name(first_author or "")
    if year is None or not family or not is_distinctive(title):
        return None
    text = f"{normal} {year} {family}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def same_titles(db: Database) -> Iterator[list[str]]:
    """Yield ids of papers that have title, year and first author in common, two or more.

    Reads all papers twice; memory holds 8 bytes for each, and the ids in groups.
    """
    keys = np.sort(np.array(array("Q", (key for key, _ in _read_title_keys(db))), dtype=np.uint64))
    shared = {*keys[1:][keys[1:] == keys[:-1]].tolist()}
    papers: dict[int, set[str]] = {key: set() for key in shared}
    if shared:
        for key, paper in _read_title_keys(db):
            if key in shared:
                papers[key].add(paper)
    yield from (sorted(ids) for ids in papers.values() if len(ids) > 1)


def _read_title_keys(db: Database) -> Iterator[tuple[int, str]]:
    """Yield keys with ids: of papers, and of SourceRecords with the ids of combined papers."""
    for row in db.stream("deduplication/titles"):
        if (key := title_key(row["title"], row["year"], row["author"])) is not None:
            yield key, row["id"]
    for row in db.stream("deduplication/source_titles"):
        if paper := SourceContent.from_json(row["json"]).paper:
            author = next((person.name for person in paper.authors), None)
            if (key := title_key(paper.title, paper.year, author)) is not None:
                yield key, row["id"]


def same_papers(db: Database, *, by_title: bool = False) -> list[list[str]]:
    """Return groups of two or more ids of papers that are the same, sorted.

    Papers of a group share an identifier, or have one that is the id of a stub, or one was found
    for the other by `enrich`; with `by_title` title, year and first author, too. Memory grows with
    the papers in groups only.
    """
    return connected_components(_read_shared(db, by_title=by_title))


def _read_shared(db: Database, *, by_title: bool) -> Iterator[list[str]]:
    schemes: dict[str, Any] = {"shared_schemes": _SHARED_SCHEMES, "enriches": ENRICHES}
    for name in ("shared_identifiers", "stub_identifiers", "enriched"):
        for row in db.stream(f"deduplication/{name}", **schemes):
            yield row["papers"]
    if by_title:
        yield from same_titles(db)


def connected_components(groups: Iterable[Sequence[str]]) -> list[list[str]]:
    """Join groups that have a member in common; return those of two or more, sorted."""
    from scipy.cluster.hierarchy import DisjointSet

    joined = DisjointSet()
    for first, *others in groups:
        joined.add(first)
        for other in others:
            joined.add(other)
            joined.merge(first, other)
    return sorted(sorted(group) for group in joined.subsets() if len(group) > 1)


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Papers that are not combined, the reason, and the values that differ by paper."""

    papers: tuple[str, ...]
    reason: str
    values: dict[str, Any]


def find_conflict(members: Sequence[Member]) -> MergeConflict | None:
    """Return the first contradiction between members, None if there is none."""
    ids = tuple(sorted(member.id for member in members))
    for one, other in combinations(sorted(members, key=lambda member: member.id), 2):
        if difference := _compare_identifiers(one, other) or _compare_works(one, other):
            reason, values = difference
            return MergeConflict(ids, reason, values)
    return None


def size_conflict(papers: Iterable[str]) -> MergeConflict | None:
    """Return a conflict if there are more papers than a group may have."""
    ids = tuple(sorted(papers))
    if len(ids) <= MAX_MEMBERS:
        return None
    return MergeConflict(ids, f"more than {MAX_MEMBERS} ids", {})


def _compare_identifiers(one: Member, other: Member) -> tuple[str, dict[str, Any]] | None:
    """One source gives both an identifier of a scheme, and not the same."""
    if one.paper is None or other.paper is None or one.source != other.source:
        return None
    for scheme in _ONE_EACH:
        first, second = _list_identifiers(one, scheme), _list_identifiers(other, scheme)
        if first and second and not {*first} & {*second}:
            reason = f"two identifiers of the scheme {scheme} from {one.source or 'one source'}"
            return reason, {one.id: first, other.id: second}
    return None


def _list_identifiers(member: Member, scheme: str) -> list[str]:
    assert member.paper is not None
    return [
        identifier.value for identifier in member.paper.identifiers if identifier.scheme == scheme
    ]


def _compare_works(one: Member, other: Member) -> tuple[str, dict[str, Any]] | None:
    """Years that are far from each other, and other titles."""
    first, second = one.paper, other.paper
    if first is None or second is None or first.year is None or second.year is None:
        return None
    if abs(first.year - second.year) <= _MAX_YEARS:
        return None
    if normal_title(first.title) == normal_title(second.title):
        return None
    reason = f"other titles, and more than {_MAX_YEARS} years between them"
    return reason, {paper.id: [paper.title, paper.year] for paper in (first, second)}
