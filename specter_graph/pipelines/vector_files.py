"""Files of vectors: read from Parquet, JSON and NumPy, written as JSON Lines or Parquet."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from specter_graph.core.atomic_files import complete_file, compressed, read_text, unknown_suffix
from specter_graph.core.errors import InputError, counted
from specter_graph.core.progress import batches
from specter_graph.core.vectors import ARRAY_ERRORS, Vectors
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import PAGE, paper_texts
from specter_graph.graph.embeddings.spaces import get_space, read_vectors
from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import RecordError, RecordIssue
from specter_graph.loaders.parsing.field_values import Json
from specter_graph.loaders.parsing.json import read_json
from specter_graph.loaders.records import PaperText

ID_KEYS = {
    **dict.fromkeys(("id", "paper_id", "paperId"), ""),
    **dict.fromkeys(("corpusid", "corpusId", "corpus_id"), "s2corpus:"),
    "doi": "doi:",
}
"""Keys or columns with the id of a paper, in order of preference, and the prefix of the id."""
VECTOR_KEYS = ("vector", "embedding")
_ROWS = 2_000

Dtype: TypeAlias = Literal["float32", "float16", "int8"]

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")


class VectorRow(NamedTuple):
    """A row of a file of vectors.

    Attributes:
        number: Its number in the file, from 1.
        id: The id of the paper, as the file writes it.
        vector: An array or a list of numbers; None if the paper has none.
        reason: The reason why the row cannot be used.
    """

    number: int
    id: str | None
    vector: Any = None
    reason: str = ""


class VectorFile:
    """A file of vectors; its first bytes decide on its format.

    Attributes:
        path: The file.
        model: The description of the model that made the vectors, as far as the file has one: the
            keys `model`, `digest` and `base`.
    """

    def __init__(self, path: Path, space: str, ids: Path | str | None) -> None:
        """Open a file.

        Args:
            path: The file.
            space: The name of the column or key if the file has vectors of several spaces.
            ids: A text file with the ids of the rows of a .npy file, one a line.

        Raises:
            InputError: The format is unknown, or `ids` is missing or not needed.
        """
        self.path = path
        self._space = space
        self._ids = ids
        head = read_head(path)[0]
        self._is_parquet, self._is_array = head.startswith(b"PAR1"), head.startswith(b"\x93NUMPY")
        if not (self._is_parquet or self._is_array or head.lstrip().startswith((b"{", b"["))):
            raise InputError(
                f"{path} is not a file of vectors" if head else f"{path} is empty",
                "load Parquet, JSON (plain, .gz or .zst) or .npy",
            )
        if self._is_array != bool(ids):
            raise InputError(
                f"{path} has its own ids" if ids else f"{path} has no ids",
                "a file of ids is for a .npy file, with one id a line",
            )
        self.model: dict[str, str] = {}
        if self._is_parquet:
            try:
                self._schema = pq.read_schema(path)
            except pa.ArrowException as error:
                raise InputError(f"{path} cannot be read: {error}") from error
            self.model = self._read_model()

    def _read_model(self) -> dict[str, str]:
        """Read the description of the model from the metadata of a Parquet file."""
        about = (self._schema.metadata or {}).get(b"specter-graph", b"{}")
        try:
            return TypeAdapter(dict[str, str]).validate_json(about)
        except ValidationError as error:
            raise InputError(
                f"the metadata 'specter-graph' of {self.path} is not a JSON object of texts",
                'write {"model": NAME, "digest": TEXT, "base": NAME}, or omit it',
            ) from error

    def rows(self) -> Iterator[VectorRow]:
        """Yield the rows of the file.

        Raises:
            InputError: The file has no column of ids or of vectors, or cannot be read.
        """
        if self._is_parquet:
            return self._read_parquet_rows()
        return self._read_array_rows() if self._is_array else self._read_json_rows()

    def _read_parquet_rows(self) -> Iterator[VectorRow]:
        schema = self._schema
        key = next((name for name in ID_KEYS if name in schema.names), None)
        lists = [column.name for column in schema if _is_vector(column.type)]
        names = [name for name in (self._space, *VECTOR_KEYS) if name in schema.names] or lists
        if key is None or not names or (names == lists and len(lists) > 1):
            raise InputError(
                f"{self.path} has the columns {', '.join(schema.names)}",
                f"name them id, and vector or {self._space}",
            )
        columns = [key, names[0], *(name for name in ("scale",) if name in schema.names)]
        number = 0
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(_ROWS, columns=columns):
                    ids, vectors = batch[key].to_pylist(), batch[names[0]].to_numpy(False)
                    scales = batch["scale"].to_pylist() if "scale" in columns else None
                    for at, (paper, vector) in enumerate(zip(ids, vectors, strict=True)):
                        number += 1
                        if scales and vector is not None:
                            vector = np.asarray(vector, np.float32) * np.float32(scales[at])
                        yield VectorRow(number, _prefix_id(key, paper), vector)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.path} cannot be read: {error}") from error

    def _read_array_rows(self) -> Iterator[VectorRow]:
        assert self._ids
        try:
            vectors = np.load(self.path, mmap_mode="r", allow_pickle=False)
        except ARRAY_ERRORS as error:
            raise InputError(f"{self.path} cannot be read: {error}") from error
        ids = read_text(self._ids).splitlines()
        if vectors.ndim != 2 or len(ids) != len(vectors):
            raise InputError(
                f"{self.path} has the shape {vectors.shape}, and {self._ids} has"
                f" {counted(len(ids), 'line')}",
                "write one row and one line for each paper",
            )
        for number, (paper, vector) in enumerate(zip(ids, vectors, strict=True), 1):
            yield VectorRow(number, paper.strip(), vector)

    def _read_json_rows(self) -> Iterator[VectorRow]:
        def convert(record: Json) -> Any:  # noqa: ANN401, a row is not an item of a corpus
            return [self._convert_row(record)]

        for number, row in read_json(self.path, lambda size: None, convert, frozenset()):
            if isinstance(row, RecordIssue) and not row.repaired:
                yield VectorRow(number, row.id, None, row.reason)
            elif isinstance(row, VectorRow):
                yield row._replace(number=number)

    def _convert_row(self, record: Json) -> VectorRow:
        key = next((name for name in ID_KEYS if record.get(name) is not None), None)
        paper = _prefix_id(key, record[key]) if key else None
        vector: Any = next((v for name in VECTOR_KEYS if (v := record.get(name)) is not None), None)
        if vector is None and isinstance(spaces := record.get("vectors"), dict) and spaces:
            if self._space not in spaces and len(spaces) > 1:
                raise RecordError(
                    f"none of the vectors {', '.join(spaces)} is {self._space}", paper
                )
            vector = spaces.get(self._space, next(iter(spaces.values())))
        if isinstance(vector, dict):  # Semantic Scholar: {"model": "specter_v2", "vector": [...]}
            record, vector = vector, vector.get("vector")
        if not self.model and isinstance(record.get("model"), str):
            self.model = {"base": record["model"]}
        return VectorRow(0, paper, vector)


def as_vector(value: object) -> np.ndarray[Any, np.dtype[np.float32]] | None:
    """Return numbers, or a JSON text of numbers, as (d,) float32; None for anything else."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    if isinstance(value, np.ndarray) and value.dtype.kind == "c":
        return None  # the cast would leave out the imaginary parts
    try:
        vector = np.asarray(value, np.float32)
    except (TypeError, ValueError):
        return None
    return vector if vector.ndim == 1 and len(vector) else None


