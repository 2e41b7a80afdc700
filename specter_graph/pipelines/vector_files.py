"""Files of vectors: JSON Lines in SPECTER's format, or Parquet."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from specter_graph.core.atomic_files import complete_file, compressed
from specter_graph.core.batching import batches
from specter_graph.core.errors import InputError
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import PAGE, paper_texts
from specter_graph.graph.embeddings.spaces import get_space, read_vectors
from specter_graph.loaders.records import PaperText

Dtype: TypeAlias = Literal["float32", "float16", "int8"]

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")


def check_format(path: Path, dtype: Dtype) -> None:
    """Raise InputError for an unknown suffix, or a dtype that the format does not support."""
    if not path.name.endswith(SUFFIXES):
        raise InputError(f"{path} has no known suffix", f"name it {', '.join(SUFFIXES)}")
    if not path.name.endswith(".parquet") and dtype != "float32":
        raise InputError(
            f"{path}: JSON Lines support float32 only, not {dtype}", "use a .parquet file"
        )


def vector_table(papers: Sequence[PaperText], vectors: Vectors, dtype: Dtype) -> pa.Table:
    """Return a table with the columns `id`, `title` and `vector` (a list of fixed size).

    Args:
        papers: n papers.
        vectors: Their vectors, (n, d) float32.
        dtype: Type of the stored components. int8 adds the column `scale`, see `quantize`.
    """
    columns = {"id": [paper.id for paper in papers], "title": [paper.title for paper in papers]}
    arrays = [pa.array(column, pa.string()) for column in columns.values()]
    numbers, scale = quantize(vectors) if dtype == "int8" else (vectors.astype(dtype), None)
    arrays.append(list_array(numbers))
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


def list_array(vectors: NDArray[Any]) -> pa.FixedSizeListArray:
    """Return vectors, (n, d), as an array of n lists of d numbers."""
    return pa.FixedSizeListArray.from_arrays(
        pa.array(np.ascontiguousarray(vectors).ravel()), vectors.shape[1]
    )


def matrix_of(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return the vectors, (n, d), of a column of `list_array`."""
    numbers = column.combine_chunks().flatten().to_numpy()
    return np.asarray(numbers.reshape(len(column), column.type.list_size))


def write_vectors(tables: Iterable[pa.Table], path: Path, about: Mapping[str, str]) -> None:
    """Write one or more tables of `vector_table` to a file atomically.

    The suffix of `path` selects the format. JSON Lines have the keys `paper_id`, `title` and
    `embedding`, as written by SPECTER's embed script. A Parquet file has `about`, the description
    of the model, in its metadata.
    """
    with complete_file(path) as new:
        if path.suffix == ".parquet":
            _write_parquet(tables, new, about)
            return
        with compressed(new, path) as file:
            for table in tables:
                columns = table["id"].to_pylist(), table["title"].to_pylist()
                rows = zip(*columns, matrix_of(table["vector"]), strict=True)
                for paper, title, vector in rows:
                    row = {"paper_id": paper, "title": title, "embedding": vector}
                    option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
                    file.write(orjson.dumps(row, option=option))


def write_space_vectors(
    db: Database, space: str, path: Path, *, strip_id_prefix: bool = False
) -> None:
    """Write the vectors of a space to a file, page by page, so that memory stays constant.

    Args:
        db: The graph.
        space: The space.
        path: The file, see `write_vectors`.
        strip_id_prefix: Write Semantic Scholar ids without `s2:`.

    Raises:
        GraphError: The space does not exist.
    """
    record = get_space(db, space)
    about = {"model": record.model, "digest": record.digest, "base": record.base}

    def tables() -> Iterator[pa.Table]:
        for page in batches(paper_texts(db), PAGE):
            papers = {paper.id: paper for paper in page}
            ids, vectors = read_vectors(db, space, list(papers))
            if strip_id_prefix:
                papers = {each: replace(papers[each], id=each.removeprefix("s2:")) for each in ids}
            yield vector_table([papers[each] for each in ids], vectors, "float32")

    write_vectors(tables(), path, about)


def _write_parquet(tables: Iterable[pa.Table], path: Path, about: Mapping[str, str]) -> None:
    metadata = {"specter-graph": json.dumps(dict(about))}
    stream = iter(tables)
    first = next(stream)
    schema = first.schema.with_metadata(metadata)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for table in chain([first], stream):
            file.write_table(table.cast(schema))


def quantize(vectors: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """Quantize vectors (n, d) to int8 and return them with their scales, (n,) float32.

    scale = max |v| / 127 (1 for a vector of zeros) and q = round(v / scale), so that q * scale
    differs from v by at most half a scale in each dimension.
    """
    largest = np.abs(vectors).max(axis=1, initial=0)
    scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return np.rint(vectors / scale[:, None]).astype(np.int8), scale
