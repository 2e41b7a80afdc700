"""Reads files of rows, CSV or JSON Lines, to records; the first bad row ends in an InputError."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

from specter_graph.errors import InputError
from specter_graph.loaders.files import find_files
from specter_graph.loaders.reading import Found, Ignored, Problem, RecordError
from specter_graph.loaders.syntax.csv_rows import read_rows
from specter_graph.loaders.syntax.json_lines import read_objects
from specter_graph.loaders.syntax.values import LONGEST_NAME, text, type_name

Row = dict[str, Any]
"""A row of either: values are text, in JSON perhaps also numbers, booleans and lists."""
Record = TypeVar("Record")

_ENDINGS: dict[str, Literal["csv", "jsonl", "json"]] = {
    ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
}  # fmt: skip
_MOST = 1_000_000
_TRUE, _FALSE = {"true", "yes", "y", "1"}, {"false", "no", "n", "0"}


def kind_of(path: Path) -> Literal["csv", "jsonl", "json"] | None:
    """What the name of a file says that it is, compressed or not."""
    return _ENDINGS.get(bare_name(path)[1].lower())


def bare_name(path: Path) -> tuple[str, str]:
    """The name of a file without its endings, and that of its kind: "~Ann_Smith1", ".jsonl"."""
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    return Path(name).stem, Path(name).suffix


def read_records(
    path: Path, convert: Callable[[Row], Record | None], columns: Iterable[str], needed: str
) -> list[Record]:
    """The records that `convert` makes of the rows of a .csv, .tsv or .jsonl file.

    A header or an object has `columns`, and a header those of `needed` (with spaces between). Other
    columns are ignored; but one that is the beginning of a known one ("max") is an error.
    """
    [path] = find_files([path])
    kind, known = kind_of(path), frozenset(columns)
    made: list[Record] = []

    def keep(row: Row) -> tuple[Found, ...]:
        record = convert(row)
        if record is not None:
            made.append(record)
        return ()

    if kind == "csv":
        others = read_rows(path, _uncounted, keep, known, frozenset(needed.split()))
    elif kind == "jsonl":
        others = read_objects(path, _uncounted, keep, known)
    else:
        raise InputError(
            f"the name of {path} does not say what it is", "it should end in .csv, .tsv or .jsonl"
        )
    for line, what in others:
        _refuse_bad(path, line, what, known)
    return made


def _refuse_bad(path: Path, line: int, what: Found, known: frozenset[str]) -> None:
    if isinstance(what, Problem) and not what.repaired:
        raise refused(path, line, what.reason, what.id)
    if isinstance(what, Ignored) and len(what.key) > 2:
        meant = [column for column in sorted(known) if column.startswith(what.key.lower())]
        if meant:
            raise InputError(
                f"{path}, line {line}: the column {what.key!r} is not known",
                f"call it {meant[0]!r} if it is that, or take it out",
            )


def refused(path: Path, line: int | None, reason: str, record: str | None) -> InputError:
    """The error for a record that cannot be used; `record` is its id."""
    where = f"{path}, line {line}" if line else str(path)
    return InputError(
        f"{where}{f', {record!r}' if record else ''}: {reason}",
        "put it right, or take it out, and run the command again",
    )


def _uncounted(size: int) -> None:
    """Nobody waits for these files long enough to watch a bar."""


def key(row: Row, column: str) -> str:
    """An id that must be there."""
    value = row.get(column)
    if type(value) is int:  # papers are often numbered
        return str(value)
    found = text(row, column, LONGEST_NAME)
    if found is None:
        raise RecordError(f"{column} is missing")
    return found


def listed(row: Row, column: str) -> tuple[str, ...]:
    """Texts, each once: a list, or the parts of a text between semicolons."""
    value = row.get(column)
    if isinstance(value, str):
        value = value.split(";")
    if value is None:
        return ()
    if not isinstance(value, list):
        raise RecordError(f"{column} must be a list of texts, not {type_name(value)}")
    for number, entry in enumerate(value, 1):
        if not isinstance(entry, str):
            raise RecordError(f"entry {number} of {column} must be text, not {type_name(entry)}")
        if len(entry) > LONGEST_NAME:
            raise RecordError(f"entry {number} of {column} is longer than {LONGEST_NAME:,}")
    return tuple(dict.fromkeys(entry.strip() for entry in value if entry.strip()))


def whole(row: Row, column: str) -> int | None:
    """A whole number from 0 on, if it is there."""
    value = row.get(column)
    if isinstance(value, str):
        value = value.strip() or None
    if value is None:
        return None
    try:
        if isinstance(value, bool | list | dict) or (isinstance(value, float) and value % 1):
            raise ValueError
        number = int(value)
    except (ValueError, OverflowError):
        raise RecordError(f"{column} must be a whole number, not {value!s:.40}") from None
    if not 0 <= number <= _MOST:
        raise RecordError(f"{column} {number} is not between 0 and {_MOST:,}")
    return number


def yes(row: Row, column: str) -> bool:
    """True or false, in one of the usual words; false where nothing is said."""
    value = row.get(column)
    word = str(value).strip().lower() if isinstance(value, str | bool | int) else ""
    if word in _TRUE:
        return True
    if value is None or word in _FALSE or value == "":
        return False
    raise RecordError(f"{column} must be true or false, not {value!s:.40}")
