"""OpenCitations: citations of its Index (COCI and others), and papers of its Meta.

Both are CSV; docs/formats/opencitations.md has the columns.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    distinct,
    make_author,
    make_journal,
    name_in_order,
    unique,
)
from specter_graph.loaders.parsing.delimited import Row, read_header, read_rows
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.plain_text import strip_markup
from specter_graph.loaders.records import Author, Citation, Identifier, Paper, Venue

SOURCE = "opencitations"
INDEX, META = known_fields("opencitations-index"), known_fields("opencitations-meta")

_SCHEMES = ("doi", "pmid", "pmcid", "arxiv", "isbn", "openalex", "omid")
"""The schemes of ids, in order of preference."""
_FORMS = {"pmid": r"\d+", "openalex": r"W.*", "omid": r"br/\d+"}
"""Regular expressions of the ids of some schemes; others must not be empty."""
_DATE = re.compile(r"(\d{4})(?:-\d{1,2})?(?:-\d{1,2})?")
_BOOKS = frozenset(["book", "edited book", "monograph", "reference book", "proceedings"])


def read_opencitations(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the citations, or the papers, of a file with their lines."""
    return read_rows(path, count, convert, INDEX | META)


def convert(row: Row) -> Iterator[ParseResult]:
    """Yield the citation or the paper of a row; raise RecordError if a paper has no id."""
    if "citing" in row:
        yield Citation(_read_paper_id(row, "citing"), _read_paper_id(row, "cited"))
    else:
        yield from _convert_paper(row)


def _read_paper_id(row: Row, column: str) -> str:
    value = row.get(column, "")
    if value.startswith("10.") and " " not in value and (doi := identifiers.doi_id(value)):
        return doi
    match = _read_identifiers(value)
    if not match:
        raise RecordError(
            f"{column} {value:.100} is not an id" if value else f"{column} is missing"
        )
    return f"{match[0].scheme}:{match[0].value}"


def _read_identifiers(written: str) -> tuple[Identifier, ...]:
    """Return the ids in a cell such as `omid:br/0601 doi:10.1/x pmid:1`, in order of preference.

    A DOI is preferred to a PubMed id, and an OMID, OpenCitations' own id, is last. Before 2023, a
    cell had only a DOI or a PubMed id, without its scheme.
    """
    ids = []
    for word in written.split():
        scheme, colon, value = word.partition(":")
        if "doi.org/" in word:
            scheme, value = "doi", word
        elif not colon:
            bare = {"10.": "doi", "br/": "omid"}
            scheme, value = bare.get(word[:3], "pmid"), word
        if scheme in _SCHEMES and re.fullmatch(_FORMS.get(scheme, ".+"), value):
            ids.append(identifiers.parse_identifier(f"{scheme}:{value}"))
    return tuple(sorted(distinct(ids), key=lambda known: _SCHEMES.index(known.scheme)))


@paper_converter
def _convert_paper(row: Row, omitted: list[str]) -> Paper:
    paper_id = _read_paper_id(row, "id")
    results = _read_identifiers(row["id"])
    if row.get("type") not in _BOOKS:
        results = tuple(identifier for identifier in results if identifier.scheme != "isbn")
    date = row.get("pub_date", "")
    dated = _DATE.fullmatch(date)
    if date and not dated:
        omitted.append(f"pub_date {date:.100} is not a date")
    return Paper(
        id=paper_id,
        title=strip_markup(row.get("title", "")),
        year=int(dated[1]) if dated else None,
        published=date if dated else None,
        source=SOURCE,
        identifiers=results,
        authors=unique(
            _read_author(part, omitted) for part in row.get("author", "").split(";") if part.strip()
        ),
        venue=_read_venue(row.get("venue", "")),
    )


def _read_author(person: str, omitted: list[str]) -> Author | None:
    """Return the author in a string "Family, Given [orcid:0000-... omid:ra/061]"."""
    written, ids = _split_name(person)
    orcid = next(filter(None, map(identifiers.orcid, ids)), None)
    omid = next((word for word in ids if word.startswith("omid:")), None)
    return make_author(SOURCE, strip_markup(name_in_order(written)), omitted, key=omid, orcid=orcid)


def _read_venue(cell: str) -> Venue | None:
    """Return the venue in a cell "Title [issn:0317-8471 omid:br/061]".

    It is identified by its smallest ISSN, or else the OMID or the name.
    """
    written, ids = _split_name(cell)
    issns = (word for word in ids if word.startswith("issn:"))
    omid = next((word for word in ids if word.startswith("omid:")), None)
    return make_journal(SOURCE, strip_markup(written), issns, omid)


def _split_name(cell: str) -> tuple[str, list[str]]:
    written, bracket, ids = cell.removesuffix("]").rpartition("[")
    has_ids = bracket and cell.endswith("]") and "]" not in ids
    return (written, ids.split()) if has_ids else (cell, [])


def detect(name: str, head: bytes) -> str | None:
    """Detect the header of the Index or that of Meta."""
    columns = set(read_header(head))
    if {"oci", "citing", "cited"} <= columns <= INDEX:
        return "OpenCitations Index, CSV"
    if {"id", "title", "author", "pub_date", "venue"} <= columns <= META:
        return "OpenCitations Meta, CSV"
    return None


FORMAT = Format("opencitations", "OpenCitations", read_opencitations, detect)
