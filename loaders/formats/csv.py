"""Tables of papers or citations, in CSV, TSV or Parquet files, and exports of databases.

A file of papers has the keys of jsonl as columns, or the columns of a reference manager or search
page (docs/formats/csv.md); entries of lists are separated by semicolons. A file of citations has
the columns citing and cited, or source and target.
"""

import re
from ast import literal_eval
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import chain
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
from specter_graph.loaders.formats import bibliography, field_map, jsonl
from specter_graph.loaders.formats.provider_tables import converter, find_provider
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.delimited import read_header
from specter_graph.loaders.parsing.plain_text import paragraphs, strip_markup
from specter_graph.loaders.parsing.tabular import Row, cell, column_names, entries, read_table
from specter_graph.loaders.records import Citation

SOURCE = "csv"
CITATION_COLUMNS = (("citing", "cited"), ("source", "target"))
"""The columns of a file of citations."""
LISTS = frozenset({"authors", "fields", "identifiers", "references"})
_COMMAS_IN_AUTHORS = frozenset({"first author", "gsrank", "author names"})
"""Columns of tables in which commas separate authors: of PubMed, Publish or Perish and Embase."""
_LABEL = re.compile(r"(?:[^,()]++|\([^()]*+\)|[()])++")
"""A label between commas: `cyst (diagnosis, surgery)`."""
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_csv(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers or the citations of a file with their lines, and RecordIssues."""
    names = column_names(path)
    for pair in CITATION_COLUMNS:
        if set(pair) <= set(names):
            yield from read_table(path, count, partial(_convert_citation, *pair), frozenset(pair))
            return
    if provider := find_provider(names):
        yield from read_table(path, count, converter(provider), frozenset(names))
        return
    columns = _find_columns(tuple(names))
    if names and "title" not in columns:
        reason = "no column title, or citing and cited: the file is not loaded"
        yield 1, RecordIssue(reason, record=", ".join(names)[:10_000])
        return
    known = frozenset(chain.from_iterable(columns.values()))
    others = _COMMAS_IN_AUTHORS | ({"source"} if "author names" in names else set())
    yield from read_table(path, count, convert, known | others)


def convert(row: Row) -> Iterator[ParseResult]:
    """Yield the paper of a row; raise RecordError for the first defect."""
    record: dict[str, Any] = {}
    for key, names in _find_columns(tuple(row)).items():
        name = next((name for name in names if cell(row, name)), names[0])
        record[key] = _read_list(row, name) if key in LISTS else cell(row, name)
        if key == "fields":
            record[key] = [label for name in names for label in _read_labels(row, name)]
        elif key == "authors":
            record[key] = _read_authors(row, name)
    for key in ("title", "abstract", "venue"):
        if "<" in record.get(key, "") or "&" in record.get(key, ""):
            record[key] = (paragraphs if key == "abstract" else strip_markup)(record[key])
    record["language"] = language_code(record.get("language", ""))
    schemes = ("pmid", "pmcid", "arxiv")
    ids = [f"{key}:{value}" for key in schemes if (value := record.pop(key, ""))]
    record["url"] = re.split(r";\s*(?=http)", record.get("url", ""))[0]
    noted = bibliography.from_notes([record.pop("note", "")])
    written_in = (bibliography.from_url(record.get("url", "")), *noted)
    others = [f"{known.scheme}:{known.value}" for known in written_in if known]
    record["identifiers"] = [*record.get("identifiers", ()), *ids, *others]
    written, date = record.pop("year", ""), record.pop("date", "")
    if "source" in row:  # of Embase: Sea (2014) 3:3 (1-9). Date of Publication: 1 Dec 2014
        journal, _, issue = cell(row, "source").partition(" (")
        record["venue"] = record.get("venue") or journal
        date = date or issue.partition("Date of Publication: ")[2]
    record["year"], _ = bibliography.date(written or date)
    when, published = bibliography.date(date)
    if published and when == record["year"] and not record.get("published"):
        record["published"] = published
    if "id" not in record and record.get("title"):
        known = filter(None, [identifiers.doi(record.get("doi", ""))])
        authors = bibliography.authors(record.get("authors", ()), SOURCE)
        numbers = filter(None, map(identifiers.parse_identifier, ids))
        record["id"] = identifiers.make_id(
            SOURCE,
            known,
            record["title"],
            record["year"],
            authors,
            identifiers.first_key(numbers, schemes),
        )
    if written and record["year"] is None:
        reason = f"left out: year {written:.40} is not a year"
        yield RecordIssue(reason, record.get("id"), repaired=True)
    if written := record.pop("retracted", ""):
        record["retracted"] = _BOOLEANS.get(written.strip().lower(), written)
    yield from jsonl.convert(record)


def detect(name: str, head: bytes) -> str | None:
    """Detect a header of citations, or of papers that can be identified or have text; or Parquet.

    A paper is identified by an id, a DOI, or authors and year.
    """
    if head.startswith(b"PAR1"):
        return "Parquet"
    columns = set(read_header(head))
    if any(columns == set(pair) for pair in CITATION_COLUMNS):
        return f"citations, {' and '.join(read_header(head))}"
    names = _find_columns(tuple(columns))
    if provider := find_provider(columns):
        return f"export of {provider.capitalize()}"
    if {"author", "pub_date"} <= columns:
        return None  # OpenCitations Meta
    is_identified = not names.keys().isdisjoint({"id", "doi", "abstract"})
    if "title" in names and (is_identified or names.keys() >= {"authors", "year"}):
        return "papers, one a row"
    return None


def _read_list(row: Row, column: str) -> list[str]:
    """Return the entries of a list; ASReview writes it as Python does: `['Marx, Karl']`."""
    value = row.get(column)
    parts = entries(row, column)
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        try:
            written = literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return parts
        if isinstance(written, list) and all(isinstance(part, str) for part in written):
            return written
    return parts


def _read_authors(row: Row, column: str) -> list[str]:
    """Return the authors in natural order; in PubMed, a semicolon separates groups from people."""
    parts = _read_list(row, column)
    by_comma = not _COMMAS_IN_AUTHORS.isdisjoint(row)
    if len(parts) > 1 and not by_comma:
        return [*map(bibliography.name_in_order, parts)]
    return [name for part in parts for name in bibliography.split_names(part, by_comma=by_comma)]


def _read_labels(row: Row, column: str) -> list[str]:
    """Return the labels of a column; keywords without semicolons may be separated by commas."""
    labels = _read_list(row, column)
    if len(labels) == 1 and column != "fields" and isinstance(row[column], str):
        return _LABEL.findall(labels[0])
    return labels


@lru_cache
def _find_columns(header: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the columns of a table by the key of a record that they have."""
    written = {name.replace("_", " "): name for name in header}
    known = {key: [key] for key in jsonl.KEYS} | field_map(SOURCE)
    columns = {key: [written[name] for name in known[key] if name in written] for key in known}
    if {"gsrank", "source"} <= written.keys():  # Publish or Perish
        columns["venue"].append("source")
    return {key: names for key, names in columns.items() if names}


def _convert_citation(citing: str, cited: str, row: Row) -> Iterator[ParseResult]:
    """Yield the citation of a row, from the columns `citing` and `cited`."""
    for column in (citing, cited):
        if not cell(row, column):
            raise RecordError(f"{column} is missing")
    yield Citation(cell(row, citing), cell(row, cited))


FORMAT = Format("csv", "papers and citations in CSV, TSV or Parquet", read_csv, detect)
