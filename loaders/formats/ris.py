"""RIS: records of tagged lines from TY to ER; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.plain_text import strip_markup
from specter_graph.loaders.parsing.tagged_lines import Record, TagLayout, read_tagged
from specter_graph.loaders.records import Identifier, Paper

SOURCE = "ris"
BOOKS = frozenset({"BOOK", "EBOOK", "EDBOOK"})
"""Types of complete books: their ISBN is an id of the record, and T2 is a series."""

_TAG = re.compile(r"\s*(?P<tag>[A-Z][A-Z0-9])(?P<gap> {1,2})-(?: (?P<value>.*)|\s*)")
LAYOUT = TagLayout(_TAG, "TY", "ER", "ID", frozenset({"KW"}))
_URLS = ("UR", "LK", "L3", "L2", "L1")
_MEDLINE = re.compile(r"pubmed|medline|\bNLM\b", re.IGNORECASE)
_PUBMED = re.compile(r"pubmed (\d+)", re.IGNORECASE)
_YEAR = re.compile(r"\(\d{4}[a-z]?\)")
_START = re.compile(rb"(?:[^\r\n]*+[\r\n]++){0,20}?\s*+TY {1,2}- ([A-Z]{2,8})\s*[\r\n]")


def read_ris(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line of its TY, and RecordIssues."""
    return read_tagged(path, count, LAYOUT, convert, known_fields("ris"))


@paper_converter
def convert(record: Record, omitted: list[str]) -> Paper:
    """Return the paper of a record."""
    kind = record.first("TY").upper()
    names = (name for tag, name in record.in_order if tag in ("AU", "A1") and name)
    written = record.all("DA", "PY", "Y1")
    return bibliography.make_paper(
        SOURCE,
        record.first,
        omitted,
        key=_read_key(record),
        date=bibliography.read_date(omitted, *written, month=record.first("DA")),
        url=next((u for u in record.all(*_URLS) if u.startswith("http")), ""),
        ids=_read_identifiers(record, kind),
        authors=bibliography.authors(bibliography.names_in_order(names), SOURCE),
        venue=bibliography.make_venue(
            SOURCE, strip_markup(record.first(*_choose_venue_tags(record, kind)))
        ),
        fields=bibliography.split_keywords(record.all("KW")),
        references=_read_references(record),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect a line `TY  - TYPE` near the beginning of the file."""
    match = _START.match(head + b"\n")
    return f"RIS, {match[1].decode()}" if match else None


def _choose_venue_tags(record: Record, kind: str) -> tuple[str, ...]:
    if kind in BOOKS:
        return ()
    book = ("BT",) if record.first("TI", "T1", "CT") else ()
    conference = () if _PUBMED.match(record.first("C3")) else ("C3",)
    return ("JF", "T2", *conference, "JO", *book, "J2", "JA", "J1")


def _read_key(record: Record) -> str | None:
    """Return the ID. An ID of digits is only the number of the record in a library."""
    written = record.first("ID")
    return written if written and not written.isdecimal() else None


def _read_references(record: Record) -> Iterator[str]:
    """Yield the ids of cited papers in notes of Scopus and in M1 of PsycINFO from Ovid.

    An M1 is a reference: `Ide, A (1999). Salt. Sea, 4, 1-9. http://dx.doi.org/10.1000/s.1`.
    """
    notes = [note for note in record.all("N1") if note.startswith("References: ")]
    notes += [note for note in record.all("M1") if "doi.org/10." in note and _YEAR.search(note)]
    yield from chain.from_iterable(map(bibliography.scopus_references, notes))


def _read_identifiers(record: Record, kind: str) -> Iterator[Identifier | None]:
    yield identifiers.doi(record.first("M3"))
    if _MEDLINE.search(" ".join(record.all("DB", "DP"))):
        for value in record.all("AN", "C5"):  # Embase has the number in C5
            if value.isdecimal():
                yield identifiers.pubmed(value)
    if match := _PUBMED.match(record.first("C3")):  # Cochrane
        yield identifiers.pubmed(match[1])
    for value in record.all("C2"):
        if value.upper().startswith("PMC"):
            yield identifiers.pmc(value)
    yield from map(bibliography.from_url, record.all(*_URLS))
    yield from map(bibliography.from_arxiv_name, record.all("M1", "JF", "JO", "T2", "AN"))
    if kind in BOOKS:
        yield from bibliography.isbns(" ".join(record.all("SN")))
    yield from bibliography.from_notes(record.all("N1", "M1", "RN", "AN"))


FORMAT = Format(SOURCE, "RIS", read_ris, detect)
