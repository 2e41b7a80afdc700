"""Streams of the rows of comma-, tab- or semicolon-separated files with a header.

Spreadsheets evaluate a cell that begins with =, +, -, @, a tab or a carriage return, quoted or not.
In CSV files for people, `escape_formula` puts an apostrophe before such a value, and
`unescape_formula` removes it when the file is read. Numbers are unchanged, and so are names of
letters, digits, - and _ alone ("-5VpIqr", an id of OpenReview): they call no function.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from specter_graph.core.errors import counted
from specter_graph.loaders.corpus_files import MAX_LINE_BYTES, DamagedFileError, read_lines
from specter_graph.loaders.format_api import (
    Count,
    ParseResult,
    RecordIssue,
    Results,
    UnknownField,
    convert_record,
    file_issue,
)
from specter_graph.loaders.parsing.plain_text import decode_line

Row = dict[str, str]
Convert = Callable[[Row], Iterable[ParseResult]]

DELIMITERS = ",\t;"
MAX_ROW_LENGTH = MAX_LINE_BYTES
"""Maximum number of characters of a row; a longer one has an unclosed quote."""

_PREAMBLES = ('"About the data', "sep=", '"sep=')
"""Beginnings of a line before the header: of exports of Dimensions, and of Excel's delimiter."""
_RISKY = re.compile(r"'*[=+\-@\t\r]")
_HARMLESS = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?|-[\w-]*", re.ASCII)


def read_rows(
    path: Path,
    count: Count,
    convert: Convert,
    columns: frozenset[str],
    required: frozenset[str] = frozenset(),
) -> Results:
    """Yield the results of each row of a file, with the row's first line.

    The first line that is not blank is the header. A row is a dict from the name of a column, in
    lower case, to its value without surrounding white space and without the apostrophe of an
    escaped formula. Blank lines are skipped. A row that is not CSV (RFC 4180: quotes are doubled
    inside quotes) or has another number of cells than the header becomes a RecordIssue. After an
    unclosed quote, each following line is read separately, so that only one row is lost. Quotes in
    a row between tabs may be text, and empty cells after those of the header are ignored, as Web of
    Science writes them. A row that is not UTF-8 is read as Windows-1252, and reported. Lines end
    with LF, CR LF or, if the first one does, CR.

    Args:
        path: The file.
        count: Called with the numbers of bytes read.
        convert: Returns the results of a row. Its RecordError becomes a RecordIssue.
        columns: The columns of the format, in lower case; others are reported once and ignored.
        required: Columns without which the file is not read.
    """
    lines = _Lines(_split_at_cr(read_lines(path, count)))
    try:
        yield from _convert_rows(lines, convert, columns, required)
    except DamagedFileError as error:
        if lines.row:
            yield lines.first, RecordIssue("the row is cut off", record="".join(lines.row))
        yield lines.number + 1, file_issue(error)


def read_header(head: bytes) -> list[str]:
    """Return the columns named in the first line of a file, in lower case; [] if it is not CSV."""
    line, _, rest = head.lstrip().partition(b"\n")
    if line.startswith(tuple(map(str.encode, _PREAMBLES))):
        line = rest.partition(b"\n")[0]
    text, _ = decode_line(line)
    try:
        return _split_header(text, _detect_delimiter(text, frozenset()))
    except csv.Error:
        return []


def _split_at_cr(lines: Iterator[bytes | None]) -> Iterator[bytes | None]:
    """Yield the lines, split at CR if the first line has one: Excel for Mac may end lines so."""
    has_cr: bool | None = None
    for line in lines:
        if has_cr is None and line:
            has_cr = b"\r" in line[:-1]
        if line and has_cr:
            yield from line.removesuffix(b"\r").split(b"\r")
        else:
            yield line


class _Lines:
    """The lines of a file as text, for csv.reader; `row` contains those of the current row."""

    def __init__(self, lines: Iterator[bytes | None]) -> None:
        self._lines = lines
        self.number = 0
        self.begin()

    def begin(self) -> None:
        """Begin a new row."""
        self.first = self.number + 1
        self.row: list[str] = []
        self.size = 0
        self.repairs: dict[RecordIssue, None] = {}
        """What was repaired in the row, each once."""

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        if line is None:
            self.row.append("")
            raise csv.Error(f"line {self.number} is longer than {MAX_LINE_BYTES // 2**20} MiB")
        text, repairs = decode_line(line)
        self.repairs.update(dict.fromkeys(repairs))
        text += "\n"
        self.row.append(text)
        self.size += len(text)
        if self.size > MAX_ROW_LENGTH and len(self.row) > 1:
            raise csv.Error("a quote is not closed")
        return text


