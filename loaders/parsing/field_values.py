"""Reads values out of JSON objects: each either fits or says what is wrong with it."""

import unicodedata
from typing import Any

import orjson

from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.validation import EARLIEST_YEAR, LATEST_YEAR, MAX_NAME_LENGTH

_TYPES = {
    str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object", type(None): "null",
}  # fmt: skip


def type_name(value: object) -> str:
    """What JSON calls the type of a value, with its article."""
    return _TYPES[type(value)]


def describe_value(value: object) -> str:
    """A value as a message tells it: of lists and objects, which may be deep, only the type."""
    return type_name(value) if isinstance(value, list | dict) else str(value)


def text(record: dict[str, Any], key: str, longest: int | None = None) -> str | None:
    """Return a text without white space around it; None when absent, null or empty."""
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise RecordError(f"{key} must be text, not {type_name(value)}")
    value = value.strip()
    if longest and len(value) > longest:
        raise RecordError(f"{key} is longer than {longest:,} characters")
    return value or None


def required(record: dict[str, Any], key: str, longest: int | None = None) -> str:
    """Return a text that must be there."""
    value = text(record, key, longest)
    if value is None:
        raise RecordError(f"{key} is {'empty' if record.get(key) is not None else 'missing'}")
    return value


def strict_year(record: dict[str, Any], key: str = "year") -> int | None:
    """Return a year that must be a whole number in range, if it is there at all."""
    value = record.get(key)
    if value is None:
        return None
    if type(value) is not int:
        written = (
            describe_value(value)
            if isinstance(value, list | dict)
            else orjson.dumps(value).decode()
        )
        raise RecordError(f"{key} must be a whole number, not {written:.40}")
    if not EARLIEST_YEAR <= value <= LATEST_YEAR:
        raise RecordError(f"{key} {value} is not between {EARLIEST_YEAR} and {LATEST_YEAR}")
    return value


def strict_bool(record: dict[str, Any], key: str) -> bool | None:
    """True where the record says so; what is not told and what is denied are the same."""
    value = record.get(key)
    if value is not None and not isinstance(value, bool):
        raise RecordError(f"{key} must be true or false, not {type_name(value)}")
    return value or None


def texts(record: dict[str, Any], key: str) -> list[str]:
    """Return a list of texts without white space around them; blank ones are left out."""
    values, joined = _listed(record, key)
    if joined.split() == values:  # the usual case of ids, in half the time
        return values
    return [*filter(None, map(str.strip, values))]


def names(record: dict[str, Any], key: str) -> list[str]:
    """Names in order, each once; blank ones are left out."""
    values, joined = _listed(record, key)
    if not (joined.isascii() and joined.isprintable() and "  " not in f" {joined} "):
        values = [*filter(None, map(clean_name, values))]
    return values if len(set(values)) == len(values) else [*dict.fromkeys(values)]


def _listed(record: dict[str, Any], key: str) -> tuple[list[str], str]:
    """Return a list of texts as it is, and all of them joined by spaces."""
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
    """Return one spelling for what looks the same: Unicode's NFKC, single spaces."""
    if not value.isascii():
        value = unicodedata.normalize("NFKC", value)
    return " ".join(value.split())
