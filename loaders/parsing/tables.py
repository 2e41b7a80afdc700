"""Reads tables: CSV and TSV files, and Parquet files, as streams of rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from specter_graph.loaders.files import read_lines
from specter_graph.loaders.format_api import Count, Found
from specter_graph.loaders.parsing import csv as csv_rows
from specter_graph.loaders.parsing.parquet import is_parquet, parquet_columns, read_parquet

Row: TypeAlias = Mapping[str, str | list[str]]
"""From the name of a column, in lower case, to its value; only Parquet has lists."""
Convert: TypeAlias = Callable[[Row], Iterable[Found]]


def read_table(
    path: Path, count: Count, convert: Convert, columns: frozenset[str]
) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of each row, with its line (CSV) or its number (Parquet), from 1.

    `columns`, in lower case, are those that the format has; see `csv_rows.read_rows`. Values of a
    Parquet file come as text, and lists as lists of text; null is "".
    """
    if is_parquet(path):
        return read_parquet(path, count, convert, columns)
    return csv_rows.read_rows(path, count, convert, columns)


def column_names(path: Path) -> list[str]:
    """The columns of a table, in lower case; none if it cannot be read."""
    try:
        if is_parquet(path):
            return parquet_columns(path)
        for line in read_lines(path, lambda size: None):
            if line is None or (line and not line.isspace()):
                return csv_rows.read_header(line or b"")
    except Exception:  # what is wrong with the file is told when it is read
        return []
    return []


def entries(row: Row, column: str) -> list[str]:
    """A list: of Parquet, or the parts between semicolons, without white space around them."""
    value = row.get(column, "")
    parts = value if isinstance(value, list) else value.split(";")
    return [stripped for part in parts if (stripped := part.strip())]


def cell(row: Row, *columns: str) -> str:
    """The value of the first of the columns that has one; a list is joined."""
    for column in columns:
        value = row.get(column, "")
        if text := "; ".join(value) if isinstance(value, list) else value:
            return text
    return ""