def _convert_rows(
    lines: _Lines, convert: Convert, columns: frozenset[str], required: frozenset[str]
) -> Results:
    try:
        header = _read_first_line(lines)
        if header is None:
            return
        for repair in lines.repairs:
            yield lines.number, repair
        delimiter = _detect_delimiter(header, columns)
        names = _split_header(header, delimiter)
    except csv.Error as error:
        reason = f"the header cannot be read ({error}): the file is not loaded"
        yield lines.number, RecordIssue(reason)
        return
    if absent := required - set(names):
        reason = f"the header has no column {', '.join(sorted(absent))}: the file is not loaded"
        yield lines.number, RecordIssue(reason, record=header)
        return
    positions: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in columns and name not in positions:
            positions[name] = position
        else:
            yield lines.number, UnknownField(name or f"column {position + 1}")
    places = tuple(positions.items())
    for number, text, cells in _read_rows(lines, delimiter, len(names)):
        if isinstance(cells, RecordIssue):
            yield number, cells
            continue
        if len(cells) < len(names) or any(cells[len(names) :]):
            reason = f"the row has {counted(len(cells), 'column')}, the header {len(names)}"
            yield number, RecordIssue(reason, record=text)
            continue
        row = {name: unescape_formula(cells[position].strip()) for name, position in places}
        yield from convert_record(convert, row, number, text)


def _read_first_line(lines: _Lines) -> str | None:
    """Return the first line that is not blank."""
    for line in lines:
        if not line.isspace() and not line.startswith(_PREAMBLES):
            return line
        lines.begin()
    return None


def _detect_delimiter(header: str, columns: frozenset[str]) -> str:
    """Return the delimiter that gives the largest number of known columns, or else of columns."""

    def count_known(delimiter: str) -> tuple[int, int]:
        names = _split_header(header, delimiter, strict=False)
        return len(columns.intersection(names)), len(names)

    return max(DELIMITERS, key=count_known)


def _split_header(header: str, delimiter: str, *, strict: bool = True) -> list[str]:
    cells = next(csv.reader([header], delimiter=delimiter, strict=strict), [])
    return [name.strip().lower() for name in cells]


def _read_rows(
    lines: _Lines, delimiter: str, columns: int
) -> Iterator[tuple[int, str, list[str] | RecordIssue]]:
    """Yield each row that is not blank: the number of its first line, its text, and its cells.

    RecordIssues for repairs come before their row.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_ROW_LENGTH))  # a setting of the process
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        try:
            cells = next(reader)
            if delimiter == "\t" and len(lines.row) > 1 and len(cells) != columns:
                raise csv.Error("a quote is not closed")
            rows: Iterable[tuple[int, str, list[str] | RecordIssue]]
            rows = [(lines.first, "".join(lines.row), cells)] if cells else ()
        except StopIteration:
            return
        except csv.Error as error:
            rows = _split_row(lines, delimiter, columns, error)
        for repair in lines.repairs:
            yield lines.first, "", repair
        yield from rows


def _split_row(
    lines: _Lines, delimiter: str, columns: int, error: csv.Error
) -> Iterator[tuple[int, str, list[str] | RecordIssue]]:
    """Reject the first line of a row that is not CSV, and read each of the others separately.

    A line is used if tabs split it into the right number of cells: their quotes are text.
    """
    for number, line in enumerate(lines.row, lines.first):
        plain = line.rstrip("\r\n").split("\t")
        try:
            if number == lines.first:
                raise error
            cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error as reason:
            if delimiter == "\t" and len(plain) >= columns and not any(plain[columns:]):
                yield number, line, plain
            else:
                yield number, line, RecordIssue(f"the row is not CSV: {reason}", record=line)
        else:
            if cells:
                yield number, line, cells


def escape_formula(value: str) -> str:
    """Return the value, with an apostrophe before it if a spreadsheet could evaluate it.

    Values that look escaped get another apostrophe, so that reading the file restores them.
    """
    if not _RISKY.match(value) or _HARMLESS.fullmatch(value):
        return value
    return f"'{value}"


def unescape_formula(value: str) -> str:
    """Return the value that `escape_formula` was given."""
    if value.startswith("'") and escape_formula(value[1:]) == value:
        return value[1:]
    return value
