"""Reads Parquet files as streams of rows."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders.format_api import Count, Found, Ignored, Problem, RecordError

Row = dict[str, str | list[str]]

_MAGIC = b"PAR1"
_ROWS = 1_000


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet files do."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def parquet_columns(path: Path) -> list[str]:
    """The columns of a file, in lower case. Raises what pyarrow raises."""
    import pyarrow.parquet as pq

    return [name.strip().lower() for name in pq.read_schema(path).names]


def read_parquet(
    path: Path, count: Count, convert: Callable[[Row], Iterable[Found]], columns: frozenset[str]
) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of each row, with the row's number, from 1.

    A row is a dict from the name of a column, in lower case, to its value as text, or a list of
    texts; null and NaN are "". Any column but `columns` is told as Ignored and not read. A
    RecordError that `convert` raises becomes a Problem.
    """
    number = 0
    try:
        for row in _rows(path, count, columns):
            if isinstance(row, Ignored):
                yield 1, row
                continue
            number += 1
            try:
                for found in convert(row):
                    yield number, found
            except RecordError as error:
                yield number, Problem(str(error), error.id, str(row)[:10_000])
    except Exception as error:  # pyarrow raises many kinds
        reason = f"the Parquet file cannot be read ({error}); the rest of it is not loaded"
        yield number + 1, Problem(" ".join(reason.split()))


def _rows(path: Path, count: Count, columns: frozenset[str]) -> Iterator[Row | Ignored]:
    """The rows of the columns that are known. Raises what pyarrow raises."""
    import pyarrow.parquet as pq

    left = path.stat().st_size
    with pq.ParquetFile(path) as file:
        kept: dict[str, str] = {}
        for name in file.schema_arrow.names:
            column = name.strip().lower()
            if column in columns and column not in kept.values():
                kept[name] = column
            else:
                yield Ignored(name)
        for group in range(file.num_row_groups):
            batches = file.iter_batches(_ROWS, row_groups=[group], columns=list(kept))
            for batch in batches:
                for values in batch.to_pylist():
                    yield {kept[name]: _text(value) for name, value in values.items()}
            read = min(left, file.metadata.row_group(group).total_byte_size)
            left -= read
            count(read)
    count(left)


def _text(value: Any) -> str | list[str]:  # noqa: ANN401
    if isinstance(value, str):
        return value.replace("\0", "").strip()
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, list | tuple):
        return [text for part in value if isinstance(text := _text(part), str) and text]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # pandas makes floats of whole numbers with gaps
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)
