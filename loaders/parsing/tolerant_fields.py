"""Optional values of a provider's JSON: a value that does not fit is left out.

A description of each such value is appended to `omitted`, for the RecordIssues of the record.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from specter_graph.loaders.format_api import RecordError, RecordIssue
from specter_graph.loaders.parsing.field_values import strict_year, type_name
from specter_graph.loaders.records import Paper

Json = dict[str, Any]
_MAX_ISSUES = 20


def text(record: Json, key: str, omitted: list[str]) -> str | None:
    """Return a string without surrounding white space; None if absent, empty or of another type."""
    value = record.get(key)
    if type(value) is str:
        return value.strip() or None
    if value is not None:
        omitted.append(f"{key} must be text, not {type_name(value)}")
    return None


def first_text(record: Json, keys: Iterable[str], omitted: list[str]) -> str:
    """Return the string of the first key that has one, or ""."""
    return next(filter(None, (text(record, key, omitted) for key in keys)), "")


def part(record: Json, key: str, omitted: list[str]) -> Json:
    """Return an object; {} if absent, null or of another type."""
    value = record.get(key)
    if type(value) is dict:
        return value
    if value is not None:
        omitted.append(f"{key} must be an object, not {type_name(value)}")
    return {}


def objects(record: Json, key: str, omitted: list[str]) -> list[Json]:
    """Return a list of objects."""
    return _listed(record, key, dict, "objects", omitted)


def texts(record: Json, key: str, omitted: list[str]) -> list[str]:
    """Return a list of unchanged strings."""
    return _listed(record, key, str, "texts", omitted)


def year(record: Json, key: str, omitted: list[str]) -> int | None:
    """Return a year, an integer in range."""
    try:
        return strict_year(record, key)
    except RecordError as error:
        omitted.append(str(error))
        return None


def issues(omitted: list[str], record_id: str) -> Iterator[RecordIssue]:
    """Yield an issue for each value left out of a record, each once, up to a maximum."""
    reasons = list(dict.fromkeys(omitted))
    for reason in reasons[:_MAX_ISSUES]:
        yield RecordIssue(f"left out: {reason}", record_id, repaired=True)
    if len(reasons) > _MAX_ISSUES:
        others = f"and {len(reasons) - _MAX_ISSUES} other values"
        yield RecordIssue(f"left out: {others}", record_id, repaired=True)


def with_issues(paper: Paper, omitted: list[str]) -> Iterator[RecordIssue | Paper]:
    """Yield the issues of a paper, and the paper."""
    yield from issues(omitted, paper.id)
    yield paper


def _listed(record: Json, key: str, kind: type, plural: str, omitted: list[str]) -> list[Any]:
    value = record.get(key)
    if not value:
        return []
    if type(value) is not list:
        omitted.append(f"{key} must be a list of {plural}, not {type_name(value)}")
        return []
    if set(map(type, value)) == {kind}:
        return value
    other = next(entry for entry in value if type(entry) is not kind)
    omitted.append(f"{key} must hold {plural}, not {type_name(other)}")
    return [entry for entry in value if type(entry) is kind]
