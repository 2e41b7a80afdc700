"""arXiv: the metadata snapshot (JSON lines), responses of OAI-PMH and feeds of the API (XML).

The fields are those of arXiv's documentation of its snapshot, of its OAI-PMH formats (arXiv,
arXivRaw, arXivOld, oai_dc) and of its API (Atom); the map is in docs/formats/arxiv.md.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.files import read_head
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    exact_date,
    make_affiliation,
    make_author,
    make_venue,
    read_dois,
    unique,
)
from specter_graph.loaders.parsing import tolerant_fields
from specter_graph.loaders.parsing.field_values import clean_name, text, type_name
from specter_graph.loaders.parsing.json import read_objects
from specter_graph.loaders.parsing.latex import plain_text
from specter_graph.loaders.parsing.xml import (
    Element,
    Parts,
    forget_namespaces,
    iter_children,
    parts_of,
    read_records,
    text_of,
)
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from specter_graph.loaders.validation import MAX_NAME_LENGTH

SOURCE = "arxiv"
BARE = ("arXiv", "arXivRaw", "arXivOld", "dc")
"""The metadata of a record, which may also stand in a file without the record around them."""

_GROUPS = ("physics",)
"""Sets of OAI-PMH that are no archive."""
_BETWEEN = re.compile(r" ?[,;] ?(?:and )?| and | for the | on behalf of (?:the )?")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv|ph\.?\s?d\.?", re.IGNORECASE)
_CATEGORY = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\.[A-Za-z]+(?:-[A-Za-z]+)*)?", re.ASCII)
_MSC = re.compile(r"(?<![\w.])\d\d(?:[A-Z]\d\d|[A-Z]xx|-\d\d|-XX)(?!\w)")
_ACM = re.compile(r"(?<![\w.])[A-K]\.(?:\d|m)(?:\.(?:\d\d?|m))?(?!\w)")
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)
_MAIL_DAY = re.compile(r"(?:\w{3}, )?(?P<day>\d\d?) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4})\b")
_YEAR_OF_ID = re.compile(r"(?:[a-z-]+/)?(\d\d)(?:0[1-9]|1[0-2])", re.ASCII)
_FIRST_YEAR = 91
_WITHDRAWN = re.compile(r"\b(?:has been|have been|is|was) withdrawn\b|^\W*withdrawn\b", re.I)
_VENUE_ENDS = re.compile(r"(?:[\s,;:(\[]|\b(?:vol|volume|no|issue)\b\.?){1,9}\Z", re.IGNORECASE)
_NO_VENUE = re.compile(r"(?:in )?(?:the|proc\.?|proceedings)?(?: of)?(?: the)?", re.IGNORECASE)
_MAX_VENUE = 150
_IN_RECORDS = re.compile(rb"<(?:\w+:)?(?:OAI-PMH|ListRecords|GetRecord|record)[\s>]")
_IN_ENTRIES = re.compile(rb"<(?:\w+:)?(?:feed|entry)[\s>]")
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(\{[^\n]*)")
_OF_ARXIV = re.compile(rb"http://arxiv\.org/OAI/|oai:arXiv\.org:")


def read_arxiv(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file with their lines; for XML those where the records begin."""
    head, _ = read_head(path)
    if not head.lstrip().startswith(b"<"):
        return read_objects(path, count, _convert_json, known_fields("arxiv-json"))
    if _IN_RECORDS.search(head):
        records: tuple[str, ...] = ("record",)
    else:
        records = ("entry",) if _IN_ENTRIES.search(head) else BARE
    return read_records(path, count, _convert_xml, records, known=known_fields("arxiv-xml"))


@dataclass(slots=True)
class Entry:
    """The metadata of a paper, as texts; `created` is when its first version came.

    `labels` are categories and classes of MSC and ACM, mixed or not; `subjects` are plain words.
    """

    id: str
    title: str
    abstract: str
    authors: tuple[Author, ...]
    labels: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    created: str = ""
    doi: str = ""
    journal: str = ""
    comments: str = ""
    url: str | None = None