def _prefix_id(key: str, value: object) -> str | None:
    """Return an id with the prefix of its key."""
    text = "" if value is None else str(value).strip()
    return ID_KEYS[key] + text.removeprefix(ID_KEYS[key]) if text else None


def _is_vector(kind: pa.DataType) -> bool:
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(is_list(kind) for is_list in lists):
        return False
    return bool(pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def check_format(path: Path | str, dtype: Dtype) -> None:
    """Raise InputError for an unknown suffix, or a dtype that the format does not support."""
    if not str(path).endswith(SUFFIXES):
        raise unknown_suffix(path, SUFFIXES)
    if not str(path).endswith(".parquet") and dtype != "float32":
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
    numbers, scale = quantize(vectors) if dtype == "int8" else (vectors.astype(dtype), None)
    columns = {
        "id": pa.array([paper.id for paper in papers], pa.string()),
        "title": pa.array([paper.title for paper in papers], pa.string()),
        "vector": list_array(numbers),
    }
    if scale is not None:
        columns["scale"] = pa.array(scale)
    fields = [pa.field(name, each.type, nullable=False) for name, each in columns.items()]
    return pa.table([*columns.values()], schema=pa.schema(fields))


def list_array(vectors: NDArray[Any]) -> pa.FixedSizeListArray:
    """Return vectors, (n, d), as an array of n lists of d numbers."""
    return pa.FixedSizeListArray.from_arrays(
        pa.array(np.ascontiguousarray(vectors).ravel()), vectors.shape[1]
    )


def matrix_of(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return the vectors, (n, d), of a column of `list_array`."""
    numbers = column.combine_chunks().flatten().to_numpy()
    return np.asarray(numbers.reshape(len(column), column.type.list_size))


def write_vector_file(tables: Iterable[pa.Table], path: Path, about: Mapping[str, str]) -> None:
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
    db: Database, space: str, path: Path | str, *, strip_id_prefix: bool = False
) -> None:
    """Write the vectors of a space to a file, page by page, so that memory stays constant.

    Args:
        db: The graph.
        space: The space.
        path: The file, see `write_vector_file`.
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

    write_vector_file(tables(), Path(path), about)


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
