"""PubMed's text format (MEDLINE, .nbib); docs/formats/pubmed.md has the field map.

It is what the buttons "Cite" and "Send to: Citation manager" and `efetch?rettype=medline` give.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.tagged_lines import Record, TagLayout, read_tagged
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue

SOURCE = "pubmed"
_TAG = re.compile(r"\s?(?P<tag>[A-Z]{2,4}) *- ?(?P<value>.*)")
_LAYOUT = TagLayout(_TAG, "PMID", key="PMID", needs_start=False)
_START = re.compile(rb"\s*(?:PMID ?- ?\d|(?:OWN|STAT) *- )")
_DATE = re.compile(r"(\d{4})(?:\s+([A-Za-z]{3}|\d\d?)\b)?(?:\s+(\d\d?)\b)?")
_DOI = re.compile(r"(?:doi:)?(10\.\S+)(?:\s*\[doi\])?\s*", re.IGNORECASE)
_RETRACTED = "Retracted Publication"


def read_nbib(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the first line of its record, and RecordIssues."""
    return read_tagged(path, count, _LAYOUT, convert, known_fields("nbib"))


@paper_converter
def convert(record: Record, omitted: list[str]) -> Paper:
    """Return the paper of a record."""
    when = record.first("DP", "DEP")
    year, published = _read_date(when)
    if when and year is None:
        omitted.append(f"date {when:.100} has no year")
    number, kinds = identifiers.pubmed(record.first("PMID")), record.all("PT")
    return bibliography.make_paper(
        SOURCE,
        record.first,
        omitted,
        paper_id=f"pmid:{number.value}" if number else None,
        date=(year, published),
        retracted=_RETRACTED in kinds or "RIN" in record.values,
        ids=(number, *_read_identifiers(record)),
        authors=_read_authors(record, omitted),
        venue=_read_venue(record),
        fields=_read_fields(record, kinds),
        elsewhere=("references",),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect a first line `PMID- NUMBER`."""
    return "PubMed, MEDLINE text" if _START.match(head) else None


def _read_authors(record: Record, omitted: list[str]) -> Iterator[Author | None]:
    """Yield authors by their full names, with the ORCID iDs and affiliations that follow them."""
    people: list[tuple[str, list[str], list[str]]] = []  # names, ids and affiliations
    last = ""
    for tag, value in record.in_order:
        if tag in ("FAU", "CN") or (tag == "AU" and last != "FAU"):  # AU after FAU repeats the name
            people.append((value if tag == "CN" else bibliography.name_in_order(value), [], []))
        elif tag == "AUID" and people and "orcid" in value.lower():
            people[-1][1].append(value)
        elif tag == "AD" and people:
            people[-1][2].append(value)
        last = tag if tag in ("FAU", "AU", "CN") else last
    for name, ids, places in people:
        yield bibliography.make_author(
            SOURCE,
            name,
            omitted,
            orcid=next(filter(None, map(identifiers.orcid, ids)), None),
            institutions=places,
        )


def _read_date(written: str) -> tuple[int | None, str | None]:
    """Return year and date of "2002 Sep 17", "2006 May-Jun" or "20160419"."""
    if match := re.fullmatch(r"(\d{4})(\d\d)(\d\d)", written):
        return int(match[1]), "-".join(match.groups())
    if not (match := _DATE.match(written)):
        return None, None
    year, month, day = int(match[1]), match[2] or "", match[3] or ""
    published = bibliography.exact_date(year, month, day)
    return year, published if published != match[1] else None


def _read_venue(record: Record) -> Venue | None:
    """Return the journal by its number in the NLM Catalog, or the book of a chapter."""
    number = record.first("JID")
    name = record.first("JT", "TA") or (record.first("BTI", "CTI") if record.first("TI") else "")
    return bibliography.make_venue(SOURCE, name, f"{SOURCE}:{number}" if number else None)


def _read_fields(record: Record, kinds: list[str]) -> tuple[Field, ...]:
    headings = (heading.split("/")[0].strip("* ") for heading in record.all("MH"))
    return (
        *bibliography.labels(headings, "mesh"),
        *bibliography.labels(kinds, "publication-type"),
        *bibliography.labels(name.strip("* ") for name in record.all("OT")),
    )


def _read_identifiers(record: Record) -> Iterator[Identifier | None]:
    for value in record.all("LID", "AID"):
        if match := _DOI.fullmatch(value):
            yield identifiers.doi(match[1])
    yield identifiers.pmc(record.first("PMC"))
    if record.first("BTI") and not record.first("TI"):
        yield from bibliography.isbns(record.first("ISBN"))


FORMAT = Format("nbib", "PubMed's text format (MEDLINE)", read_nbib, detect)
