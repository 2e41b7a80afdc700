"""The items of one shard of a corpus as tables: Parquet files, written incrementally.

A record is identified by its `row`, a number that is unique within the load. The table `papers` has
a row for each record, with lists as values; data that few records have are in separate tables. An
empty text is stored as null.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from specter_graph.graph.loading.record_rows import IDENTIFIERS, TEXTS, citation_properties
from specter_graph.graph.loading.source_records import PARTS, length_of, rank
from specter_graph.loaders.records import (
    Abstract,
    Author,
    Citation,
    Field,
    Item,
    Labels,
    Paper,
    Reading,
    sample_key,
)

_ITEMS = 5_000
_BYTES = 16 * 2**20
"""Maximum size of the items in memory, in bytes."""

_INT, _TEXT, _TRUTH = pa.int64(), pa.string(), pa.bool_()
_TEXTS = pa.list_(_TEXT)
_DETAILS = {"intents": _TEXTS, "influential": _TRUTH, "contexts": _TEXTS}

_OF_RECORD = {**dict.fromkeys(TEXTS, _TEXT), "year": _INT, "retracted": _TRUTH}
"""Properties of papers that come from their records."""

_HAS = {part: f"has_{part}" for part in PARTS}
"""Columns that are true if a record has a part and does not leave it to other records."""

TABLES: dict[str, dict[str, pa.DataType]] = {
    "papers": {
        "row": _INT,
        "id": _TEXT,
        "record_version": _INT,
        "sample_key": _INT,
        **dict.fromkeys(_HAS.values(), _TRUTH),
        "venue_id": _TEXT,
        "venue_name": _TEXT,
        **_OF_RECORD,
        **dict.fromkeys(IDENTIFIERS.values(), _TEXT),
        # author_ids are null if the paper lists an author a second time
        **dict.fromkeys(("references", "author_ids", "author_names"), _TEXTS),
        "author_identified": pa.list_(_TRUTH),
        **dict.fromkeys(("author_orcids", "field_schemes", "field_ids", "field_names"), _TEXTS),
        **dict.fromkeys(("schemes", "identifiers"), _TEXTS),
    },
    "authors_again": {
        "row": _INT,
        "id": _TEXT,
        "name": _TEXT,
        "identified": _TRUTH,
        "orcid": _TEXT,
    },
    "details": {"row": _INT, "cited": _TEXT, **_DETAILS},
    "affiliations": {"row": _INT, "author": _TEXT, "ids": _TEXTS},
    "affiliated": {"row": _INT, "author": _TEXT, "id": _TEXT, "name": _TEXT, "year": _INT},
    # a null row: supplementary
    "broader": {"row": _INT, "scheme": _TEXT, "id": _TEXT, "broader": _TEXT},
    "citations": {"citing": _TEXT, "cited": _TEXT, "rank": _INT, **_DETAILS},
    "abstracts": {"id": _TEXT, "text": _TEXT},
    "labeled": {"id": _TEXT},
    "labels": {"paper": _TEXT, "scheme": _TEXT, "id": _TEXT, "name": _TEXT},
    "vocabulary": {"scheme": _TEXT, "id": _TEXT, "name": _TEXT},
    "readings": {"reader": _TEXT, "paper": _TEXT, "kind": _TEXT, "at": _TEXT, "session": _TEXT},
}
"""Columns by table; empty tables are not written."""


class Tables:
    """A writer of items to FOLDER/TABLE.parquet; `first_row` is the row of the first record."""

    def __init__(self, folder: Path, first_row: int) -> None:
        self._folder = folder
        self._row = first_row
        self._papers: list[Paper] = []
        self._records: list[int] = []
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLES}
        self._files: dict[str, pq.ParquetWriter] = {}
        self._items = self._bytes = 0

    def add(self, item: Item) -> None:
        """Add an item."""
        if isinstance(item, Paper):
            record = rank(item)
            self._papers.append(item)
            self._records.append(record)
            self._bytes += length_of(record)
        else:
            self._add_supplement(item)
        self._items += 1
        if self._items >= _ITEMS or self._bytes >= _BYTES:
            self._flush()

    def close(self) -> None:
        """Write the remaining items, and close the files."""
        self._flush()
        for file in self._files.values():
            file.close()

    def _add_supplement(self, item: Item) -> None:
        rows = self._rows
        if isinstance(item, Citation):
            details = map(citation_properties(item).get, _DETAILS)
            rows["citations"].append((item.citing, item.cited, rank(item), *details))
        elif isinstance(item, Abstract):
            rows["abstracts"].append((item.id, item.text))
            self._bytes += len(item.text)
        elif isinstance(item, Labels):
            rows["labeled"].append((item.id,))
            rows["labels"] += [(item.id, f.scheme, f.id, f.name) for f in item.fields]
            rows["broader"] += _broader(None, item.fields)
        elif isinstance(item, Field):
            rows["vocabulary"].append((item.scheme, item.id, item.name))
            rows["broader"] += _broader(None, (item,))
        elif isinstance(item, Reading):
            rows["readings"].append((item.reader, item.paper, item.kind, item.at, item.session))

    def _flush(self) -> None:
        if self._papers:
            self._flush_papers()
        for name, rows in self._rows.items():
            if rows:
                self._write(name, dict(zip(TABLES[name], zip(*rows, strict=True), strict=True)))
                rows.clear()
        self._items = self._bytes = 0

    def _flush_papers(self) -> None:
        papers = self._papers
        numbers = range(self._row, self._row + len(papers))
        for row, paper in zip(numbers, papers, strict=True):
            self._add_rare_data(row, paper)
        identifiers = [[*dict.fromkeys(paper.identifiers)] for paper in papers]
        columns: dict[str, Sequence[object]] = {
            "row": numbers,
            "id": [paper.id for paper in papers],
            "record_version": self._records,
            "sample_key": [sample_key(paper.id) for paper in papers],
            **{has: [part not in p.elsewhere for p in papers] for part, has in _HAS.items()},
            "venue_id": [paper.venue.id if paper.venue else None for paper in papers],
            "venue_name": [paper.venue.name if paper.venue else None for paper in papers],
            **{name: _values(papers, name) for name in _OF_RECORD},
            **{
                name: [_identifier(p, scheme) for p in papers]
                for scheme, name in IDENTIFIERS.items()
            },
            "references": [*map(_references, papers)],
            "author_ids": [_first(paper.authors) for paper in papers],
            "author_names": [[a.name for a in paper.authors] for paper in papers],
            "author_identified": [[a.identified for a in paper.authors] for paper in papers],
            "author_orcids": [[a.orcid or None for a in paper.authors] for paper in papers],
            "field_schemes": [[f.scheme for f in paper.fields] for paper in papers],
            "field_ids": [[f.id for f in paper.fields] for paper in papers],
            "field_names": [[f.name for f in paper.fields] for paper in papers],
            "schemes": [[i.scheme for i in of_paper] for of_paper in identifiers],
            "identifiers": [[i.value for i in of_paper] for of_paper in identifiers],
        }
        self._write("papers", columns)
        self._row += len(papers)
        self._papers, self._records = [], []

    def _add_rare_data(self, row: int, paper: Paper) -> None:
        rows = self._rows
        rows["broader"] += _broader(row, paper.fields)
        if paper.citations and "references" not in paper.elsewhere:
            rows["details"] += _details(row, paper.citations)
        if any(author.affiliations for author in paper.authors):
            rows["affiliations"] += _affiliations(row, paper.authors)
            rows["affiliated"] += [
                (row, author.id, affiliation.id, affiliation.name, paper.year)
                for author in paper.authors
                for affiliation in author.affiliations
            ]
        if len({author.id for author in paper.authors}) < len(paper.authors):
            rows["authors_again"] += [
                (row, author.id, author.name, author.identified, author.orcid)
                for author, first in zip(paper.authors, _first(paper.authors), strict=True)
                if first is None
            ]

    def _write(self, name: str, columns: Mapping[str, Sequence[object]]) -> None:
        schema = pa.schema(list(TABLES[name].items()))
        table = pa.table([_column(columns[column.name], column.type) for column in schema], schema)
        if name not in self._files:
            self._files[name] = pq.ParquetWriter(
                self._folder / f"{name}.parquet",
                table.schema,
                compression="none",  # saves a third of the time; the file is temporary
                use_dictionary=False,
                write_statistics=False,
            )
        self._files[name].write_table(table)


def _column(values: Sequence[object], kind: pa.DataType) -> pa.Array:
    if kind == _TEXT and "" in values:
        values = [value or None for value in values]
    return pa.array(values, kind)


def _values(papers: Sequence[Paper], name: str) -> list[object]:
    """Return the values of a property."""
    if name != "abstract":
        return [getattr(paper, name) for paper in papers]
    return [None if name in paper.elsewhere else paper.abstract for paper in papers]


def _identifier(paper: Paper, scheme: str) -> str | None:
    if not paper.identifiers:
        return None
    return next((i.value for i in paper.identifiers if i.scheme == scheme), None)


def _references(paper: Paper) -> list[str]:
    """Return the distinct references of a paper, without the paper itself."""
    if "references" in paper.elsewhere:
        return []
    cited = dict.fromkeys(paper.references)
    cited.pop(paper.id, None)
    return [*cited]


def _first(authors: Iterable[Author]) -> list[str | None]:
    """Return the ids of the authors of a paper; None for an author who is listed again."""
    ids: list[str | None] = []
    seen: set[str] = set()
    for author in authors:
        ids.append(None if author.id in seen else author.id)
        seen.add(author.id)
    return ids


def _affiliations(row: int, authors: Iterable[Author]) -> Iterator[tuple[Any, ...]]:
    """Yield the distinct affiliations of each author of a paper."""
    ids: dict[str, dict[str, None]] = {}
    for author in authors:
        ids.setdefault(author.id, {}).update((a.id, None) for a in author.affiliations)
    for author_id, affiliations in ids.items():
        if affiliations:
            yield row, author_id, list(affiliations)


def _broader(row: int | None, fields: Iterable[Field]) -> list[tuple[Any, ...]]:
    return [(row, f.scheme, f.id, broader) for f in fields for broader in f.broader]


def _details(row: int, citations: Iterable[Citation]) -> Iterator[tuple[Any, ...]]:
    """Yield the details of citations; those of repeated citations are combined."""
    by_cited: dict[str, dict[str, Any]] = {}
    for citation in citations:
        by_cited.setdefault(citation.cited, {}).update(citation_properties(citation))
    for cited, details in by_cited.items():
        if details:
            yield row, cited, *map(details.get, _DETAILS)
