"""Files of vectors: SPECTER's JSON Lines, or Parquet."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.core.files import complete_file, compressed
from specter_graph.core.vectors import Vectors
from specter_graph.loaders.records import PaperText

Dtype: TypeAlias = Literal["float32", "float16", "int8"]

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")


def check_format(path: Path, dtype: Dtype) -> None:
    """Raise InputError for a suffix that names no format, or a dtype that the format lacks."""
    if not path.name.endswith(SUFFIXES):
        raise InputError(f"{path} has no known suffix", f"name it {', '.join(SUFFIXES)}")
    if not path.name.endswith(".parquet") and dtype != "float32":
        raise InputError(f"{path}: JSON Lines have float32 only", f"--dtype {dtype} with .parquet")


def vector_table(papers: Sequence[PaperText], vectors: Vectors, dtype: Dtype) -> pa.Table:
    """Return the columns `id`, `title` and `vector` (a list of fixed size), one row a paper.

    Args:
        papers: n papers.
        vectors: Theirs, (n, d) float32.
        dtype: Of the stored numbers. int8 adds the column `scale`, see `quantize`.
    """
    columns = {"id": [paper.id for paper in papers], "title": [paper.title for paper in papers]}
    arrays = [pa.array(column, pa.string()) for column in columns.values()]
    numbers, scale = quantize(vectors) if dtype == "int8" else (vectors.astype(dtype), None)
    flat = pa.array(numbers.ravel())
    arrays.append(pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]))
    names = [*columns, "vector"]
    if scale is not None:
        arrays.append(pa.array(scale))
        names.append("scale")
    schema = pa.schema(
        [
            pa.field(name, array.type, nullable=False)
            for name, array in zip(names, arrays, strict=True)
        ]
    )
    return pa.table(arrays, schema=schema)


def write_vectors(tables: Iterable[pa.Table], path: Path, about: Mapping[str, str]) -> None:
    """Write tables of `vector_table`, at least one, to a file that appears when it is complete.

    The suffix of `path` names the format. JSON Lines have the keys `paper_id`, `title` and
    `embedding`, as SPECTER's embed script writes them; `about`, what is to be known of the model,
    is in the metadata of a Parquet file.
    """
    with complete_file(path) as new:
        if path.suffix == ".parquet":
            _write_parquet(tables, new, about)
            return
        with compressed(new, path) as file:
            for table in tables:
                numbers = table["vector"].combine_chunks().flatten().to_numpy()
                vectors = numbers.reshape(len(table), -1) if len(table) else []
                rows = zip(
                    table["id"].to_pylist(), table["title"].to_pylist(), vectors, strict=True
                )
                for paper, title, vector in rows:
                    row = {"paper_id": paper, "title": title, "embedding": vector}
                    option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
                    file.write(orjson.dumps(row, option=option))


def _write_parquet(tables: Iterable[pa.Table], path: Path, about: Mapping[str, str]) -> None:
    metadata = {"specter-graph": json.dumps(dict(about))}
    stream = iter(tables)
    first = next(stream)
    schema = first.schema.with_metadata(metadata)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for table in chain([first], stream):
            file.write_table(table.cast(schema))


def quantize(vectors: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """Return vectors (n, d) as int8, and their scales, (n,) float32.

    scale = max |v| / 127 (1 for a vector of zeros), q = round(v / scale), so that v is q * scale,
    to half a scale in each number.
    """
    largest = np.abs(vectors).max(axis=1, initial=0)
    scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return np.rint(vectors / scale[:, None]).astype(np.int8), scale
