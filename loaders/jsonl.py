"""JSON Lines: one JSON object a line, one paper an object.

| key        | type            |                                                                |
|------------|-----------------|----------------------------------------------------------------|
| id         | string          | required; white space around it is dropped                     |
| title      | string          | required                                                       |
| abstract   | string          |                                                                |
| year       | integer         | 1000 to 2100                                                   |
| authors    | list of strings | names in order; the name is the author's id within the corpus  |
| venue      | string          |                                                                |
| doi        | string          |                                                                |
| published  | string          | a date, as the source writes it                                |
| fields     | list of strings | keywords or categories                                         |
| references | list of strings | ids of the papers cited; they need no record                   |

A key may be absent, null or empty unless it is required. Blank entries of a list are ignored.
"""

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from specter_graph.loaders.files import LONGEST_LINE, DamagedFileError, read_lines
from specter_graph.loaders.records import Author, Field, Paper, Reject, UnknownKey

KEYS = {
    "id",
    "title",
    "abstract",
    "year",
    "authors",
    "venue",
    "doi",
    "published",
    "fields",
    "references",
}
FIELD_SCHEME = "keyword"
EARLIEST_YEAR, LATEST_YEAR = 1000, 2100
LONGEST_NAME = 1_000
"""Characters of an id or a name: keys of Neo4j's indexes may have 8 KB."""

_MOST_UNKNOWN_KEYS = 100
_TYPES = {
    str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object", type(None): "null",
}  # fmt: skip


class RecordError(ValueError):
    """A line that is no paper: the message says why, `id` names it if it could be read."""

    def __init__(self, reason: str, paper_id: str | None = None) -> None:
        super().__init__(reason)
        self.id = paper_id


def read_jsonl(
    path: Path, read: Callable[[int], None] = lambda size: None
) -> Iterator[Paper | Reject | UnknownKey]:
    """The papers of a file, in its order, and what in it cannot be used.

    Lines are numbered from 1; empty ones are skipped. A file whose rest cannot be decompressed
    ends with a Reject. `read` is told of every piece of the file that was read, in bytes.
    """
    file, number = str(path), 0
    known = set(KEYS)
    try:
        for number, line in enumerate(read_lines(path, read), 1):
            if line is None:
                reason = f"the line is longer than {LONGEST_LINE // 2**20} MiB"
                yield Reject(file, number, None, reason)
                continue
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if not line or line.isspace():
                continue
            try:
                record = parse_object(line)
                yield paper(record)
            except RecordError as error:
                text = line.decode(errors="replace")
                yield Reject(file, number, error.id, str(error), text)
                continue
            if not known.issuperset(record):
                for key in sorted(record.keys() - known)[: _MOST_UNKNOWN_KEYS - len(known)]:
                    known.add(key)
                    yield UnknownKey(file, number, key)
    except DamagedFileError as error:
        yield Reject(file, number + 1, None, f"{error}; the rest of the file is not loaded")
    except OSError as error:
        yield Reject(file, number + 1, None, f"the file cannot be read: {error.strerror}")


def parse_object(line: bytes) -> dict[str, Any]:
    """The JSON object of a line; raises RecordError when it is none."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        try:
            line.decode()
        except UnicodeDecodeError as no_text:
            raise RecordError(f"the line is not UTF-8 (byte {no_text.start + 1})") from no_text
        raise RecordError(f"the line is not JSON: {error.msg} (column {error.colno})") from error
    if not isinstance(record, dict):
        raise RecordError(f"the line is {_TYPES[type(record)]}, not a JSON object")
    return record


def paper(record: dict[str, Any]) -> Paper:
    """The paper of a JSON object; raises RecordError with the first thing that is wrong."""
    paper_id: str | None = None
    try:
        paper_id = _required(record, "id", LONGEST_NAME)
        return Paper(
            id=paper_id,
            title=_required(record, "title"),
            abstract=_text(record, "abstract"),
            year=_year(record),
            published=_text(record, "published"),
            doi=_text(record, "doi"),
            authors=tuple(Author(name, name) for name in _names(record, "authors")),
            venue=_name(_text(record, "venue", LONGEST_NAME) or "") or None,
            fields=tuple(Field(FIELD_SCHEME, name, name) for name in _names(record, "fields")),
            references=tuple(_list(record, "references")),
        )
    except RecordError as error:
        error.id = paper_id
        raise


def _text(record: dict[str, Any], key: str, longest: int | None = None) -> str | None:
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise RecordError(f"{key} must be text, not {_TYPES[type(value)]}")
    value = value.strip()
    if longest and len(value) > longest:
        raise RecordError(f"{key} is longer than {longest:,} characters")
    return value or None


def _required(record: dict[str, Any], key: str, longest: int | None = None) -> str:
    value = _text(record, key, longest)
    if value is None:
        raise RecordError(f"{key} is {'empty' if record.get(key) is not None else 'missing'}")
    return value


def _year(record: dict[str, Any]) -> int | None:
    year = record.get("year")
    if year is None:
        return None
    if type(year) is not int:
        raise RecordError(f"year must be a whole number, not {orjson.dumps(year).decode():.40}")
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        raise RecordError(f"year {year} is not between {EARLIEST_YEAR} and {LATEST_YEAR}")
    return year


def _list(record: dict[str, Any], key: str) -> list[str]:
    values = record.get(key)
    if values is None:
        return []
    if not isinstance(values, list):
        raise RecordError(f"{key} must be a list of texts, not {_TYPES[type(values)]}")
    for number, value in enumerate(values, 1):
        if not isinstance(value, str):
            raise RecordError(f"{key} must hold texts, but entry {number} is {_TYPES[type(value)]}")
        if len(value) > LONGEST_NAME:
            raise RecordError(f"entry {number} of {key} is longer than {LONGEST_NAME:,} characters")
    return [stripped for value in values if (stripped := value.strip())]


def _names(record: dict[str, Any], key: str) -> dict[str, None]:
    """Names in order, each once."""
    return dict.fromkeys(_name(value) for value in _list(record, key))


def _name(value: str) -> str:
    """One spelling for what looks the same: Unicode's NFKC, single spaces."""
    return " ".join((value if value.isascii() else unicodedata.normalize("NFKC", value)).split())
