"""Values of JSON objects: read strictly, or with values that do not fit left out.

The functions raise a RecordError. A JsonRecord, for the records of providers, leaves a value out
and appends its description to `omitted`, for the RecordIssues of the record.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, TypeVar

import orjson

from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue
from specter_graph.loaders.identifiers import is_cjk
from specter_graph.loaders.records import Paper
from specter_graph.loaders.validation import MAX_NAME_LENGTH, replace_controls, year_problem

_TYPES = {
    str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object", type(None): "null",
}  # fmt: skip

Json = dict[str, Any]
_Raw = TypeVar("_Raw")
_MAX_ISSUES = 20


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
    """Return a year, which must be an integer (2001.0, too) in range; None if absent or null."""
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int:
        is_nested = isinstance(value, list | dict)
        written = type_name(value) if is_nested else orjson.dumps(value).decode()
        raise RecordError(f"{key} must be an integer, not {written:.40}")
    if problem := year_problem(key, value):
        raise RecordError(problem)
    return value


def strict_bool(record: dict[str, Any], key: str) -> bool | None:
    """Return True or None; false, null and absent are the same."""
    value = record.get(key)
    if value is not None and not isinstance(value, bool):
        raise RecordError(f"{key} must be true or false, not {type_name(value)}")
    return value or None


def texts(record: dict[str, Any], key: str) -> list[str]:
    """Return a list of strings without surrounding white space and without blank ones."""
    values, joined = text_list(record, key)
    if joined.split() == values:  # usual for ids: half the time
        return values
    return [*filter(None, map(str.strip, values))]


def names(record: dict[str, Any], key: str) -> list[str]:
    """Return a list of normalized names, each once, without blank ones."""
    values, joined = text_list(record, key)
    if not (joined.isascii() and joined.isprintable() and "  " not in f" {joined} "):
        values = [*filter(None, map(clean_name, values))]
    return values if len(set(values)) == len(values) else [*dict.fromkeys(values)]


def text_list(record: dict[str, Any], key: str) -> tuple[list[str], str]:
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


def full_name(given: str | None, family: str | None, suffix: str | None = None) -> str:
    """Return the parts of a name in natural order: "Martin King Jr.", but "张伟".

    Chinese, Japanese and Korean names begin with the family name, without a space.
    """
    given, family = (given or "").strip(), (family or "").strip()
    if is_cjk(given + family):
        given, family = "", family + given
    return clean_name(f"{given} {family} {suffix or ''}")


class JsonRecord:
    """A JSON object of a provider: `values`, of which those that do not fit are left out.

    The objects inside it share its list `omitted`. `id` is the id of its paper, once it is known.
    """

    __slots__ = ("id", "omitted", "values")

    def __init__(self, values: Json, omitted: list[str] | None = None) -> None:
        self.id: str | None = None
        self.values = values
        self.omitted: list[str] = [] if omitted is None else omitted

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __bool__(self) -> bool:
        return bool(self.values)

    def get(self, key: str) -> Any:  # noqa: ANN401
        """Return a value unchanged."""
        return self.values.get(key)

    def text(self, key: str) -> str | None:
        """Return a string without surrounding white space; None if absent, empty or no string."""
        value = self.values.get(key)
        if type(value) is str:
            return value.strip() or None
        if value is not None:
            self.omitted.append(f"{key} must be text, not {type_name(value)}")
        return None

    def text_or_number(self, key: str) -> str:
        """Return a string or an integer as text, "" for anything else."""
        value = self.values.get(key)
        return str(value).strip() if type(value) in (int, str) else ""

    def first_text(self, *keys: str) -> str:
        """Return the string of the first key that has one, or ""."""
        for key in keys:
            if text := self.text(key):
                return text
        return ""

    def part(self, key: str) -> "JsonRecord":
        """Return an object; an empty one if absent, null or of another type."""
        value = self.values.get(key)
        if type(value) is dict:
            return JsonRecord(value, self.omitted)
        if value is not None:
            self.omitted.append(f"{key} must be an object, not {type_name(value)}")
        return JsonRecord({}, self.omitted)

    def objects(self, key: str) -> "list[JsonRecord]":
        """Return a list of objects."""
        return [JsonRecord(value, self.omitted) for value in self._read_list(key, dict, "objects")]

    def texts(self, key: str) -> list[str]:
        """Return a list of unchanged strings."""
        return self._read_list(key, str, "texts")

    def inner_texts(self, key: str, inner: str) -> list[str]:
        """Return the strings that objects of a list have under the key `inner`."""
        entry, strings = JsonRecord({}, self.omitted), list[str]()
        for values in self._read_list(key, dict, "objects"):
            entry.values = values  # one record for all: lists of references are long
            if text := entry.text(inner):
                strings.append(text)
        return strings

    def year(self, key: str) -> int | None:
        """Return a year, an integer in range."""
        try:
            return strict_year(self.values, key)
        except RecordError as error:
            self.omitted.append(str(error))
            return None

    def _read_list(self, key: str, kind: type, plural: str) -> list[Any]:
        value = self.values.get(key)
        if not value:
            return []
        if type(value) is not list:
            self.omitted.append(f"{key} must be a list of {plural}, not {type_name(value)}")
            return []
        if set(map(type, value)) == {kind}:
            return value
        other = next(entry for entry in value if type(entry) is not kind)
        self.omitted.append(f"{key} must hold {plural}, not {type_name(other)}")
        return [entry for entry in value if type(entry) is kind]


def paper_converter(
    convert: Callable[[_Raw, list[str]], Paper],
) -> Callable[[_Raw], Iterator[ParseResult]]:
    """Turn a function that returns the paper of a record into the converter of a format.

    The function gets the record and the list `omitted`. The converter yields the issues of the
    record and its paper, and raises RecordError if the paper has no title.
    """

    @wraps(convert)
    def results(raw: _Raw) -> Iterator[ParseResult]:
        omitted: list[str] = []
        paper = convert(raw, omitted)
        if not paper.title:
            raise RecordError("title is missing", paper.id)
        yield from issues(omitted, paper.id)
        yield paper

    return results


def json_converter(
    convert: Callable[[JsonRecord], Paper | Iterable[ParseResult]],
) -> Callable[[Json], Iterator[ParseResult]]:
    """Do the same for a format in JSON, whose function returns its paper or yields its items.

    The function gets a JsonRecord and sets its `id`, which its issues and errors have.
    """

    @wraps(convert)
    def results(values: Json) -> Iterator[ParseResult]:
        record = JsonRecord(values)
        try:
            converted = convert(record)
            items = [*converted] if isinstance(converted, Iterable) else [converted]
        except RecordError as error:
            error.id = error.id or record.id
            raise
        for item in items:
            if isinstance(item, Paper) and not item.title:
                raise RecordError("title is missing", item.id)
            record.id = item.id if isinstance(item, Paper) else record.id
        yield from issues(record.omitted, record.id)
        yield from items

    return results


def issues(omitted: list[str], record_id: str | None) -> Iterator[RecordIssue]:
    """Yield an issue for each value left out of a record, each once, up to a maximum."""
    reasons = list(dict.fromkeys(omitted))
    for reason in reasons[:_MAX_ISSUES]:
        yield RecordIssue(f"left out: {reason}", record_id, repaired=True)
    if len(reasons) > _MAX_ISSUES:
        others = f"and {len(reasons) - _MAX_ISSUES} other values"
        yield RecordIssue(f"left out: {others}", record_id, repaired=True)
