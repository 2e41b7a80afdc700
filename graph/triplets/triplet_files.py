"""Tables of triplets, and files of them in Parquet or JSON Lines."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from specter_graph.core.atomic_files import check_parent, complete_file, compressed, unknown_suffix
from specter_graph.core.errors import InputError, require_paths
from specter_graph.core.progress import batches

SCHEMA = pa.schema(
    [
        pa.field("query", pa.string(), nullable=False),
        pa.field("positive", pa.string(), nullable=False),
        pa.field("negative", pa.string(), nullable=False),
        pa.field("hard", pa.bool_(), nullable=False),
    ]
)
"""Ids of the query, the positive and the negative (SPECTER, section 2.3).

`hard` is true if the negative is a hard negative, not a random one (section 2.4).
"""

_SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst")
_ROWS = 50_000  # of a batch that is read
_BATCHES = 50  # of a row group


def write_triplets(triplets: Iterable[pa.RecordBatch], path: Path | str) -> Path:
    """Write a stream of batches to a file atomically.

    Raises:
        InputError: The suffix is unknown, the folder does not exist, or there are no triplets. No
            file is written.
    """
    require_paths('graph.triplets().write("triplets.parquet")', path=path)
    path = Path(path)
    write = _write_parquet if _require_suffix(path) == ".parquet" else _write_lines
    check_path(path)
    with complete_file(path) as unfinished:
        write(_require_some(triplets), unfinished, path)
    return path


def _require_some(triplets: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the batches; raise InputError at the end if they have no rows."""
    rows = 0
    for batch in triplets:
        rows += batch.num_rows
        yield batch
    if not rows:
        raise InputError(
            "there are no triplets: no query has a positive and a negative",
            "load papers that cite each other, or set another triplets.source",
        )


def read_triplets(path: Path | str) -> Iterator[pa.RecordBatch]:
    """Yield the triplets of a file as record batches of `SCHEMA`, in order.

    Raises:
        InputError: The file does not exist, or a line is not a triplet.
    """
    require_paths('graph.triplets().write("triplets.parquet")', triplets=path)
    path = Path(path)
    read = _read_parquet if _require_suffix(path) == ".parquet" else _read_lines
    if not path.is_file():
        raise InputError(f"there is no file {path}", "specter-graph triplets -o triplets.parquet")
    yield from read(path)


def check_path(path: Path | str) -> None:
    """Raise InputError if `write_triplets` could not write to this path."""
    _require_suffix(Path(path))
    check_parent(Path(path))


def _require_suffix(path: Path) -> str:
    for suffix in _SUFFIXES:
        if path.name.endswith(suffix):
            return suffix
    raise unknown_suffix(path, _SUFFIXES)


def _write_parquet(triplets: Iterable[pa.RecordBatch], unfinished: Path, path: Path) -> None:
    with pq.ParquetWriter(unfinished, SCHEMA, compression="zstd") as writer:
        for some in batches(triplets, _BATCHES):
            writer.write_table(pa.Table.from_batches(some, SCHEMA))


def _write_lines(triplets: Iterable[pa.RecordBatch], unfinished: Path, path: Path) -> None:
    with compressed(unfinished, path) as file:
        for batch in triplets:
            file.write(b"".join(orjson.dumps(row) + b"\n" for row in batch.to_pylist()))


def _read_parquet(path: Path) -> Iterator[pa.RecordBatch]:
    try:
        with pq.ParquetFile(path) as file:
            missing = {*SCHEMA.names} - {*file.schema_arrow.names}
            if missing:
                raise InputError(f"{path} is not a triplet file: no column {min(missing)!r}")
            for batch in file.iter_batches(_ROWS, columns=SCHEMA.names):
                yield batch.cast(SCHEMA)
    except pa.ArrowException as error:
        raise InputError(f"{path} cannot be read as triplets: {error}") from error


def _read_lines(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.input_stream(str(path)) as file:  # unlike zstandard, an error if the end is missing
        lines = enumerate(_decompress_lines(io.BufferedReader(file), path), start=1)
        rows = (_parse_row(line, path, number) for number, line in lines)
        for some in batches(rows, _ROWS):
            yield pa.RecordBatch.from_pylist(some, SCHEMA)


def _decompress_lines(file: io.BufferedReader, path: Path) -> Iterator[bytes]:
    try:
        yield from file
    except OSError as error:
        raise InputError(f"{path} cannot be decompressed: {error}") from error


def _parse_row(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
        triplet = {name: row[name] for name in SCHEMA.names}
        ids_are_text = all(isinstance(triplet[name], str) for name in SCHEMA.names[:3])
        if not ids_are_text or not isinstance(triplet["hard"], bool):
            raise TypeError
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}, line {number}, is not a triplet",
            'a line is {"query": "...", "positive": "...", "negative": "...", "hard": false}',
        ) from error
    return triplet