def _paper_of(entry: Entry, wrong: list[str]) -> Paper:
    """The paper; raises RecordError where the id is none of arXiv's, or the title is missing."""
    known = identifiers.arxiv(entry.id)
    if not known:
        raise RecordError(f"{entry.id:.100} is no arXiv id" if entry.id else "id is missing")
    key = f"{SOURCE}:{known.value}"
    title = " ".join(entry.title.split())
    if not title:
        raise RecordError("title is missing", key)
    year, published = _date(entry.created, known.value, wrong)
    return Paper(
        id=key,
        title=title,
        abstract=" ".join(entry.abstract.split()) or None,
        year=year,
        published=published,
        url=entry.url,
        source=SOURCE,
        retracted=bool(_WITHDRAWN.search(entry.comments[:200])) or None,
        identifiers=(known, *_dois(entry.doi, wrong)),
        authors=entry.authors,
        venue=_venue(entry.journal),
        fields=tuple({(f.scheme, f.id): f for f in _fields(entry, wrong)}.values()),
        elsewhere=("references",),
    )


def _date(created: str, number: str, wrong: list[str]) -> tuple[int | None, str | None]:
    """Return the year and the day of the first version; without it the year that the id tells."""
    if match := _ISO_DAY.match(created):
        return int(match[1]), match[0]
    if match := _MAIL_DAY.match(created):
        year = int(match["year"])
        return year, exact_date(year, match["month"], match["day"])
    if created:
        wrong.append(f"{created:.40} is no date")
    match = _YEAR_OF_ID.match(number)
    if not match:
        return None, None
    short = int(match[1])
    return (1900 if short >= _FIRST_YEAR else 2000) + short, None


def _dois(written: str, wrong: list[str]) -> tuple[Identifier, ...]:
    """Return the DOIs of a paper, which may be several with spaces between them."""
    parts = written.replace(";", " ").split()
    dois = dict.fromkeys(doi for part in parts for doi in read_dois(part, wrong))
    return tuple(one for one in dois if one.scheme == "doi")


def _fields(entry: Entry, wrong: list[str]) -> Iterator[Field]:
    for label in entry.labels:
        if _CATEGORY.fullmatch(label):
            archive = label.split(".")[0]
            yield Field(SOURCE, label, label, (archive,) if archive != label else ())
            continue
        classes = [("msc", code) for code in _MSC.findall(label)]
        classes += [("acm", code) for code in _ACM.findall(label)]
        yield from (Field(scheme, code, code) for scheme, code in classes)
        if not classes:
            wrong.append(f"category {label:.60} is none")
    for name in map(clean_name, entry.subjects):
        if name:
            yield Field("keyword", name, name)


def _venue(journal: str) -> Venue | None:
    """The words before the first number of a journal reference: in "Phys.Rev.D76:1" Phys.Rev.D."""
    name = re.split(r"\d", journal[:_MAX_VENUE], maxsplit=1)[0]
    name = _VENUE_ENDS.sub("", clean_name(name))
    is_name = sum(map(str.isalpha, name)) >= 3 and not _NO_VENUE.fullmatch(name)
    return make_venue(SOURCE, name if is_name else None)


