"""Export to Parquet: a folder with a file for each kind of node and relationship."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from specter_graph.core.atomic_files import complete_folder
from specter_graph.graph.export.source import Source
from specter_graph.graph.export.tables import Column, Row, Table, rows, tables

_ROWS = 20_000
_PAPER_ROWS = 2_000  # with their texts, and perhaps bodies


def write_parquet(source: Source, path: Path) -> None:
    """Write the tables into a new folder; the first columns of each are its keys."""
    with complete_folder(path) as folder, ExitStack() as stack:
        sinks = {t.name: stack.enter_context(_Sink(folder, t)) for t in tables(source)}
        for name, row in rows(source):
            sinks[name].add(row)


class _Sink:
    """A file that is written one row group at a time."""

    def __init__(self, folder: Path, table: Table) -> None:
        keys = [pa.field(name, pa.string(), nullable=False) for name in table.keys]
        columns = [pa.field(column.name, _arrow_type(column)) for column in table.columns]
        self._schema = pa.schema([*keys, *columns])
        self._max_rows = _PAPER_ROWS if table.kind == "Paper" else _ROWS
        self._rows: list[Row] = []
        self._file = pq.ParquetWriter(
            folder / f"{table.name}.parquet", self._schema, compression="zstd"
        )

    def __enter__(self) -> "_Sink":
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self._write()
        self._file.close()

    def add(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) >= self._max_rows:
            self._write()

    def _write(self) -> None:
        columns = zip(*self._rows, strict=True) if self._rows else [()] * len(self._schema)
        arrays = [
            pa.array(values, field.type)
            for values, field in zip(columns, self._schema, strict=True)
        ]
        self._file.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()


def _arrow_type(column: Column) -> Any:  # noqa: ANN401
    return {
        "vector": pa.list_(pa.float32()),  # not of fixed size: pyarrow cannot read missing ones
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "texts": pa.list_(pa.string()),
        "labels": pa.list_(pa.string()),
    }[column.type]
