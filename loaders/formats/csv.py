"""Tables of papers or citations, in CSV, TSV or Parquet files, and exports of databases.

A file of papers has the keys of jsonl as columns; entries of lists are separated by semicolons. A
file of citations has the columns citing and cited, or source and target. The
exports of Scopus, Lens and Dimensions are described in docs/formats/bibliometric.md.
"""

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
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
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.delimited import read_header
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.plain_text import paragraphs, strip_markup
from specter_graph.loaders.parsing.tabular import Row, cell, column_names, entries, read_table
from specter_graph.loaders.records import Author, Citation, Identifier, Paper

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

Names = tuple[str, ...]

_WITH_NUMBER = re.compile(r"(.+?)\s*\((\d+)\)")
_COMMAS = re.compile(r"(?<=\.),\s*")


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


@dataclass(frozen=True, slots=True)
class ProviderTable:
    """The columns of a provider, in lower case; the first of several that has a value counts.

    Attributes:
        source: The name of the provider, and the prefix of its ids.
        marks: Columns that only this provider's tables have.
        identifiers: Columns of ids, by scheme.
        keywords: Columns of labels, separated by semicolons, by scheme.
        reference: Matches the id of a cited paper in the column `references`.
    """

    source: str
    marks: frozenset[str]
    id: str
    title: str
    abstract: str
    date: Names
    venue: Names
    authors: Names
    identifiers: dict[str, str]
    keywords: dict[str, str]
    references: str
    reference: re.Pattern[str]
    url: str = ""
    language: str = ""
    isbn: str = ""


TABLES = (
    ProviderTable(
        source="scopus",
        marks=frozenset({"eid", "source title", "authors"}),
        id="eid",
        title="title",
        abstract="abstract",
        date=("year",),
        venue=("source title",),
        authors=("author full names", "authors"),
        identifiers={"doi": "doi", "pmid": "pubmed id"},
        keywords={"keyword": "author keywords", "scopus-index": "index keywords"},
        references="references",
        reference=re.compile(r"(?<![\w.])10\.\d{4,9}/[^\s;,]+"),
        url="link",
        language="language of original document",
    ),
    ProviderTable(
        source="lens",
        marks=frozenset({"lens id", "author/s"}),
        id="lens id",
        title="title",
        abstract="abstract",
        date=("date published", "publication year"),
        venue=("source title",),
        authors=("author/s",),
        identifiers={
            "doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "mag": "microsoft academic id",
        },
        keywords={
            "keyword": "keywords", "mag": "fields of study", "mesh": "mesh terms",
        },
        references="references",
        reference=re.compile(r"\d{3}-\d{3}-\d{3}-\d{3}-\d{2}[\dX]"),
        url="external url",
    ),
    ProviderTable(
        source="dimensions",
        marks=frozenset({"publication id", "pubyear"}),
        id="publication id",
        title="title",
        abstract="abstract",
        date=("publication date", "publication date (print)", "pubyear"),
        venue=("source title", "source title/anthology title", "anthology title"),
        authors=("authors",),
        identifiers={"doi": "doi", "pmid": "pmid", "pmcid": "pmcid"},
        keywords={
            "mesh": "mesh terms", "anzsrc": "fields of research (anzsrc 2020)",
        },
        references="cited references",
        reference=re.compile(r"pub\.\d+"),
        url="dimensions url",
    ),
)  # fmt: skip


def find_table(columns: Iterable[str]) -> ProviderTable | None:
    """Return the provider whose columns a table has."""
    names = set(columns)
    return next((table for table in TABLES if names >= table.marks), None)


def converter(table: ProviderTable) -> Callable[[Row], Iterator[ParseResult]]:
    """Return a function that yields the paper of a row."""

    @paper_converter
    def convert(row: Row, omitted: list[str]) -> Paper:
        title = strip_markup(cell(row, table.title))
        year, published = bibliography.date(cell(row, *table.date))
        ids = bibliography.distinct(_identifiers(table, row))
        authors = bibliography.unique(_authors(table, row, omitted))
        if written := cell(row, "doi"):
            bibliography.read_dois(written, omitted)
        key = cell(row, table.id)
        paper_id = f"{table.source}:{key}" if key else ""
        return Paper(
            id=paper_id or identifiers.make_id(table.source, ids, title, year, authors),
            title=title,
            abstract=paragraphs(_present(cell(row, table.abstract))),
            year=year,
            published=published,
            language=language_code(cell(row, table.language)),
            url=cell(row, table.url) or None,
            source=table.source,
            identifiers=ids,
            authors=authors,
            venue=bibliography.make_venue(table.source, strip_markup(cell(row, *table.venue))),
            fields=tuple(
                label
                for scheme, column in table.keywords.items()
                for label in bibliography.labels(cell(row, column).split(";"), scheme)
            ),
            references=tuple(dict.fromkeys(_references(table, row))),
            elsewhere=() if table.references in row else ("references",),
        )

    return convert


def _present(value: str) -> str:
    """Return a value, or "" if it says that there is none."""
    return "" if value.casefold() == "[no abstract available]" else value


def _identifiers(table: ProviderTable, row: Row) -> Iterator[Identifier | None]:
    for scheme, column in table.identifiers.items():
        if value := cell(row, column):
            yield identifiers.parse_identifier(f"{scheme}:{value}")


def _authors(table: ProviderTable, row: Row, omitted: list[str]) -> Iterator[Author | None]:
    """Yield authors; Scopus has their numbers, and separated them by commas before 2023."""
    written = cell(row, *table.authors)
    if written.startswith("[No author"):
        return
    parts = written.split(";") if ";" in written else _COMMAS.split(written)
    for part in map(str.strip, parts):
        if not part:
            continue
        match = _WITH_NUMBER.fullmatch(part)
        name = bibliography.name_in_order(match[1] if match else part)
        key = f"{table.source}:{match[2]}" if match else None
        yield bibliography.make_author(table.source, name, omitted, key=key)


def _references(table: ProviderTable, row: Row) -> Iterator[str]:
    for written in table.reference.findall(cell(row, table.references)):
        if known := identifiers.doi(written):
            yield f"doi:{known.value}"
        else:
            yield f"{table.source}:{written}"


FORMAT = Format("csv", "papers and citations in CSV, TSV or Parquet", read_csv, detect)
