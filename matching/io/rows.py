"""Read the rows of CSV, spreadsheet and JSON Lines files; the first bad row raises an InputError.

A `Layout` is a table that a reader knows, such as the list of reviewers of a conference system. The
columns of a file decide which of several layouts it has.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast

from specter_graph.core.errors import InputError
from specter_graph.loaders.corpus_files import find_file, read_head
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue, UnknownField
from specter_graph.loaders.parsing.delimited import read_header, read_rows
from specter_graph.loaders.parsing.field_values import full_name, text, texts, type_name
from specter_graph.loaders.parsing.json import read_objects
from specter_graph.loaders.parsing.plain_text import NOT_UTF8
from specter_graph.loaders.validation import MAX_NAME_LENGTH, year_problem
from specter_graph.matching.io import spreadsheets

Row = dict[str, Any]
"""A row: values are texts, and in JSON also numbers, booleans and lists."""
Record = TypeVar("Record")
Kind = Literal["csv", "sheet", "jsonl", "json", "xml"]
Places = dict[object, str]
"""The place of each record: "FILE, line N"."""

_ENDINGS: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".xlsx": "sheet", ".xls": "sheet", ".xml": "xml",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
}  # fmt: skip
_UNSUPPORTED = {
    "name the column of submissions 'track' and that of reviewers 'tracks', or remove it": (
        "track tracks area areas subject_area primary_area"
    ),
    "rename it to 'demand' if it is the number of reviewers of a submission, or remove it": (
        "demand needed reviews reviews_needed reviewers_needed num_reviews num_reviewers"
        " per_submission"
    ),
    "rename it to 'maximum' if it is the maximum load of a reviewer, or remove it": (
        "capacity quota limit load max_load max_papers max_reviews most"
    ),
    "rename it to 'minimum' if it is the minimum load of a reviewer, or remove it": (
        "min_load min_papers min_reviews least"
    ),
}
"""Hints for columns that an assignment would have to respect, and the names of the columns."""
WITHOUT_REVIEWS = {"withdrawn", "desk reject"}
"""Decisions after which a submission needs no reviewers."""
_MAX_NUMBER = 1_000_000
_TRUE, _FALSE = {"true", "yes", "y", "1"}, {"false", "no", "n", "0"}


class SkippedRow(Exception):  # noqa: N818, no error
    """A row that is not read, with the reason and, for a withdrawn submission, its id."""

    def __init__(self, reason: str, withdrawn: str | None = None) -> None:
        super().__init__(reason)
        self.withdrawn = withdrawn


@dataclass(slots=True)
class ReadReport:
    """The facts about the lists of a venue that are not records.

    Attributes:
        ignored: Unknown columns, as "FILE: COLUMN", and skipped rows, as "FILE: role chair
            (rows: 2)". Keys of OpenReview's notes are not reported.
        withdrawn: Ids of withdrawn submissions.
        places: The place of each record, for errors about ids that the venue does not have.
        checks_columns: Refuse a column that an assignment would have to respect ("track").
    """

    ignored: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    places: Places = field(default_factory=dict)
    checks_columns: bool = True

    def add_place(self, record: object, path: Path, line: int) -> None:
        """Note the place of a record, unless it had an equal one before."""
        self.places.setdefault(record, f"{path}, line {line}")

    def add_skipped(self, path: Path, reasons: Mapping[str, int]) -> None:
        """Note the numbers of skipped rows by reason."""
        self.ignored += [f"{path.name}: {each} (rows: {count})" for each, count in reasons.items()]


@dataclass(frozen=True, slots=True)
class Layout(Generic[Record]):
    """A table that a reader knows.

    Attributes:
        title: Its name in errors.
        needed: Its required columns, in lower case. A file with all of them has this layout.
        convert: Returns the record of a row, or None for a row without one; raises SkippedRow.
        others: Its other columns.
    """

    title: str
    needed: tuple[str, ...]
    convert: Callable[[Row], Record | None]
    others: tuple[str, ...] = ()


def kind_of(path: Path) -> Kind | None:
    """Return the kind of a file by its name, compressed or not."""
    return _ENDINGS.get(bare_name(path)[1].lower())


def bare_name(path: Path) -> tuple[str, str]:
    """Return the name of a file without its endings, and its ending: "~Ann_Smith1", ".jsonl"."""
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    return Path(name).stem, Path(name).suffix


def with_columns(
    layout: Layout[Record], columns: tuple[str, ...], read: Callable[[Row], dict[str, Any]]
) -> Layout[Record]:
    """Return a layout with columns that chairs add to the table of a conference system.

    Args:
        layout: The layout.
        columns: The columns.
        read: Returns fields of the record; empty ones do not change it.
    """

    def convert(row: Row) -> Record | None:
        record = layout.convert(row)
        given = {name: value for name, value in read(row).items() if value not in (None, ())}
        return replace(cast(Any, record), **given) if record is not None else None

    return replace(layout, convert=convert, others=(*layout.others, *columns))


def once(
    layouts: Iterable[Layout[Record]], name_of: Callable[[Record], str]
) -> list[Layout[Record]]:
    """Return layouts that together refuse a second record of the same name."""
    seen: set[str] = set()

    def convert_once(convert: Callable[[Row], Record | None], row: Row) -> Record | None:
        record = convert(row)
        if record is not None:
            name = name_of(record)
            if name in seen:
                raise RecordError("the id occurs twice", name)
            seen.add(name)
        return record

    return [replace(layout, convert=partial(convert_once, layout.convert)) for layout in layouts]


def _describe(layout: Layout[Any]) -> str:
    return f"{layout.title} ({', '.join(layout.needed)})"


def columns_of(path: Path) -> tuple[int, set[str]] | None:
    """Return the line and the columns of a header, None for a file without one."""
    find_file(path)
    kind = kind_of(path)
    if kind == "sheet":
        return spreadsheets.read_sheet_header(path)
    if kind == "csv" and (names := read_header(read_head(path)[0])):
        return 1, {*names}
    return None


def read_table(
    path: Path, layouts: Sequence[Layout[Record]], report: ReadReport | None = None
) -> list[Record]:
    """Convert the rows of a file: .csv, .tsv, .txt (with tabs), .xlsx, .xls (XML) or .jsonl.

    Args:
        path: The file.
        layouts: The layouts that the file can have. JSON Lines have the first one.
        report: Gets what is not a record; without one, the columns of assignments are not checked.

    Raises:
        InputError: A row cannot be used; the file is empty; its columns are not those of a layout;
            a column is the beginning of a known one ("max"); or an assignment would have to respect
            a column ("track").
    """
    given, report = report, report or ReadReport(checks_columns=False)
    layout = _find_layout(path, layouts)
    kind, known = kind_of(path), frozenset((*layout.needed, *layout.others))
    needed = frozenset(layout.needed)
    records: list[Record] = []
    unknown: dict[str, int] = {}
    skipped: Counter[str] = Counter()
    is_notes = False

    def add(row: Row) -> tuple[ParseResult, ...]:
        nonlocal is_notes
        is_notes = is_notes or "content" in row
        if kind == "csv" and not any(row.values()):
            skipped["empty"] += 1
            return ()
        try:
            record = layout.convert(row)
        except SkippedRow as row_skipped:
            count_skipped(row_skipped, skipped, report)
            return ()
        return () if record is None else (cast(ParseResult, record),)

    if kind == "csv":
        results = read_rows(path, _ignore_size, add, known, needed)
    elif kind == "sheet":
        results = spreadsheets.read_sheet(path, add, known, needed)
    elif kind == "jsonl":
        results = read_objects(path, _ignore_size, add, known)
    else:
        raise InputError(
            f"the name of {path} has an unknown ending", "use .csv, .tsv, .txt, .xlsx or .jsonl"
        )
    for line, result in results:
        if isinstance(result, UnknownField):
            unknown.setdefault(result.key, line)
        elif not isinstance(result, RecordIssue):
            records.append(cast(Record, result))
            if given:
                given.add_place(result, path, line)
        elif not result.repaired or result == NOT_UTF8:
            raise row_error(path, line, result.reason, result.id)
    if not records and kind in ("csv", "sheet") and columns_of(path) is None:
        raise InputError(
            f"{path} is empty, or its first line is not a header",
            f"export the file again; an empty list has the header {','.join(layout.needed)}",
        )
    for column, line in unknown.items():
        _check_column(path, line, column, known, report.checks_columns and not is_notes)
    if not is_notes:
        report.ignored += [f"{path.name}: {column}" for column in unknown]
        report.add_skipped(path, skipped)
    return records


def _find_layout(path: Path, layouts: Sequence[Layout[Record]]) -> Layout[Record]:
    """Return the layout that the columns of a file have; the first one for a file without."""
    if (columns := columns_of(path)) is None:
        return layouts[0]
    line, names = columns
    layout = min(
        layouts, key=lambda each: (len({*each.needed} - names), -len({*each.needed} & names))
    )
    if missing := [name for name in layout.needed if name not in names]:
        raise InputError(
            f"{path}, line {line}: the header has no column {', '.join(missing)}",
            "the known tables are " + ", ".join(dict.fromkeys(map(_describe, layouts))),
        )
    return layout


def count_skipped(row: SkippedRow, reasons: Counter[str], report: ReadReport) -> None:
    """Count a skipped row by its reason, and note the id of a withdrawn submission."""
    reasons[str(row)] += 1
    if row.withdrawn:
        report.withdrawn.append(row.withdrawn)


def _check_column(
    path: Path, line: int, column: str, known: frozenset[str], check_unsupported: bool
) -> None:
    name = "_".join(re.findall(r"[a-z]+", column.lower()))
    similar_names = [
        known_name
        for known_name in sorted(known)
        if len(column) > 2 and known_name.startswith(column.lower())
    ]
    hint = f"rename it to {similar_names[0]!r}, or remove it" if similar_names else None
    if check_unsupported and not hint:
        hints = (hint for hint, names in _UNSUPPORTED.items() if name in names.split())
        hint = next(hints, None)
    if hint:
        raise InputError(f"{path}, line {line}: the column {column!r} is unknown", hint)


def row_error(path: Path, line: int | None, reason: str, record: str | None) -> InputError:
    """Return the error for a row that cannot be used; `record` is its id."""
    where = f"{path}, line {line}" if line else str(path)
    return InputError(
        f"{where}{f', {record!r}' if record else ''}: {reason}",
        "save the file again with the encoding UTF-8 (in Excel: CSV UTF-8)"
        if "not UTF-8" in reason
        else "correct or remove it, and run the command again",
    )


@contextmanager
def errors_of(record: str) -> Iterator[None]:
    """Add the id of a record to a RecordError."""
    try:
        yield
    except RecordError as error:
        error.id = record
        raise


def _ignore_size(size: int) -> None:
    """Show no progress: these files are small."""


def key(row: Row, column: str) -> str:
    """Return a required id."""
    value = row.get(column)
    if type(value) is int:  # as in lists of numbered papers
        return str(value)
    name = text(row, column, MAX_NAME_LENGTH)
    if name is None:
        raise RecordError(f"{column} is missing")
    return name


_GIVEN_NAMES = ("first name", "# first name", "given_name", "first")
_FAMILY_NAMES = ("last name", "family_name", "last")
PERSON_NAMES = (*_GIVEN_NAMES, *_FAMILY_NAMES)
"""Columns of the first and the last name of a person in lists of conference systems."""


def person_name(row: Row) -> str | None:
    """Return the first and the last name of a person."""
    given, family = (
        next(filter(None, (text(row, column) for column in columns)), None)
        for columns in (_GIVEN_NAMES, _FAMILY_NAMES)
    )
    return full_name(given, family) or None


def listed(row: Row, column: str) -> tuple[str, ...]:
    """Return the distinct texts of a list, or of a text with semicolons between them."""
    if isinstance(value := row.get(column), str):
        row = {column: value.split(";")}
    return tuple(dict.fromkeys(texts(row, column)))


def entries_of(row: Row, column: str) -> list[Any]:
    """Return a list of any entries; an empty one if it is absent or null."""
    entries = row.get(column)
    if entries is None:
        return []
    if not isinstance(entries, list):
        raise RecordError(f"{column} must be a list, not {type_name(entries)}")
    return entries


def parse_int(row: Row, column: str) -> int | None:
    """Return an integer of 0 or more, also written as 6.0 by pandas; None for an empty value."""
    value = row.get(column)
    if isinstance(value, str):
        value = value.strip().removesuffix(".0") or None
    if value is None:
        return None
    try:
        if isinstance(value, bool | list | dict) or (isinstance(value, float) and value % 1):
            raise ValueError
        number = int(value)
    except (ValueError, OverflowError):
        raise RecordError(f"{column} must be an integer, not {value!s:.40}") from None
    if not 0 <= number <= _MAX_NUMBER:
        raise RecordError(f"{column} {number} is not between 0 and {_MAX_NUMBER:,}")
    return number


def parse_year(row: Row, column: str) -> int | None:
    """Return a year, which `parse_int` reads; None for an empty value."""
    year = parse_int(row, column)
    if problem := year_problem(column, year):
        raise RecordError(problem)
    return year


def parse_bool(row: Row, column: str) -> bool:
    """Return a boolean written as true, yes, y, 1 or their opposites; False for an empty value."""
    value = row.get(column)
    word = str(value).strip().lower() if isinstance(value, str | bool | int) else ""
    if word in _TRUE:
        return True
    if value is None or word in _FALSE or value == "":
        return False
    raise RecordError(f"{column} must be true or false, not {value!s:.40}")
