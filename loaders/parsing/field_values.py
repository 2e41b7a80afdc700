"""Values of JSON objects, read strictly: a value that does not fit raises a RecordError."""

import unicodedata
from typing import Any

import orjson

from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.validation import (
    EARLIEST_YEAR,
    LATEST_YEAR,
    MAX_NAME_LENGTH,
    replace_controls,
)

_TYPES = {
    str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object", type(None): "null",
}  # fmt: skip


def type_name(value: object) -> str:
    """Return the JSON type of a value, with an article."""
    return _TYPES[type(value)]


def describe_value(value: object) -> str:
    """Return a value for a message; only the type of lists and objects, which may be large."""
    return type_name(value) if isinstance(value, list | dict) else str(value)


def text(record: dict[str, Any], key: str, max_length: int | None = None) -> str | None:
    """Return a string without surrounding white space; None if absent, null or empty."""
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise RecordError(f"{key} must be text, not {type_name(value)}")
    value = value.strip()
    if max_length and len(value) > max_length:
        raise RecordError(f"{key} is longer than {max_length:,} characters")
    return value or None


def required(record: dict[str, Any], key: str, max_length: int | None = None) -> str:
    """Return a string; raise RecordError if it is absent, null or empty."""
    value = text(record, key, max_length)
    if value is None:
        raise RecordError(f"{key} is {'empty' if record.get(key) is not None else 'missing'}")
    return value


def strict_year(record: dict[str, Any], key: str = "year") -> int | None:
    """Return a year, which must be an integer in range; None if absent or null."""
    value = record.get(key)
    if value is None:
        return None
    if type(value) is not int:
        is_nested = isinstance(value, list | dict)
        written = type_name(value) if is_nested else orjson.dumps(value).decode()
        raise RecordError(f"{key} must be an integer, not {written:.40}")
    if not EARLIEST_YEAR <= value <= LATEST_YEAR:
        raise RecordError(f"{key} {value} is not between {EARLIEST_YEAR} and {LATEST_YEAR}")
    return value


def strict_bool(record: dict[str, Any], key: str) -> bool | None:
    """Return True or None; false, null and absent are the same."""
    value = record.get(key)
    if value is not None and not isinstance(value, bool):
        raise RecordError(f"{key} must be true or false, not {type_name(value)}")
    return value or None


def texts(record: dict[str, Any], key: str) -> list[str]:
    """Return a list of strings without surrounding white space and without blank ones."""
    values, joined = _listed(record, key)
    if joined.split() == values:  # usual for ids: half the time
        return values
    return [*filter(None, map(str.strip, values))]


def names(record: dict[str, Any], key: str) -> list[str]:
    """Return a list of normalized names, each once, without blank ones."""
    values, joined = _listed(record, key)
    if not (joined.isascii() and joined.isprintable() and "  " not in f" {joined} "):
        values = [*filter(None, map(clean_name, values))]
    return values if len(set(values)) == len(values) else [*dict.fromkeys(values)]


def _listed(record: dict[str, Any], key: str) -> tuple[list[str], str]:
    """Return an unchanged list of strings, and all of them joined by spaces."""
    values = record.get(key)
    if values is None:
        return [], ""
    if not isinstance(values, list):
        raise RecordError(f"{key} must be a list of texts, not {type_name(values)}")
    try:
        joined = " ".join(values)
    except TypeError:
        number = next(n for n, value in enumerate(values) if not isinstance(value, str))
        kind = type_name(values[number])
        raise RecordError(f"{key} must hold texts, but entry {number + 1} is {kind}") from None
    if len(joined) > MAX_NAME_LENGTH:
        for number, value in enumerate(values, 1):
            if len(value) > MAX_NAME_LENGTH:
                limit = f"{MAX_NAME_LENGTH:,} characters"
                raise RecordError(f"entry {number} of {key} is longer than {limit}")
    return values, joined


def clean_name(value: str) -> str:
    """Return a name in Unicode's normal form NFKC, with single spaces."""
    if not value.isascii():
        value = unicodedata.normalize("NFKC", replace_controls(value))
    return " ".join(value.split())
