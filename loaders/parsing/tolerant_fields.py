"""Reads optional values out of a provider's JSON: what does not fit is left out, and noted.

`wrong` takes the notes: what `reading.RecordIssue` says of a record that is loaded all the same.
"""

from collections.abc import Iterator
from typing import Any

from specter_graph.loaders.format_api import RecordError, RecordIssue
from specter_graph.loaders.parsing.field_values import strict_year, type_name
from specter_graph.loaders.records import Paper

Json = dict[str, Any]
_MAX_NOTES = 20


def text(record: Json, key: str, wrong: list[str]) -> str | None:
    """A text without white space around it; None when absent, null, empty or something else."""
    value = record.get(key)
    if type(value) is str:
        return value.strip() or None
    if value is not None:
        wrong.append(f"{key} must be text, not {type_name(value)}")
    return None


def part(record: Json, key: str, wrong: list[str]) -> Json:
    """Return an object; empty when absent, null or something else."""
    value = record.get(key)
    if type(value) is dict:
        return value
    if value is not None:
        wrong.append(f"{key} must be an object, not {type_name(value)}")
    return {}


def objects(record: Json, key: str, wrong: list[str]) -> list[Json]:
    """Return a list of objects."""
    return _listed(record, key, dict, "objects", wrong)


def texts(record: Json, key: str, wrong: list[str]) -> list[str]:
    """Return a list of texts, as they are."""
    return _listed(record, key, str, "texts", wrong)


def year(record: Json, key: str, wrong: list[str]) -> int | None:
    """Return a year that is a whole number in range."""
    try:
        return strict_year(record, key)
    except RecordError as error:
        wrong.append(str(error))
        return None


def issues(wrong: list[str], record_id: str) -> Iterator[RecordIssue]:
    """What was left out of a record: each reason once, and not without end."""
    reasons = list(dict.fromkeys(wrong))
    for reason in reasons[:_MAX_NOTES]:
        yield RecordIssue(f"left out: {reason}", record_id, repaired=True)
    if len(reasons) > _MAX_NOTES:
        rest = f"and {len(reasons) - _MAX_NOTES} other values"
        yield RecordIssue(f"left out: {rest}", record_id, repaired=True)


def with_issues(paper: Paper, wrong: list[str]) -> Iterator[RecordIssue | Paper]:
    """Yield the issues of a paper, and the paper."""
    yield from issues(wrong, paper.id)
    yield paper


def _listed(record: Json, key: str, kind: type, plural: str, wrong: list[str]) -> list[Any]:
    value = record.get(key)
    if not value:
        return []
    if type(value) is not list:
        wrong.append(f"{key} must be a list of {plural}, not {type_name(value)}")
        return []
    if set(map(type, value)) == {kind}:
        return value
    strange = next(entry for entry in value if type(entry) is not kind)
    wrong.append(f"{key} must hold {plural}, not {type_name(strange)}")
    return [entry for entry in value if type(entry) is kind]
