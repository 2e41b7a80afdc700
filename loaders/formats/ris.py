"""RIS: records of tagged lines, from TY to ER; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, Found, Ignored, Problem
from specter_graph.loaders.formats import bibliography
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.inline_markup import paragraphs, plain
from specter_graph.loaders.parsing.languages import language_code
from specter_graph.loaders.parsing.text_lines import read_text_lines
from specter_graph.loaders.records import Field, Identifier, Paper, Venue

SOURCE = "ris"
USED = frozenset(
    {"TY", "ER", "ID", "TI", "T1", "CT", "BT", "AU", "A1", "AB", "N2", "PY", "Y1", "DA", "T2", "JF"}
    | {
        "JO",
        "J2",
        "JA",
        "J1",
        "C3",
        "DO",
        "DI",
        "M3",
        "UR",
        "L3",
        "LK",
        "KW",
        "LA",
        "AN",
        "DB",
        "SN",
    }
    | {"N1", "M1", "C2", "RN"}
)
DROPPED = frozenset(
    {"A2", "A3", "A4", "AD", "AV", "C1", "C4", "C5", "C6", "C7", "C8", "CA", "CN", "CP", "CR", "CY"}
    | {
        "DP",
        "ED",
        "EP",
        "ET",
        "IS",
        "L1",
        "L2",
        "L4",
        "LB",
        "LL",
        "M2",
        "NO",
        "NV",
        "OP",
        "PB",
        "PP",
    }
    | {
        "RI",
        "RP",
        "SE",
        "SP",
        "ST",
        "SV",
        "T3",
        "TA",
        "TT",
        "U1",
        "U2",
        "U3",
        "U4",
        "U5",
        "UK",
        "VL",
    }
    | {"VO", "WP", "WT", "WV", "Y2"}
)
WHOLE_BOOKS = frozenset({"BOOK", "EBOOK", "EDBOOK"})
"""Types whose ISBN is their own; T2 is their series."""

_TAG = re.compile(r"([A-Z][A-Z0-9])( {1,2})-(?: (.*)|\s*)")
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[^\r\n]*[\r\n]+){0,20}?\s*TY {1,2}- ([A-Z]{2,8})\s*[\r\n]"
)
_LONGEST = 16 * 2**20
"""Characters of a record."""


@dataclass(slots=True)
class Record:
    """The values of a record by tag, in order, and the record as it stands."""

    line: int
    gap: str
    values: dict[str, list[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    size: int = 0
    last: str = ""

    def first(self, *tags: str) -> str:
        """The first value of the first of the tags that has one."""
        return next((value for tag in tags for value in self.values.get(tag, ()) if value), "")

    def all(self, *tags: str) -> list[str]:
        """All values of the tags."""
        return [value for tag in tags for value in self.values.get(tag, ()) if value]

    @property
    def text(self) -> str:
        """The record as it stands in the file."""
        return "\n".join(self.lines)


def read_ris(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The papers of a file with the line of their TY, and what in it cannot be used."""
    told = USED | DROPPED
    for line, found in _records(path, count):
        if isinstance(found, Problem):
            yield line, found
            continue
        for tag in sorted(found.values.keys() - told):
            told |= {tag}
            yield line, Ignored(tag)
        for item in convert(found):
            yield line, item


def convert(record: Record) -> Iterator[Found]:
    """The paper of a record."""
    kind = record.first("TY").upper()
    title = plain(record.first("TI", "T1", "CT") or record.first("BT"))
    if not title:
        yield Problem("title is missing", record.first("ID") or None, record.text)
        return
    found = bibliography.distinct(_identifiers(record, kind))
    authors = [bibliography.person_in_order(name) for name in record.all("AU", "A1")]
    when = next(
        (value for value in record.all("DA", "PY", "Y1") if bibliography.date(value)[0]), ""
    )
    year, published = bibliography.date(when, record.first("DA"))
    paper_id = _id(record, found) or _digest(title, year, authors)
    if not when and (written := record.first("PY", "Y1", "DA")):
        yield Problem(f"left out: year {written:.100} is no year", paper_id, repaired=True)
    if (doi := record.first("DO", "DI")) and not identifiers.doi(doi):
        yield Problem(f"left out: doi {doi:.100} is no DOI", paper_id, repaired=True)
    language = record.first("LA")
    venue = clean_name(plain(record.first(*_venue_tags(record, kind))))
    yield Paper(
        id=paper_id,
        title=title,
        abstract=paragraphs(record.first("AB", "N2")),
        year=year,
        published=published,
        language=language_code(language) if language else None,
        url=next((u for u in record.all("UR", "LK", "L3") if u.startswith("http")), None),
        source=SOURCE,
        identifiers=found,
        authors=bibliography.authors(authors, SOURCE),
        venue=Venue(f"{SOURCE}:{venue}", venue) if venue else None,
        fields=_keywords(record.all("KW")),
    )