def _convert_json(record: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield the paper of an object; raises RecordError without an arXiv id or a title."""
    wrong: list[str] = []

    def get(key: str) -> str:
        return tolerant_fields.text(record, key, wrong) or ""

    versions = tolerant_fields.objects(record, "versions", wrong)
    entry = Entry(
        id=text(record, "id") or "",
        title=get("title"),
        abstract=get("abstract"),
        authors=_json_authors(record, wrong),
        labels=tuple(get("categories").split()),
        created=(tolerant_fields.text(versions[0], "created", wrong) or "") if versions else "",
        doi=get("doi"),
        journal=get("journal-ref"),
        comments=get("comments"),
    )
    paper = _paper_of(entry, wrong)
    yield from tolerant_fields.with_issues(paper, wrong)


def _json_authors(record: dict[str, Any], wrong: list[str]) -> tuple[Author, ...]:
    """From [last, first, suffix, affiliation...] each, or else from the line of authors."""
    parsed = record.get("authors_parsed")
    if not parsed:
        return authors_from_line(tolerant_fields.text(record, "authors", wrong) or "", wrong)
    if not isinstance(parsed, list):
        wrong.append(f"authors_parsed must be a list, not {type_name(parsed)}")
        return ()
    return unique(_json_author(names, wrong) for names in parsed)


def _json_author(names: object, wrong: list[str]) -> Author | None:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        wrong.append("authors_parsed must hold lists of texts")
        return None
    last, first, suffix, *affiliations = [*names, "", "", ""][: max(3, len(names))]
    return _make_author(f"{first} {last} {suffix}", affiliations, wrong)


def _convert_xml(record: Element) -> Iterator[ParseResult]:
    """Yield the paper of a record; raises RecordError without an arXiv id or a title."""
    forget_namespaces(record)
    wrong: list[str] = []
    paper = _paper_of(_xml_entry(record, wrong), wrong)
    yield from tolerant_fields.with_issues(paper, wrong)


def _xml_entry(record: Element, wrong: list[str]) -> Entry:
    if record.tag == "entry":
        return _atom(parts_of(record), wrong)
    if record.tag in BARE:
        return _metadata(record, {}, wrong)
    parts = parts_of(record)
    header = parts.get("header")
    header_parts = parts_of(header)
    if header is not None and header.get("status") == "deleted":
        known = identifiers.arxiv(text_of(header_parts.get("identifier")))
        key = f"arxiv:{known.value}" if known else None
        raise RecordError("arXiv has deleted this record", key)
    for metadata in parts.get("metadata", ()):
        return _metadata(metadata, header_parts, wrong)
    raise RecordError("the record has no metadata")


def _metadata(metadata: Element, header: Parts, wrong: list[str]) -> Entry:
    parts = parts_of(metadata)
    return _dublin_core(parts, header) if metadata.tag == "dc" else _own(metadata, parts, wrong)


def _own(metadata: Element, parts: Parts, wrong: list[str]) -> Entry:
    """arXiv, arXivRaw or arXivOld: they differ in how they tell authors and dates."""

    def get(name: str) -> str:
        return text_of(parts.get(name))

    version = parts_of(parts.get("version"))
    classes = [
        text_of(one)
        for name in ("msc-class", "acm-class")
        for one in iter_children(parts.get(name))
    ]
    return Entry(
        id=get("id"),
        title=get("title"),
        abstract=get("abstract"),
        authors=_xml_authors(parts.get("authors"), wrong),
        labels=(*get("categories").split(), *filter(None, classes)),
        created=get("created") or text_of(version.get("date")) or get("date"),
        doi=get("doi"),
        journal=get("journal-ref"),
        comments=get("comments"),
    )


def _xml_authors(element: Element | None, wrong: list[str]) -> tuple[Author, ...]:
    if element is None or not len(element):
        return authors_from_line(text_of(element), wrong)
    return unique(_xml_author(one, wrong) for one in element.iterchildren("author"))


def _xml_author(element: Element, wrong: list[str]) -> Author | None:
    parts = parts_of(element)
    order = ("name", "forenames", "keyname", "suffix")
    name = " ".join(text_of(parts.get(part)) for part in order)
    return _make_author(
        name, (text_of(one) for one in iter_children(parts.get("affiliation"))), wrong
    )


def _dublin_core(parts: Parts, header: Parts) -> Entry:
    """Simple Dublin Core: the sets of the header tell the categories that it tells in words."""
    names = [text_of(one) for one in iter_children(parts.get("identifier"))]
    sets = [text_of(one) for one in iter_children(header.get("setSpec"))]
    creators = (_last_first(text_of(one)) for one in iter_children(parts.get("creator")))
    subjects = [text_of(one) for one in iter_children(parts.get("subject"))]
    described = [text_of(one) for one in iter_children(parts.get("description"))]
    comments = [one for one in described if one.startswith("Comment:")]
    return Entry(
        id=next((one for one in names if "arxiv.org/" in one), text_of(header.get("identifier"))),
        title=text_of(parts.get("title")),
        abstract=next((one for one in described if one not in comments), ""),
        authors=unique(_make_author(name, (), []) for name in creators),
        labels=tuple(label for one in sets if (label := _category(one))),
        subjects=tuple(subjects),
        created=min(
            filter(None, (text_of(one) for one in iter_children(parts.get("date")))), default=""
        ),
        doi=" ".join(one for one in names if one.startswith("doi:")),
        comments=" ".join(one.removeprefix("Comment:").strip() for one in comments),
    )


def _last_first(name: str) -> str:
    last, _, first = name.partition(",")
    return f"{first} {last}"


def _category(name: str) -> str | None:
    """Return the category, or the archive, that a set stands for: cs:cs:CL is cs.CL."""
    group, _, rest = name.partition(":")
    if not rest:
        return None if group in _GROUPS else group
    return rest.replace(":", ".")


def _atom(parts: Parts, wrong: list[str]) -> Entry:
    links = {one.get("rel", ""): one.get("href", "") for one in iter_children(parts.get("link"))}
    terms = [one.get("term", "").strip() for one in iter_children(parts.get("category"))]
    primary = [one.get("term", "").strip() for one in iter_children(parts.get("primary_category"))]
    return Entry(
        id=text_of(parts.get("id")),
        title=text_of(parts.get("title")),
        abstract=text_of(parts.get("summary")),
        authors=unique(_xml_author(one, wrong) for one in iter_children(parts.get("author"))),
        labels=tuple(dict.fromkeys(filter(None, [*primary, *terms]))),
        created=text_of(parts.get("published")),
        doi=text_of(parts.get("doi")),
        journal=text_of(parts.get("journal_ref")),
        comments=text_of(parts.get("comment")),
        url=links.get("alternate") or None,
    )


def _make_author(name: str, places: Iterable[str], wrong: list[str]) -> Author | None:
    """Return an author with the names of his or her institutions; None without a name."""
    affiliations = unique(make_affiliation(SOURCE, place, wrong) for place in places)
    return make_author(SOURCE, name, wrong, affiliations=affiliations)


def authors_from_line(line: str, wrong: list[str]) -> tuple[Author, ...]:
    """Authors from a line such as "A. One (Univ. X), B. Two, Jr. and C. Three for the D Group".

    What is in brackets is left out: it may be affiliations, or numbers that point to them. Accents
    may be written in TeX.
    """
    names: list[str] = []
    for part in _BETWEEN.split(" ".join(_without_brackets(line).split())):
        if names and _SUFFIX.fullmatch(part):
            names[-1] += f" {part}"
        elif part.strip():
            names.append(part)
    return unique(_make_author(_plain(name), (), wrong) for name in names)


def _plain(name: str) -> str:
    return plain_text(name) if "\\" in name and len(name) <= MAX_NAME_LENGTH else name


def _without_brackets(line: str) -> str:
    kept: list[str] = []
    depth = 0
    for piece in re.split(r"([()])", line):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(piece)
    return "".join(kept)


def detect(name: str, head: bytes) -> str | None:
    """What only arXiv has: parsed authors and versions in JSON, its names in XML."""
    if first := _FIRST_LINE.match(head):
        keys = (b'"authors_parsed"', b'"categories"', b'"abstract"')
        return "arXiv metadata, JSON" if all(key in first[1] for key in keys) else None
    if _IN_RECORDS.search(head) or b"<arXiv" in head:
        return "arXiv metadata, OAI-PMH" if _OF_ARXIV.search(head) else None
    if _IN_ENTRIES.search(head) and b"http://www.w3.org/2005/Atom" in head:
        return "arXiv API feed, Atom" if b"arxiv.org/" in head else None
    return None


FORMAT = Format("arxiv", "arXiv metadata (snapshot, OAI-PMH, API)", read_arxiv, detect)
