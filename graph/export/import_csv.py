"""CSV as `neo4j-admin database import` reads it: a folder with a file for each kind of thing.

`import.args` in it names the files and says how they are written, so that the import is
`neo4j-admin database import full neo4j @import.args` within the folder.
"""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from specter_graph.core.files import complete_folder
from specter_graph.graph.export.source import Source
from specter_graph.graph.export.tables import Column, Row, Table, rows, tables

_BETWEEN = "\x1f"
"""The unit separator: between the entries of a list, and the parts of a key."""

_ARGUMENTS = ["--array-delimiter=U+001F", "--multiline-fields=true", "--read-buffer-size=32m"]
_TYPES = {
    "text": ":string",
    "integer": ":long",
    "number": ":double",
    "boolean": ":boolean",
    "texts": ":string[]",
    "vector": ":float[]",
}


def write_import_csv(source: Source, path: Path) -> None:
    """Write the tables into a new folder; the first line of each file is its header."""
    with complete_folder(path) as folder:
        with ExitStack() as stack:
            sinks: dict[str, Callable[[Row], object]] = {}
            for table in tables(source):
                file = folder / f"{table.name}.csv"
                opened = stack.enter_context(file.open("w", encoding="utf-8", newline=""))
                sinks[table.name] = _sink(opened, table)
            for name, row in rows(source):
                sinks[name](row)
        (folder / "import.args").write_text("\n".join([*_ARGUMENTS, *_files(source)]) + "\n")


def _files(source: Source) -> list[str]:
    return [
        f"--{'relationships' if table.start else 'nodes'}={table.kind}=./{table.name}.csv"
        for table in tables(source)
    ]


def _sink(file: TextIO, table: Table) -> Callable[[Row], object]:
    """What writes a row of a table; the header is written."""
    if table.start and table.end:
        split = len(table.start.keys)
        header = [f":START_ID({table.start.kind})", f":END_ID({table.end.kind})"]
    else:
        split = len(table.keys)
        # The key of several columns is no property: the columns themselves are.
        header = [f"{table.keys[0] if split == 1 else ''}:ID({table.kind})"]
        header += [f"{name}:string" for name in table.keys] if split > 1 else []
    header += [_header(column) for column in table.columns]
    file.write(",".join(header) + "\n")
    keys = len(table.keys)

    def write(row: Row) -> None:
        cells = [_BETWEEN.join(row[:split])]
        if table.start:
            cells.append(_BETWEEN.join(row[split:keys]))
        elif split > 1:
            cells += row[:split]
        cells += row[keys:]
        file.write(",".join(map(_cell, cells)) + "\n")

    return write


def _header(column: Column) -> str:
    return ":LABEL" if column.type == "labels" else column.name + _TYPES[column.type]


def _cell(value: Any) -> str:  # noqa: ANN401
    """A cell; nothing for what is missing, which an empty text in quotes is not."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f'"{value.replace(chr(34), 2 * chr(34))}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        parts = (str(part).replace(_BETWEEN, " ") for part in value)
        return _cell(_BETWEEN.join(parts)) if value else ""
    return str(value)
