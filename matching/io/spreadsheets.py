"""Read the rows of spreadsheets: .xlsx, and .xls in the format XML Spreadsheet 2003.

Microsoft CMT exports files named .xls that are XML Spreadsheet 2003, documented in "XML Spreadsheet
Reference" (https://learn.microsoft.com/previous-versions/office/developer/office-xp/aa140066(v=office.10)).
The binary format of earlier versions of Excel is not read.

A workbook can have several sheets. The header of a sheet is its first row with at least two filled
cells, so that titles above the table are skipped.
"""

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from specter_graph.core.errors import InputError, counted, extra
from specter_graph.loaders.format_api import (
    RecordError,
    RecordIssue,
    Results,
    UnknownField,
    convert_record,
)
from specter_graph.loaders.parsing.delimited import Convert

if TYPE_CHECKING:
    from specter_graph.loaders.parsing.xml import Element

Sheet = list[tuple[int, list[str]]]
"""The numbers and cells of the rows that are not blank."""

_MAX_INDEX = 2**20
"""Number of rows of a sheet of Excel."""
_SHEET_NAMESPACE = "{urn:schemas-microsoft-com:office:spreadsheet}"


def read_sheet_header(path: Path) -> tuple[int, set[str]] | None:
    """Return the line and the columns, in lower case, of the sheet with most columns."""
    headers = [
        (line, {*_to_lower(cells)}) for line, cells in map(_header, _sheets(path).values()) if cells
    ]
    return max(headers, key=lambda header: len(header[1]), default=None)


def read_sheet(
    path: Path, convert: Convert, columns: frozenset[str], required: frozenset[str]
) -> Results:
    """Yield the results of the rows of the sheet that has the required columns.

    See `loaders.parsing.delimited.read_rows`, which reads CSV files.

    Raises:
        InputError: The file is not a spreadsheet, or several sheets have the columns.
    """
    sheets = {
        name: rows
        for name, rows in _sheets(path).items()
        if required <= {*_to_lower(_header(rows)[1])}
    }
    if len(sheets) > 1:
        raise InputError(
            f"{path} has several sheets with the columns {', '.join(sorted(required))}:"
            f" {', '.join(sheets)}",
            "save the sheet that you need as a separate file",
        )
    for rows in sheets.values():
        first, header = _header(rows)
        names = _to_lower(header)
        for name in names:
            if name and name not in columns:
                yield first, UnknownField(name)
        for line, cells in rows:
            if line <= first:
                continue
            if any(cells[len(names) :]):
                reason = f"the row has {counted(len(cells), 'cell')}, the header {len(names)}"
                yield line, RecordIssue(reason)
                continue
            cells += [""] * (len(names) - len(cells))
            row = {name: cell for name, cell in zip(names, cells, strict=False) if name in columns}
            yield from convert_record(convert, row, line, "")


def _header(rows: Sheet) -> tuple[int, list[str]]:
    return next(((line, cells) for line, cells in rows if sum(map(bool, cells)) > 1), (0, []))


def _to_lower(cells: Iterable[str]) -> list[str]:
    return [cell.lower() for cell in cells]


def _sheets(path: Path) -> dict[str, Sheet]:
    """Return the sheets of a workbook with their names."""
    with path.open("rb") as file:
        head = file.read(2**16)
    if head.startswith(b"PK"):
        return _read_workbook(path)
    if b"<Workbook" in head or b":Workbook" in head:
        return _read_xml(path)
    raise InputError(
        f"{path} is neither a workbook (.xlsx) nor XML Spreadsheet 2003",
        "open it in a spreadsheet program, and save it as .xlsx or .csv",
    )


def _read_workbook(path: Path) -> dict[str, Sheet]:
    with extra("formats"):
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            return {
                sheet.title: _drop_empty_rows(enumerate(sheet.iter_rows(values_only=True), 1))
                for sheet in book.worksheets
            }
        finally:
            book.close()
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, InvalidFileException) as error:
        raise InputError(f"{path} is not a workbook that can be read: {error}") from error


def _read_xml(path: Path) -> dict[str, Sheet]:
    with extra("formats"):
        from specter_graph.loaders.parsing.xml import name_of, read_records
    sheets: dict[str, list[tuple[int, list[object]]]] = {}

    def add(element: "Element") -> Iterator[RecordIssue]:
        if name_of(element) == "Worksheet":
            sheets[_attribute(element, "Name") or str(len(sheets) + 1)] = []
        elif sheets:
            rows = next(reversed(sheets.values()))
            following = rows[-1][0] + 1 if rows else 1
            rows.append((_index(element) or following, _cells(element)))
        return iter(())

    for line, result in read_records(path, lambda size: None, add, ["Row"], openings=["Worksheet"]):
        if isinstance(result, RecordIssue) and not result.repaired:
            raise InputError(f"{path}, line {line}: {result.reason}", "export the file again")
    return {name: _drop_empty_rows(rows) for name, rows in sheets.items()}


def _cells(row: "Element") -> list[object]:
    """Return the texts of the cells of a row; `Index` is the place of a cell after a gap."""
    cells: list[object] = []
    for cell in row.iterfind("{*}Cell"):
        cells += [""] * ((_index(cell) or 0) - 1 - len(cells))
        data = cell.find("{*}Data")
        cells.append("" if data is None else "".join(map(str, data.itertext())))
    return cells


def _index(element: "Element") -> int | None:
    """Return the number of a row or a cell, None for the one after the last."""
    written = _attribute(element, "Index") or ""
    if written and not (written.isdecimal() and int(written) <= _MAX_INDEX):
        raise RecordError(f"the index {written:.40} is not a number up to {_MAX_INDEX:,}")
    return int(written) if written else None


def _attribute(element: "Element", name: str) -> str | None:
    return element.get(f"{_SHEET_NAMESPACE}{name}", element.get(name))


def _drop_empty_rows(rows: Iterable[tuple[int, Iterable[object]]]) -> Sheet:
    texts = ((line, [*map(_format_cell, cells)]) for line, cells in rows)
    return [(line, cells) for line, cells in texts if any(cells)]


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # spreadsheets store numbers of papers as floating-point numbers
    return str(value).strip()
