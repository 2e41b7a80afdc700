"""Reads files of comma-, tab- or semicolon-separated values with a header, as streams of rows.

A spreadsheet evaluates a cell that begins with =, +, -, @, a tab or a carriage return, quoted or
not. In CSV files that people open, `escape_formula` puts an apostrophe before the value of such a
cell, and `unescape_formula` takes it off when the file is read again. Numbers stay as they are, and
so do names of letters, digits, - and _ alone ("-5VpIqr", an id of OpenReview), which call nothing.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from specter_graph.loaders.files import MAX_LINE_BYTES, DamagedFileError, read_lines
from specter_graph.loaders.format_api import (
    Count,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
    UnknownField,
    file_issue,
)
from specter_graph.loaders.validation import printable

Row = dict[str, str]
Convert = Callable[[Row], Iterable[ParseResult]]

DELIMITERS = ",\t;"
MAX_ROW_LENGTH = MAX_LINE_BYTES
"""Characters of a row with all its lines; what is longer has a quote that nothing closes."""


_RISKY = re.compile(r"'*[=+\-@\t\r]")
_HARMLESS = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-[\w-]*", re.ASCII)


def read_rows(
    path: Path,
    count: Count,
    convert: Convert,
    columns: frozenset[str],
    required: frozenset[str] = frozenset(),
) -> Results:
    """Yield the results of each row of a file, with the row's first line.

    The first line that is not blank is the header. A row is a dict from the name of a column, in
    lower case, to its value without white space around it and without the apostrophe of an escaped
    formula. Columns that are not among `columns`, in lower case, are reported once and are not in
    the row. A file whose header lacks one of `required` is not read. Blank lines are skipped.

    A RecordError of `convert` becomes a RecordIssue, and so does a row that is not CSV (RFC 4180:
    quotes are doubled inside quotes) or has another number of cells than the header. After an
    unclosed quote, each line behind it is read by itself, so that only one row is lost.
    """
    lines = _Lines(read_lines(path, count))
    try:
        yield from _read(lines, convert, columns, required)
    except (DamagedFileError, OSError) as error:
        if lines.row and isinstance(error, DamagedFileError):
            text = printable("".join(lines.row))
            yield lines.first, RecordIssue("the row is cut off", record=text)
        yield lines.number + 1, file_issue(error)


def read_header(head: bytes) -> list[str]:
    """The columns that the first line of a file names, in lower case; empty if it is no CSV."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0]
    try:
        text = line.decode()
        return _names(text, _delimiter(text, frozenset()))
    except (UnicodeDecodeError, csv.Error):
        return []


class _Lines:
    """The lines of a file as text, for csv.reader; `row` holds those of the row being read."""

    def __init__(self, lines: Iterator[bytes | None]) -> None:
        self._lines = lines
        self.number = 0
        self.begin()

    def begin(self) -> None:
        """Forget the row that has been read."""
        self.first = self.number + 1
        self.row: list[str] = []
        self.size = 0
        self.doubtful = False
        """Whether the row holds bytes that are not UTF-8 (as lone surrogates), or NUL."""

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        if line is None:
            self.row.append("")
            raise csv.Error(f"line {self.number} is longer than {MAX_LINE_BYTES // 2**20} MiB")
        if self.number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            text = line.decode() + "\n"
        except UnicodeDecodeError:
            text = line.decode(errors="surrogateescape") + "\n"
            self.doubtful = True
        if "\0" in text:
            self.doubtful = True
        self.row.append(text)
        self.size += len(text)
        if self.size > MAX_ROW_LENGTH and len(self.row) > 1:
            raise csv.Error("a quote is not closed")
        return text


