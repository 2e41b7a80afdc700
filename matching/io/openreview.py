"""Read notes of OpenReview, of both versions of its API.

Documentation: https://docs.openreview.net/reference/api-v2/entities/note
"""

import re
from datetime import UTC, datetime
from typing import Any

from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.field_values import type_name
from specter_graph.loaders.validation import EARLIEST_YEAR, LATEST_YEAR
from specter_graph.matching.io.rows import Row

_NAME = re.compile(r"~(.*?)\d*", re.DOTALL)
_PLAIN = ("title", "abstract", "references", "venue", "doi", "html", "pdf")


def flatten_note(note: Row) -> Row:
    """Return the content of a note as a row; a value can be plain or {"value": ...}.

    `authors` and `authorids` are lists of the same length if the note has both; `topics` are the
    keywords. Placeholders of hidden authors ("Anonymous", groups) are left out.
    """
    content = note.get("content")
    if not isinstance(content, dict):
        raise RecordError(f"content must be an object, not {type_name(content)}")
    row = {name: _value(content, name) for name in _PLAIN}
    row["id"] = note.get("id")
    row["topics"] = _separated(_value(content, "topics") or _value(content, "keywords"))
    row["year"] = _year(_value(content, "year"), note.get("pdate"), note.get("cdate"))
    row["authors"], row["authorids"] = _people(content)
    return row


def name_of(profile: str) -> str:
    """Return the name within the id of a profile: `~Ann_B._Smith1` is Ann B. Smith."""
    match = _NAME.fullmatch(profile)
    return (match[1].replace("_", " ").strip() if match else "") or profile


def _value(content: dict[str, Any], key: str) -> Any:  # noqa: ANN401, JSON
    value = content.get(key)
    return value.get("value") if isinstance(value, dict) else value


def _separated(value: Any) -> Any:  # noqa: ANN401, JSON
    """Split the keywords of old notes, which are one text with commas."""
    return re.split("[;,]", value) if isinstance(value, str) else value


def _people(content: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    names, ids = _list(content, "authors"), _list(content, "authorids")
    if names and all(isinstance(entry, dict) for entry in names):
        ids = ids or [entry.get("username") or "" for entry in names]
        names = [entry.get("fullname") or "" for entry in names]
    names = [name for name in names if name != "Anonymous"]
    ids = [key for key in ids if not (isinstance(key, str) and key.endswith("/Authors"))]
    return names, ids


def _list(content: dict[str, Any], key: str) -> list[Any]:
    value = _value(content, key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RecordError(f"{key} must be a list, not {type_name(value)}")
    return value


def _year(year: object, *milliseconds: object) -> int | None:
    """Return the first plausible year: `year`, or the year of a time since 1970."""
    if isinstance(year, str) and re.fullmatch(r"\d{4}", year.strip(), re.ASCII):
        year = int(year)
    years = [year] if type(year) is int else []
    for time in milliseconds:
        if type(time) is int:
            try:
                years.append(datetime.fromtimestamp(time / 1_000, UTC).year)
            except (ValueError, OverflowError, OSError):
                continue
    return next(
        (candidate for candidate in years if EARLIEST_YEAR <= candidate <= LATEST_YEAR), None
    )
