"""Export of the corpus: JSON Lines in the format of `load jsonl`, and Parquet.

JSON Lines have one paper per line. Loading the file recreates stubs from references. The format
does not contain citations of stubs, ids of authors and venues, schemes of fields, and contexts of
citations. Requested vectors are in `vectors`, by the names of their spaces.

Parquet is a folder with a file for each kind of node and relationship. Readers and their reading
histories are private and not exported.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from specter_graph.core.atomic_files import complete_file, complete_folder, compressed
from specter_graph.graph.embeddings.index import hash_name
from specter_graph.graph.embeddings.spaces import EmbeddingSpace
from specter_graph.graph.export.source import Source, StoredPaper
from specter_graph.graph.loading.record_rows import IDENTIFIERS

_PROPERTIES = ["title", "abstract", "year", "published", "language", "url", "retracted", "body"]

_ROWS = 20_000
_PAPER_ROWS = 2_000
"""Papers in memory, with their texts and perhaps bodies."""

Row = tuple[Any, ...]

_TEXT, _INTEGER, _BOOLEAN = pa.string(), pa.int64(), pa.bool_()
_TEXTS = pa.list_(_TEXT)
_VECTOR = pa.list_(pa.float32())
"""Not of fixed size: pyarrow cannot read missing ones."""
_PYTHON_TYPES: dict[Any, pa.DataType] = {
    str | None: _TEXT,
    str: _TEXT,
    int: _INTEGER,
    float: pa.float64(),
    bool: _BOOLEAN,
    tuple[str, ...]: _TEXTS,
}

_CITATION = {
    "intents": _TEXTS,
    "influential": _BOOLEAN,
    "contexts": _TEXTS,
    "supplement_rank": _INTEGER,
}
_VERSIONS = ("record_version", "abstract_version", "references_version")
_PAPER = {
    **dict.fromkeys(("title", "abstract"), _TEXT),
    "abstract_supplementary": _BOOLEAN,
    "year": _INTEGER,
    **dict.fromkeys(("published", "language", "url", "source", "body"), _TEXT),
    "retracted": _BOOLEAN,
    **dict.fromkeys(("doi", "arxiv_id", "pubmed_id"), _TEXT),
    **dict.fromkeys(("sample_key", *_VERSIONS, "load"), _INTEGER),
}
_SOURCE_RECORD = {
    "labels": _TEXTS,
    **dict.fromkeys(("sample_key", "record_version", "load"), _INTEGER),
    **dict.fromkeys(("json", "pending_record"), _TEXT),
    "pending_items": _TEXTS,
}
_SPACE = {field.name: _PYTHON_TYPES[field.type] for field in fields(EmbeddingSpace)[1:]}


def write_jsonl(source: Source, path: Path) -> None:
    """Write the papers with records; .gz and .zst files are compressed."""
    spaces = [space.name for space in source.spaces]
    properties = (*_PROPERTIES, *IDENTIFIERS.values(), *spaces)
    with complete_file(path) as unfinished, compressed(unfinished, path) as file:
        for paper in source.papers(*properties, stubs=False):
            record = _make_record(paper, spaces)
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))


def _make_record(paper: StoredPaper, spaces: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = {"id": paper.id}
    record.update((name, paper.values[name]) for name in _PROPERTIES)
    record["authors"] = [author["name"] for author in paper.authors]
    record["venue"] = paper.venues[0]["name"] if paper.venues else None
    record["fields"] = sorted({field["name"] or field["id"] for field in paper.fields})
    own = {(scheme, paper.values[name]) for scheme, name in IDENTIFIERS.items()}
    pairs = sorted(map(tuple, paper.identifiers), key=lambda pair: pair not in own)
    # Those stored on the paper come first: loading uses these.
    record["identifiers"] = [":".join(pair) for pair in pairs]
    record["references"] = [citation["cited"] for citation in paper.citations]
    record["vectors"] = {name: v for name in spaces if (v := paper.values[name]) is not None}
    return {key: value for key, value in record.items() if value not in (None, [], {})}


def _make_schema(keys: str, **columns: pa.DataType) -> pa.Schema:
    """Return the schema of a table: its keys, separated by spaces, and columns with types."""
    return pa.schema(
        [pa.field(name, _TEXT, nullable=False) for name in keys.split()]
        + [pa.field(name, kind) for name, kind in columns.items()]
    )


TABLES: dict[str, pa.Schema] = {
    "papers": _make_schema("id", labels=_TEXTS, **_PAPER),
    "authors": _make_schema("id", name=_TEXT, identified=_BOOLEAN, orcid=_TEXT),
    "affiliations": _make_schema("id", name=_TEXT),
    "venues": _make_schema("id", name=_TEXT),
    "fields": _make_schema("scheme id", name=_TEXT, listed=_BOOLEAN),
    "identifiers": _make_schema("scheme value"),
    "source_records": _make_schema("id", **_SOURCE_RECORD),
    "embedding_spaces": _make_schema("name", **_SPACE),
    "citations": _make_schema("citing cited", **_CITATION),
    "wrote": _make_schema("author paper", position=_INTEGER, affiliations=_TEXTS),
    "affiliated_with": _make_schema("author affiliation", first=_INTEGER, last=_INTEGER),
    "published_in": _make_schema("paper venue"),
    "about": _make_schema("paper scheme field", supplementary=_BOOLEAN),
    "broader": _make_schema("scheme field broader_scheme broader"),
    "identifies": _make_schema("scheme value paper"),
    "describes": _make_schema("id paper"),
    "names": _make_schema("citing cited", **_CITATION),
}
"""Nodes first; a relationship has the keys of its start and its end node."""


def write_parquet(source: Source, path: Path) -> None:
    """Write the tables into a new folder; papers have two more columns for each space."""
    schemas = dict(TABLES)
    vectors: dict[str, pa.DataType] = {}
    for space in source.spaces:
        vectors |= {space.name: _VECTOR, hash_name(space.name): _TEXT}
    schemas["papers"] = _make_schema("id", labels=_TEXTS, **_PAPER, **vectors)
    if not source.spaces:
        del schemas["embedding_spaces"]
    rows: dict[str, list[Row]] = defaultdict(list)
    with complete_folder(path) as folder:
        files = {
            name: pq.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd")
            for name, schema in schemas.items()
        }
        try:
            for name, row in _list_rows(source, [*_PAPER, *vectors]):
                rows[name].append(row)
                if len(rows[name]) >= (_PAPER_ROWS if name == "papers" else _ROWS):
                    _write_rows(files[name], schemas[name], rows.pop(name))
            for name, file in files.items():
                _write_rows(file, schemas[name], rows[name])
        finally:
            for file in files.values():
                file.close()


def _write_rows(file: pq.ParquetWriter, schema: pa.Schema, rows: list[Row]) -> None:
    """Write rows as one row group."""
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    file.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _list_rows(source: Source, properties: list[str]) -> Iterator[tuple[str, Row]]:
    """Yield all rows with the names of their tables, papers first."""
    for paper in source.papers(*properties):
        yield from _list_paper_rows(paper)
    for row in source.nodes("authors", "id"):
        yield "authors", (row["id"], row["name"], row["identified"], row["orcid"])
        for affiliation, first, last in row["affiliations"]:
            yield "affiliated_with", (row["id"], affiliation, first, last)
    for row in source.nodes("affiliations", "id"):
        yield "affiliations", (row["id"], row["name"])
    for row in source.nodes("venues", "id"):
        yield "venues", (row["id"], row["name"])
    for row in source.nodes("fields", "scheme", "id"):
        scheme = row["scheme"]
        yield "fields", (scheme, row["id"], row["name"], row["listed"])
        for broader in row["broader"]:
            yield "broader", (scheme, row["id"], scheme, broader)
    for row in source.nodes("identifiers", "scheme", "value"):
        yield "identifiers", (row["scheme"], row["value"])
    for row in source.nodes("source_records", "id"):
        yield "source_records", (row["id"], *map(row.get, _SOURCE_RECORD))
        yield "describes", (row["id"], row["paper"])
        for citation in row["citations"]:
            yield "names", (citation["citing"], row["id"], *map(citation.get, _CITATION))
    for space in source.spaces:
        yield "embedding_spaces", tuple(getattr(space, f.name) for f in fields(EmbeddingSpace))


def _list_paper_rows(paper: StoredPaper) -> Iterator[tuple[str, Row]]:
    yield "papers", (paper.id, paper.labels, *paper.values.values())
    for citation in paper.citations:
        yield "citations", (paper.id, citation["cited"], *map(citation.get, _CITATION))
    for author in paper.authors:
        yield "wrote", (author["id"], paper.id, author["position"], author["affiliations"])
    for venue in paper.venues:
        yield "published_in", (paper.id, venue["id"])
    for field in paper.fields:
        yield "about", (paper.id, field["scheme"], field["id"], field["supplementary"])
    for scheme, value in paper.identifiers:
        yield "identifies", (scheme, value, paper.id)