def _read(
    lines: _Lines, convert: Convert, columns: frozenset[str], required: frozenset[str]
) -> Results:
    try:
        header = _first_line(lines)
        if header is None:
            return
        delimiter = _delimiter(header, columns)
        names = _names(header, delimiter)
    except (csv.Error, UnicodeEncodeError) as error:
        yield (
            lines.number,
            RecordIssue(f"the header cannot be read ({error}): the file is not loaded"),
        )
        return
    if absent := required - set(names):
        reason = f"the header has no column {', '.join(sorted(absent))}: the file is not loaded"
        yield lines.number, RecordIssue(reason, record=header)
        return
    kept: dict[str, int] = {}
    for at, name in enumerate(names):
        if name in columns and name not in kept:
            kept[name] = at
        else:
            yield lines.number, UnknownField(name or f"column {at + 1}")
    places, width = tuple(kept.items()), len(names)
    for number, text, cells in _rows(lines, delimiter):
        if isinstance(cells, RecordIssue):
            yield number, cells
            continue
        if len(cells) != width:
            reason = f"the row has {len(cells)} columns, the header {width}"
            yield number, RecordIssue(reason, record="".join(text))
            continue
        try:
            for result in convert({name: _value(cells[at]) for name, at in places}):
                yield number, result
        except RecordError as error:
            yield number, RecordIssue(str(error), error.id, "".join(text))


def _value(cell: str) -> str:
    value = cell.strip()
    return unescape_formula(value) if value.startswith("'") else value


def _first_line(lines: _Lines) -> str | None:
    """Return the first line that is not blank. Raises UnicodeEncodeError when it is not UTF-8."""
    for line in lines:
        lines.begin()
        if not line.isspace():
            line.encode()
            return line.replace("\0", "")
    return None


def _delimiter(header: str, columns: frozenset[str]) -> str:
    """Return the one that finds the most known columns, or else the most columns."""

    def count_known(delimiter: str) -> tuple[int, int]:
        names = _names(header, delimiter, strict=False)
        return len(columns.intersection(names) if columns else ()), len(names)

    return max(DELIMITERS, key=count_known)


def _names(header: str, delimiter: str, *, strict: bool = True) -> list[str]:
    cells = next(csv.reader([header], delimiter=delimiter, strict=strict), [])
    return [name.strip().lower() for name in cells]


def _rows(
    lines: _Lines, delimiter: str
) -> Iterator[tuple[int, list[str], list[str] | RecordIssue]]:
    """Yield each row that is not blank: its first line's number, its lines, and its cells."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_ROW_LENGTH))  # for all of the process
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield from _split_row(lines, delimiter, error)
            continue
        if lines.doubtful:
            yield from _checked(lines.first, lines.row, cells)
        elif cells:
            yield lines.first, lines.row, cells


def _split_row(
    lines: _Lines, delimiter: str, error: csv.Error
) -> Iterator[tuple[int, list[str], list[str] | RecordIssue]]:
    """A row that is no CSV: its first line is rejected, the others are read each by itself."""
    first, *others = lines.row
    yield lines.first, [first], RecordIssue(f"the row is not CSV: {error}", record=printable(first))
    for number, line in enumerate(others, lines.first + 1):
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error as again:
            problem = RecordIssue(f"the row is not CSV: {again}", record=printable(line))
            yield number, [line], problem
        else:
            yield from _checked(number, [line], cells)


def _checked(
    number: int, text: list[str], cells: list[str]
) -> Iterator[tuple[int, list[str], list[str] | RecordIssue]]:
    """Yield the row without NUL characters, or a RecordIssue when it is not UTF-8."""
    if any("\0" in cell for cell in cells):
        yield number, text, RecordIssue("NUL characters left out", repaired=True)
        cells = [cell.replace("\0", "") for cell in cells]
    try:
        "".join(text).encode()
    except UnicodeEncodeError:
        yield number, text, RecordIssue("the row is not UTF-8", record=printable("".join(text)))
        return
    if cells:
        yield number, text, cells


def escape_formula(value: str) -> str:
    """Return the value with an apostrophe before it, if a spreadsheet could run it.

    Values that look escaped already get another one, so that reading the file gives them back.
    """
    if not _RISKY.match(value) or _HARMLESS.fullmatch(value):
        return value
    return f"'{value}"


def unescape_formula(value: str) -> str:
    """Return the value that `escape_formula` was given."""
    if value.startswith("'") and escape_formula(value[1:]) == value:
        return value[1:]
    return value
