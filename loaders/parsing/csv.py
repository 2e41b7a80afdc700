"""Reads files of comma-, tab- or semicolon-separated values with a header, as streams of rows."""

import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from specter_graph.loaders.files import LONGEST_LINE, DamagedFileError, read_lines
from specter_graph.loaders.format_api import Count, Found, Ignored, Problem, RecordError
from specter_graph.loaders.parsing.field_values import shown
from specter_graph.loaders.parsing.formulas import unescape_formula

Row = dict[str, str]
Convert = Callable[[Row], Iterable[Found]]

DELIMITERS = ",\t;"
LONGEST_ROW = LONGEST_LINE
"""Characters of a row with all its lines; what is longer has a quote that nothing closes."""


def read_rows(
    path: Path,
    count: Count,
    convert: Convert,
    columns: frozenset[str],
    required: frozenset[str] = frozenset(),
) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of each row of a file, with the row's first line, from 1.

    The first line that is not blank is the header. A row is a dict from the name of a column, in
    lower case, to its value without white space around it, and without the apostrophe of an escaped
    formula (`formulas`). `columns`, in lower case, are those that
    the format has: any other is told as Ignored and left out of the row. A file whose header lacks
    one of `required` is not read. Blank lines are skipped.

    A RecordError that `convert` raises becomes a Problem, and so does a row that is no CSV (RFC
    4180: quotes are doubled inside quotes) or whose number of cells is not the header's. After a
    quote that nothing closes, each line that it has swallowed is read by itself, so that the damage
    is no wider than the quote.
    """
    lines = _Lines(read_lines(path, count))
    try:
        yield from _read(lines, convert, columns, required)
    except DamagedFileError as error:
        if lines.row:
            yield lines.first, Problem("the row is cut off", record=shown("".join(lines.row)))
        yield lines.number + 1, Problem(f"{error}; the rest of the file is not loaded")
    except OSError as error:
        yield lines.number + 1, Problem(f"the file cannot be read: {error.strerror}")


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
            raise csv.Error(f"line {self.number} is longer than {LONGEST_LINE // 2**20} MiB")
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
        if self.size > LONGEST_ROW and len(self.row) > 1:
            raise csv.Error("a quote is not closed")
        return text


def _read(
    lines: _Lines, convert: Convert, columns: frozenset[str], required: frozenset[str]
) -> Iterator[tuple[int, Found]]:
    try:
        header = _first_line(lines)
        if header is None:
            return
        delimiter = _delimiter(header, columns)
        names = _names(header, delimiter)
    except (csv.Error, UnicodeEncodeError) as error:
        yield lines.number, Problem(f"the header cannot be read ({error}): the file is not loaded")
        return
    if absent := required - set(names):
        reason = f"the header has no column {', '.join(sorted(absent))}: the file is not loaded"
        yield lines.number, Problem(reason, record=header)
        return
    kept: dict[str, int] = {}
    for at, name in enumerate(names):
        if name in columns and name not in kept:
            kept[name] = at
        else:
            yield lines.number, Ignored(name or f"column {at + 1}")
    places, width = tuple(kept.items()), len(names)
    for number, text, cells in _rows(lines, delimiter):
        if isinstance(cells, Problem):
            yield number, cells
            continue
        if len(cells) != width:
            reason = f"the row has {len(cells)} columns, the header {width}"
            yield number, Problem(reason, record="".join(text))
            continue
        try:
            for found in convert({name: _value(cells[at]) for name, at in places}):
                yield number, found
        except RecordError as error:
            yield number, Problem(str(error), error.id, "".join(text))


def _value(cell: str) -> str:
    value = cell.strip()
    return unescape_formula(value) if value.startswith("'") else value


def _first_line(lines: _Lines) -> str | None:
    """The first line that is not blank. Raises UnicodeEncodeError when it is not UTF-8."""
    for line in lines:
        lines.begin()
        if not line.isspace():
            line.encode()
            return line.replace("\0", "")
    return None


def _delimiter(header: str, columns: frozenset[str]) -> str:
    """The one that finds the most known columns, or else the most columns."""

    def found(delimiter: str) -> tuple[int, int]:
        names = _names(header, delimiter, strict=False)
        return len(columns.intersection(names) if columns else ()), len(names)

    return max(DELIMITERS, key=found)


def _names(header: str, delimiter: str, *, strict: bool = True) -> list[str]:
    cells = next(csv.reader([header], delimiter=delimiter, strict=strict), [])
    return [name.strip().lower() for name in cells]


def _rows(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str], list[str] | Problem]]:
    """Each row that is not blank: its first line's number, its lines, and its cells."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_ROW))  # for all of the process
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield from _apart(lines, delimiter, error)
            continue
        if lines.doubtful:
            yield from _mended(lines.first, lines.row, cells)
        elif cells:
            yield lines.first, lines.row, cells


def _apart(
    lines: _Lines, delimiter: str, error: csv.Error
) -> Iterator[tuple[int, list[str], list[str] | Problem]]:
    """A row that is no CSV: its first line is rejected, the others are read each by itself."""
    first, *others = lines.row
    yield lines.first, [first], Problem(f"the row is not CSV: {error}", record=shown(first))
    for number, line in enumerate(others, lines.first + 1):
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error as again:
            problem = Problem(f"the row is not CSV: {again}", record=shown(line))
            yield number, [line], problem
        else:
            yield from _mended(number, [line], cells)


def _mended(
    number: int, text: list[str], cells: list[str]
) -> Iterator[tuple[int, list[str], list[str] | Problem]]:
    """The row without NUL characters, or a Problem when it is not UTF-8."""
    if any("\0" in cell for cell in cells):
        yield number, text, Problem("NUL characters left out", repaired=True)
        cells = [cell.replace("\0", "") for cell in cells]
    try:
        "".join(text).encode()
    except UnicodeEncodeError:
        yield number, text, Problem("the row is not UTF-8", record=shown("".join(text)))
        return
    if cells:
        yield number, text, cells
