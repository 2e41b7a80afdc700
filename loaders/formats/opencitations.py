"""OpenCitations: the citations of its Index (COCI and its sisters), and the papers of its Meta.

Both are CSV; docs/formats/opencitations.md has the columns.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, Found, RecordError
from specter_graph.loaders.parsing import tolerant_fields as lenient
from specter_graph.loaders.parsing.csv import Row, read_header, read_rows
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.inline_markup import plain
from specter_graph.loaders.records import Author, Citation, Identifier, Paper, Venue

SOURCE = "opencitations"
INDEX = frozenset(["oci", "citing", "cited", "creation", "timespan", "journal_sc", "author_sc"])
_META = "id title author pub_date venue volume issue page type publisher editor"
META = frozenset(_META.split(" "))

_OMID = re.compile(r"br/\d+")
_DATE = re.compile(r"(\d{4})(?:-\d{1,2})?(?:-\d{1,2})?")
_BOOKS = frozenset(["book", "edited book", "monograph", "reference book", "proceedings"])


def read_opencitations(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The citations, or the papers, of a file with their lines."""
    return read_rows(path, count, convert, INDEX | META)


def convert(row: Row) -> Iterator[Found]:
    """The citation or the paper of a row. Raises RecordError when what it is about has no id."""
    if "citing" in row:
        yield Citation(_paper_id(row, "citing"), _paper_id(row, "cited"))
    else:
        yield from _paper(row)


def _paper_id(row: Row, column: str) -> str:
    value = row.get(column, "")
    if value.startswith("10.") and " " not in value and (doi := identifiers.doi_id(value)):
        return doi
    found = _identifiers(value)
    if not found:
        raise RecordError(f"{column} {value:.100} is no id" if value else f"{column} is missing")
    return f"{found[0].scheme}:{found[0].value}"


def _identifiers(written: str) -> tuple[Identifier, ...]:
    """The ids of a cell such as `omid:br/0601 doi:10.1/x pmid:1`: that of the paper is the first.

    A DOI goes before a PubMed id and that before an OMID, OpenCitations' own. Before 2023 a DOI or
    a PubMed id stood there alone.
    """
    found: dict[Identifier, None] = {}
    for word in written.split():
        scheme, colon, value = word.partition(":")
        if scheme == "doi" or (not colon and word.startswith("10.")) or "doi.org/" in word:
            found |= dict.fromkeys(identifiers.dois(word))
        elif scheme == "omid" and _OMID.fullmatch(value):
            found[Identifier("omid", value)] = None
        elif not colon and _OMID.fullmatch(word):
            found[Identifier("omid", word)] = None
        elif (known := _other(scheme, value) if colon else _other("pmid", word)) is not None:
            found[known] = None
    order = {"doi": 0, "pmid": 1, "pmcid": 2, "arxiv": 3, "isbn": 4, "openalex": 5, "omid": 6}
    return tuple(sorted(found, key=lambda identifier: order[identifier.scheme]))


def _other(scheme: str, value: str) -> Identifier | None:
    if scheme == "pmid" and value.isdecimal():
        return identifiers.pubmed(value)
    if scheme == "pmcid":
        return identifiers.pmc(value)
    if scheme == "arxiv":
        return identifiers.arxiv(value)
    if scheme == "isbn":
        return identifiers.isbn(value)
    if scheme == "openalex" and value[:1] == "W":
        return Identifier("openalex", value)
    return None


def _paper(row: Row) -> Iterator[Found]:
    wrong: list[str] = []
    paper_id = _paper_id(row, "id")
    title = plain(row.get("title", ""))
    if not title:
        raise RecordError("title is missing", paper_id)
    found = _identifiers(row["id"])
    if row.get("type") not in _BOOKS:
        found = tuple(identifier for identifier in found if identifier.scheme != "isbn")
    date = row.get("pub_date", "")
    dated = _DATE.fullmatch(date)
    if date and not dated:
        wrong.append(f"pub_date {date:.100} is no date")
    paper = Paper(
        id=paper_id,
        title=title,
        year=int(dated[1]) if dated else None,
        published=date if dated else None,
        source=SOURCE,
        identifiers=found,
        authors=_authors(row.get("author", ""), wrong),
        venue=_venue(row.get("venue", "")),
    )
    yield from lenient.problems(wrong, paper_id)
    yield paper


def _authors(cell: str, wrong: list[str]) -> tuple[Author, ...]:
    """Out of "Family, Given [orcid:0000-... omid:ra/061]; ...", in order, each once."""
    authors: dict[str, Author] = {}
    for person in filter(None, map(str.strip, cell.split(";"))):
        written, ids = _name_and_ids(person)
        family, _, given = written.partition(",")
        name = clean_name(plain(f"{given} {family}"))
        if not name:
            wrong.append("an author without a name")
            continue
        orcid = next(filter(None, map(identifiers.orcid, ids)), None)
        omid = next((word for word in ids if word.startswith("omid:")), None)
        key = omid or (f"orcid:{orcid}" if orcid else f"{SOURCE}:{name}")
        authors.setdefault(key, Author(key, name, bool(orcid or omid), orcid))
    return tuple(authors.values())


def _venue(cell: str) -> Venue | None:
    """Out of "Title [issn:0317-8471 omid:br/061]": by the least ISSN, the OMID, or the name."""
    written, ids = _name_and_ids(cell)
    name = clean_name(plain(written))
    if not name:
        return None
    issns = (identifiers.issn(word) for word in ids if word.startswith("issn:"))
    if issn := min(filter(None, issns), default=None):
        return Venue(f"issn:{issn}", name)
    omid = next((word for word in ids if word.startswith("omid:")), None)
    return Venue(omid or f"{SOURCE}:{name}", name)


def _name_and_ids(cell: str) -> tuple[str, list[str]]:
    written, bracket, ids = cell.removesuffix("]").rpartition("[")
    has_ids = bracket and cell.endswith("]") and "]" not in ids
    return (written, ids.split()) if has_ids else (cell, [])


def recognise(name: str, head: bytes) -> str | None:
    """The header of the Index or that of Meta."""
    columns = set(read_header(head))
    if {"oci", "citing", "cited"} <= columns <= INDEX:
        return "OpenCitations Index, CSV"
    if {"id", "title", "author", "pub_date", "venue"} <= columns <= META:
        return "OpenCitations Meta, CSV"
    return None


FORMAT = Format("opencitations", "OpenCitations", read_opencitations, recognise)
