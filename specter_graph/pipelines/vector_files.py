"""Files of vectors, written a chunk of papers at a time: SPECTER's JSON Lines, or Parquet."""

import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.core.files import complete_file
from specter_graph.core.vectors import Vectors
from specter_graph.loaders.records import PaperText

Dtype: TypeAlias = Literal["float32", "float16", "int8"]

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")


class VectorFile(Protocol):
    """A format. Packed chunks one after another are an unfinished file, which `finish` ends."""

    def pack(self, papers: Sequence[PaperText], vectors: Vectors) -> bytes:
        """The bytes of a chunk, which may be empty; vectors are (n, dimension) float32."""

    def finish(self, unfinished: Path, path: Path) -> None:
        """Make the file `path` of packed chunks, at least one; it appears when it is whole."""


def vector_file(path: Path, dtype: Dtype, dimension: int, about: Mapping[str, str]) -> VectorFile:
    """The format that the suffix of `path` names; `about` the model is kept where there is room.

    Raises InputError for another suffix, or numbers that the format does not have.
    """
    if path.name.endswith(".parquet"):
        return ParquetVectors(dtype, dimension, about)
    if not path.name.endswith((".jsonl", ".jsonl.gz")):
        raise InputError(
            f"{path} does not say which format it is to have", f"name it {', '.join(SUFFIXES)}"
        )
    if dtype != "float32":
        raise InputError(f"{path}: JSON Lines have float32 only", f"--dtype {dtype} with .parquet")
    return JsonLines(compressed=path.suffix == ".gz")


class JsonLines:
    """The format of SPECTER's embed script: a paper a line, `paper_id`, `title`, `embedding`."""

    def __init__(self, *, compressed: bool) -> None:
        self._compressed = compressed

    def pack(self, papers: Sequence[PaperText], vectors: Vectors) -> bytes:
        """Lines, or a whole member of a gzip file, which may have many."""
        option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
        lines = b"".join(
            orjson.dumps(
                {"paper_id": paper.id, "title": paper.title, "embedding": vector}, option=option
            )
            for paper, vector in zip(papers, np.ascontiguousarray(vectors), strict=True)
        )
        return gzip.compress(lines, 6, mtime=0) if self._compressed else lines

    def finish(self, unfinished: Path, path: Path) -> None:
        """Nothing but the name is missing."""
        unfinished.replace(path)


class ParquetVectors:
    """Columns `id`, `title`, `vector` (a list of fixed size), and for int8 `scale` (float32).

    An int8 vector is symmetric and has a scale of its own: scale = max |v| / 127 (1 for a vector of
    zeros), q = round(v / scale), so that v is about q * scale, to half a scale in each number.
    """

    def __init__(self, dtype: Dtype, dimension: int, about: Mapping[str, str]) -> None:
        self._dtype = dtype
        number = {"float32": pa.float32(), "float16": pa.float16(), "int8": pa.int8()}[dtype]
        names = [("id", pa.string()), ("title", pa.string())]
        names.append(("vector", pa.list_(number, dimension)))
        if dtype == "int8":
            names.append(("scale", pa.float32()))
        fields = [pa.field(name, kind, nullable=False) for name, kind in names]
        self._schema = pa.schema(fields, {"specter-graph": json.dumps(dict(about))})

    def pack(self, papers: Sequence[PaperText], vectors: Vectors) -> bytes:
        """An Arrow stream of one batch: unlike Parquet, whole without a footer."""
        columns = [
            pa.array([paper.id for paper in papers], pa.string()),
            pa.array([paper.title for paper in papers], pa.string()),
        ]
        if self._dtype == "int8":
            numbers, scale = quantized(vectors)
            columns += [self._lists(numbers), pa.array(scale)]
        else:
            columns.append(self._lists(vectors.astype(self._dtype)))
        packed = io.BytesIO()
        with pa.ipc.new_stream(packed, self._schema) as stream:
            stream.write_batch(pa.record_batch(columns, schema=self._schema))
        return packed.getvalue()

    def finish(self, unfinished: Path, path: Path) -> None:
        """Copy the batches into row groups, one in memory at a time."""
        size = unfinished.stat().st_size
        with (
            complete_file(path) as new,
            unfinished.open("rb") as packed,
            pq.ParquetWriter(new, self._schema, compression="zstd") as file,
        ):
            while packed.tell() < size:
                with pa.ipc.open_stream(packed) as stream:
                    for batch in stream:
                        file.write_batch(batch)
        unfinished.unlink()

    def _lists(self, numbers: NDArray[np.generic]) -> pa.Array:
        kind = self._schema.field("vector").type
        return pa.FixedSizeListArray.from_arrays(pa.array(numbers.ravel()), type=kind)


def quantized(vectors: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """Vectors (n, d) as int8 with a scale (n,) each; see `ParquetVectors`."""
    largest = np.abs(vectors).max(axis=1, initial=0)
    scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
    return np.rint(vectors / scale[:, None]).astype(np.int8), scale
