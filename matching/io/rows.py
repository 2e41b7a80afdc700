"""Reads files of rows, CSV or JSON Lines, to records; the first bad row ends in an InputError."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

from specter_graph.core.errors import InputError
from specter_graph.loaders.files import find_files
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue, UnknownField
from specter_graph.loaders.parsing.csv import read_rows
from specter_graph.loaders.parsing.field_values import text, type_name
from specter_graph.loaders.parsing.json import read_objects
from specter_graph.loaders.validation import MAX_NAME_LENGTH

Row = dict[str, Any]
"""A row of either: values are text, in JSON perhaps also numbers, booleans and lists."""
Record = TypeVar("Record")

_ENDINGS: dict[str, Literal["csv", "jsonl", "json"]] = {
    ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
}  # fmt: skip
_UNSUPPORTED = {
    name: hint
    for names, hint in (
        (
            "track tracks area areas subject_area primary_area",
            "match each track as a venue of its own, or bar pairs with --forbid, and take it out",
        ),
        (
            "demand needed reviews reviews_needed reviewers_needed num_reviews num_reviewers"
            " per_submission",
            "all submissions get --per-submission reviewers; take it out",
        ),
        (
            "capacity quota limit load max_load max_papers max_reviews most",
            "call it 'maximum' if it is how many papers a reviewer takes, or take it out",
        ),
        (
            "min_load min_papers min_reviews least",
            "call it 'minimum' if it is how many papers a reviewer takes, or take it out",
        ),
    )
    for name in names.split()
}
"""Columns that would change who reviews what, if they were read, each with what to do."""
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
    path: Path,
    convert: Callable[[Row], Record | None],
    columns: Iterable[str],
    needed: str,
    ignored: list[str] | None = None,
) -> list[Record]:
    """The records that `convert` makes of the rows of a .csv, .tsv or .jsonl file.

    A header or an object has `columns`, and a header those of `needed` (with spaces between). Other
    columns are added to `ignored`, as "FILE: COLUMN"; but one that is the beginning of a known one
    ("max") is an error, and so is, where `ignored` is given, one that would change the matching
    ("track"). The many keys of OpenReview's notes are not reported.
    """
    [path] = find_files([path])
    kind, known = kind_of(path), frozenset(columns)
    made: list[Record] = []
    unknown: dict[str, int] = {}
    notes = False

    def keep(row: Row) -> tuple[ParseResult, ...]:
        nonlocal notes
        notes = notes or "content" in row
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
        if isinstance(what, UnknownField):
            unknown.setdefault(what.key, line)
        elif isinstance(what, RecordIssue) and not what.repaired:
            raise refused(path, line, what.reason, what.id)
    for column, line in unknown.items():
        _refuse_misread(path, line, column, known, every=ignored is not None and not notes)
    if ignored is not None and not notes:
        ignored += [f"{path.name}: {column}" for column in unknown]
    return made


def _refuse_misread(
    path: Path, line: int, column: str, known: frozenset[str], *, every: bool
) -> None:
    name = "_".join(re.findall(r"[a-z]+", column.lower()))
    meant = [each for each in sorted(known) if len(column) > 2 and each.startswith(column.lower())]
    hint = f"call it {meant[0]!r} if it is that, or take it out" if meant else None
    if every and not hint:
        hint = _UNSUPPORTED.get(name)
    if hint:
        raise InputError(f"{path}, line {line}: the column {column!r} is not known", hint)


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
    found = text(row, column, MAX_NAME_LENGTH)
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
        if len(entry) > MAX_NAME_LENGTH:
            raise RecordError(f"entry {number} of {column} is longer than {MAX_NAME_LENGTH:,}")
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
