"""Tables of papers or citations, in CSV, TSV or Parquet files, and exports of databases.

A file of papers has the keys of jsonl as columns; entries of lists are separated by semicolons. A
file of citations has the columns citing and cited, or source and target.
"""

from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import (
    Count,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import bibliography, jsonl
from specter_graph.loaders.formats.provider_tables import converter, find_table
from specter_graph.loaders.parsing.delimited import read_header
from specter_graph.loaders.parsing.tabular import Row, cell, column_names, entries, read_table
from specter_graph.loaders.records import Citation

SOURCE = "csv"
CITATION_COLUMNS = (("citing", "cited"), ("source", "target"))
"""The columns of a file of citations."""
LISTS = frozenset({"authors", "fields", "identifiers", "references"})
_NAMES = {
    "record_id": "id", "key": "id", "primary_title": "title", "publication_year": "year",
    "first_authors": "authors", "journal_name": "venue", "keywords": "fields", "urls": "url",
}  # fmt: skip
"""Names of columns in exports of reference managers and ASReview."""
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_csv(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers or the citations of a file with their lines, and RecordIssues."""
    names = column_names(path)
    for citing, cited in CITATION_COLUMNS:
        if {citing, cited} <= set(names):
            yield from read_table(path, count, _citation(citing, cited), frozenset({citing, cited}))
            return
    if table := find_table(names):
        yield from read_table(path, count, converter(table), frozenset(names))
        return
    if names and "title" not in _renamed(names):
        reason = "no column title, or citing and cited: the file is not loaded"
        yield 1, RecordIssue(reason, record=", ".join(names)[:10_000])
        return
    yield from read_table(path, count, convert, jsonl.KEYS | _NAMES.keys())


def convert(row: Row) -> Iterator[ParseResult]:
    """Yield the paper of a row; raise RecordError for the first defect."""
    record: dict[str, Any] = {}
    for column in row:
        name = _NAMES.get(column, column)
        if not record.get(name):
            record[name] = _listed(row, column) if name in LISTS else cell(row, column)
    if "id" not in record and record.get("title"):
        authors = bibliography.authors(record.get("authors", ()), SOURCE)
        ids = filter(None, [identifiers.doi(record.get("doi", ""))])
        year, _ = bibliography.date(record.get("year", ""))
        record["id"] = identifiers.make_id(SOURCE, ids, record["title"], year, authors)
    if written := record.pop("year", ""):
        record["year"], _ = bibliography.date(written)
        if record["year"] is None:
            reason = f"left out: year {written:.40} is not a year"
            yield RecordIssue(reason, record.get("id"), repaired=True)
    if written := record.pop("retracted", ""):
        record["retracted"] = _BOOLEANS.get(written.strip().lower(), written)
    yield from jsonl.convert(record)


def detect(name: str, head: bytes) -> str | None:
    """Detect a header of citations, or of papers with an id, a DOI or an abstract; or Parquet."""
    if head.startswith(b"PAR1"):
        return "Parquet"
    columns = set(read_header(head))
    if any(columns == set(pair) for pair in CITATION_COLUMNS):
        return f"citations, {' and '.join(read_header(head))}"
    names = _renamed(columns)
    if table := find_table(columns):
        return f"export of {table.source.capitalize()}"
    if {"author", "pub_date"} <= columns:
        return None  # OpenCitations Meta
    if "title" in names and names & {"id", "doi", "abstract"}:
        return "papers, one a row"
    return None


def _listed(row: Row, column: str) -> list[str]:
    """Return the entries of a list; ASReview writes it as Python does: `['Marx, Karl']`."""
    value = row.get(column)
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        try:
            parts = literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return entries(row, column)
        if isinstance(parts, list) and all(isinstance(part, str) for part in parts):
            names = _NAMES.get(column, column) == "authors"
            return [*map(bibliography.name_in_order, parts)] if names else parts
    return entries(row, column)


def _renamed(columns: Iterable[str]) -> set[str]:
    return {_NAMES.get(column, column) for column in columns}


def _citation(citing: str, cited: str) -> Callable[[Row], Iterator[ParseResult]]:
    def convert(row: Row) -> Iterator[ParseResult]:
        for column in (citing, cited):
            if not cell(row, column):
                raise RecordError(f"{column} is missing")
        yield Citation(cell(row, citing), cell(row, cited))

    return convert


FORMAT = Format("csv", "papers and citations in CSV, TSV or Parquet", read_csv, detect)
