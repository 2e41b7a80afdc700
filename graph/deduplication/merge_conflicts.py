"""Contradictions between papers that have identifiers in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from specter_graph.graph.deduplication.duplicates import normal_title
from specter_graph.graph.deduplication.members import Member

MAX_MEMBERS = 100
"""Larger groups are not combined: an identifier must be wrong."""
_MAX_YEARS = 2
_ONE_EACH = ("doi", "arxiv", "pmid", "pmcid")
"""Schemes in which a source gives two papers two identifiers."""


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Papers that are not combined, the reason, and the values that differ by paper."""

    papers: tuple[str, ...]
    reason: str
    values: dict[str, Any]


def conflict(members: Sequence[Member]) -> MergeConflict | None:
    """Return the first contradiction between members, None if there is none."""
    ids = tuple(sorted(member.id for member in members))
    for one, other in combinations(sorted(members, key=lambda member: member.id), 2):
        if difference := _identifiers_differ(one, other) or _works_differ(one, other):
            reason, values = difference
            return MergeConflict(ids, reason, values)
    return None


def too_many(papers: Iterable[str]) -> MergeConflict | None:
    """Return a conflict if there are more papers than a group may have."""
    ids = tuple(sorted(papers))
    if len(ids) <= MAX_MEMBERS:
        return None
    return MergeConflict(ids, f"more than {MAX_MEMBERS} ids", {})


def _identifiers_differ(one: Member, other: Member) -> tuple[str, dict[str, Any]] | None:
    """One source gives both an identifier of a scheme, and not the same."""
    if one.paper is None or other.paper is None or one.source != other.source:
        return None
    for scheme in _ONE_EACH:
        first, second = _values(one, scheme), _values(other, scheme)
        if first and second and not {*first} & {*second}:
            reason = f"two identifiers of the scheme {scheme} from {one.source or 'one source'}"
            return reason, {one.id: first, other.id: second}
    return None


def _values(member: Member, scheme: str) -> list[str]:
    assert member.paper is not None
    return [
        identifier.value for identifier in member.paper.identifiers if identifier.scheme == scheme
    ]


def _works_differ(one: Member, other: Member) -> tuple[str, dict[str, Any]] | None:
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