def recognise(name: str, head: bytes) -> str | None:
    """A line `TY  - TYPE` near the beginning."""
    found = _START.match(head + b"\n")
    return f"RIS, {found[1].decode()}" if found else None


def _records(path: Path, count: Count) -> Iterator[tuple[int, Record | Problem]]:
    record: Record | None = None
    for number, line in read_text_lines(path, count):
        if isinstance(line, Problem):
            yield number, line
            continue
        tag = _TAG.fullmatch(line.strip())
        if tag and record and len(tag[2]) != len(record.gap):
            tag = None  # a text that looks like a tag
        if tag and tag[1] == "TY":
            if record:
                yield from _ended(record, next_begins=True)
            record = Record(number, tag[2])
        if record is None:
            if tag:  # the beginning of a record is lost
                record = Record(number, tag[2])
            else:
                continue  # what the provider tells before the first record, and blank lines
        _add(record, tag, line)
        if tag and tag[1] == "ER":
            yield from _ended(record)
            record = None
    if record:
        yield from _ended(record)
        if "TY" in record.values:
            reason = "the file ends before the ER of its last record; more may be missing"
            yield record.line, Problem(reason, record.first("ID") or None)


def _add(record: Record, tag: re.Match[str] | None, line: str) -> None:
    record.size += len(line) + 1
    if record.size > _LONGEST:
        return
    record.lines.append(line)
    if tag:
        record.last = tag[1]
        record.values.setdefault(tag[1], []).append((tag[3] or "").strip())
    elif line.strip() and record.last:
        values = record.values[record.last]
        between = "\n" if record.last == "KW" else " "
        values[-1] = f"{values[-1]}{between}{line.strip()}".lstrip()


def _ended(record: Record, *, next_begins: bool = False) -> Iterator[tuple[int, Record | Problem]]:
    if record.size > _LONGEST:
        reason = f"the record is longer than {_LONGEST // 2**20} MiB"
        yield record.line, Problem(reason, record=record.text[:10_000])
    elif "TY" not in record.values:
        yield record.line, Problem("the record does not begin with TY", record=record.text)
    else:
        if record.last != "ER" and next_begins:
            reason = "the record does not end with ER: read up to the next"
            yield record.line, Problem(reason, record.first("ID") or None, repaired=True)
        yield record.line, record


def _venue_tags(record: Record, kind: str) -> tuple[str, ...]:
    if kind in WHOLE_BOOKS:
        return ()
    book = ("BT",) if record.first("TI", "T1", "CT") else ()
    return ("JF", "T2", "C3", "JO", *book, "J2", "JA", "J1")


def _id(record: Record, found: tuple[Identifier, ...]) -> str | None:
    """Its DOI, or else its ID: `Wang2020`, which publishers write, is many papers.

    An ID of digits is but the record's number in somebody's library.
    """
    if doi := next((known.value for known in found if known.scheme == "doi"), None):
        return f"doi:{doi}"
    written = record.first("ID")
    return written if written and not written.isdecimal() else None


def _keywords(lines: list[str]) -> tuple[Field, ...]:
    """One a line: those of several lines may have commas ("Diabetes Mellitus, Type 2")."""
    if len(lines) > 1:
        return bibliography.labels(name for line in lines for name in line.split(";"))
    return bibliography.keywords(lines)


def _digest(title: str, year: int | None, authors: list[str]) -> str:
    text = f"{title.casefold()}\n{year}\n{authors[0] if authors else ''}"
    return f"{SOURCE}:{blake2b(text.encode(), digest_size=8).hexdigest()}"


def _identifiers(record: Record, kind: str) -> Iterator[Identifier | None]:
    yield identifiers.doi(record.first("DO", "DI"))
    yield identifiers.doi(record.first("M3"))
    if "pubmed" in record.first("DB").lower():
        yield identifiers.pubmed(record.first("AN"))
    for value in record.all("C2"):
        if value.upper().startswith("PMC"):
            yield identifiers.pmc(value)
    for url in record.all("UR", "LK", "L3"):
        yield bibliography.from_url(url)
    for name in record.all("M1", "JF", "JO", "T2", "AN"):
        yield bibliography.from_arxiv_name(name)
    if kind in WHOLE_BOOKS:
        for isbn in re.split(r"[,;\s]+", " ".join(record.all("SN"))):
            yield identifiers.isbn(isbn)
    for note in record.all("N1", "M1", "RN"):
        yield from bibliography.from_note(note)


FORMAT = Format(SOURCE, "RIS", read_ris, recognise)
