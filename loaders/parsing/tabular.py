"""Streams of the rows of tables: CSV, TSV and Parquet files."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import (
    Count,
    ParseResult,
    RecordIssue,
    Results,
    UnknownField,
    convert_record,
)
from specter_graph.loaders.parsing.delimited import read_header, read_rows
from specter_graph.loaders.parsing.plain_text import SEMICOLON

Row: TypeAlias = Mapping[str, str | list[str]]
"""From the name of a column, in lower case, to its value; only Parquet has lists."""
Convert: TypeAlias = Callable[[Row], Iterable[ParseResult]]

_MAGIC = b"PAR1"
_ROWS = 1_000


def read_table(path: Path, count: Count, convert: Convert, columns: frozenset[str]) -> Results:
    """Yield the results of each row, with its line (CSV) or its number (Parquet), from 1.

    `columns` are the columns of the format, in lower case; others are reported once and ignored.
    See `read_rows`. Values of a Parquet file become text, and lists become lists of text; null and
    NaN become "".
    """
    if read_head(path)[0].startswith(_MAGIC):
        return _read_parquet(path, count, convert, columns)
    return read_rows(path, count, convert, columns)


def column_names(path: Path) -> list[str]:
    """Return the columns of a table, in lower case; none if it cannot be read."""
    try:
        head, _ = read_head(path)
        if head.startswith(_MAGIC):
            import pyarrow.parquet as pq

            return [name.strip().lower() for name in pq.read_schema(path).names]
        return read_header(head)
    except Exception:
        return []  # damage is reported when the file is read


def entries(row: Row, column: str) -> list[str]:
    """Return a list of Parquet, or the parts between semicolons, without white space around."""
    value = row.get(column, "")
    parts = value if isinstance(value, list) else SEMICOLON.split(value)
    return [stripped for part in parts if (stripped := part.strip())]


def cell(row: Row, *columns: str) -> str:
    """Return the value of the first column that has one; a list is joined."""
    for column in columns:
        value = row.get(column, "")
        if text := "; ".join(value) if isinstance(value, list) else value:
            return text
    return ""


def _read_parquet(path: Path, count: Count, convert: Convert, columns: frozenset[str]) -> Results:
    number = 0
    try:
        for row in _read_rows(path, count, columns):
            if isinstance(row, UnknownField):
                yield 1, row
                continue
            number += 1
            yield from convert_record(convert, row, number, row)
    except Exception as error:  # pyarrow raises many kinds
        reason = f"the Parquet file cannot be read ({error}); the rest is not loaded"
        yield number + 1, RecordIssue(" ".join(reason.split()))


def _read_rows(path: Path, count: Count, columns: frozenset[str]) -> Iterator[Row | UnknownField]:
    """Yield the unknown columns, and the rows of the known ones; raise the errors of pyarrow."""
    import pyarrow.parquet as pq

    unread = path.stat().st_size
    with pq.ParquetFile(path) as file:
        known: dict[str, str] = {}
        for name in file.schema_arrow.names:
            column = name.strip().lower()
            if column in columns and column not in known.values():
                known[name] = column
            else:
                yield UnknownField(name)
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(_ROWS, row_groups=[group], columns=list(known)):
                for values in batch.to_pylist():
                    yield {known[name]: _convert_value(value) for name, value in values.items()}
            size = min(unread, file.metadata.row_group(group).total_byte_size)
            unread -= size
            count(size)
    count(unread)


def _convert_value(value: Any) -> str | list[str]:  # noqa: ANN401
    if isinstance(value, str):
        return value.replace("\0", "").strip()
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, list | tuple):
        return [text for part in value if isinstance(text := _convert_value(part), str) and text]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # pandas turns integers into floats if some are missing
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)
