"""arXiv: the metadata snapshot (JSON Lines), responses of OAI-PMH and feeds of the API (XML).

The fields are those of arXiv's documentation of its snapshot, of its OAI-PMH formats (arXiv,
arXivRaw, arXivOld, oai_dc) and of its API (Atom); docs/formats/arxiv.md has the field map.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import Count, Format, RecordError, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.formats.bibliography import (
    distinct_labels,
    exact_date,
    make_author,
    make_venue,
    read_dois,
    unique,
)
from specter_graph.loaders.parsing.field_values import (
    JsonRecord,
    clean_name,
    json_converter,
    paper_converter,
    text,
    type_name,
)
from specter_graph.loaders.parsing.json import read_objects
from specter_graph.loaders.parsing.latex import printed_text
from specter_graph.loaders.parsing.xml import (
    Element,
    Parts,
    iter_children,
    parts_of,
    read_records,
    remove_namespaces,
    text_of,
)
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from specter_graph.loaders.validation import MAX_NAME_LENGTH

SOURCE = "arxiv"
METADATA = ("arXiv", "arXivRaw", "arXivOld", "dc")
"""Elements with the metadata of a record; a file may contain them without records."""

_ATOM_NAMES = {"abstract": "summary", "journal-ref": "journal_ref", "comments": "comment"}
_GROUPS = ("physics",)
"""Sets of OAI-PMH that are not archives."""
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
_OPEN_BRACKET = re.compile(r"\s*\([^()]*\Z")  # "PoS(CD" of "PoS(CD15) (2015) 045"
_NO_VENUE = re.compile(r"(?:in )?(?:the|proc\.?|proceedings)?(?: of)?(?: the)?", re.IGNORECASE)
_MAX_VENUE_LENGTH = 150
_IN_RECORDS = re.compile(rb"<(?:\w+:)?(?:OAI-PMH|ListRecords|GetRecord|record)[\s>]")
_IN_ENTRIES = re.compile(rb"<(?:\w+:)?(?:feed|entry)[\s>]")
_FIRST_LINE = re.compile(rb"\s*(\{[^\n]*)")
_ARXIV_MARK = re.compile(rb"http://arxiv\.org/OAI/|oai:arXiv\.org:")


def read_arxiv(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its record begins."""
    head, _ = read_head(path)
    if not head.lstrip().startswith(b"<"):
        return read_objects(path, count, convert_json, known_fields("arxiv-json"))
    if _IN_RECORDS.search(head):
        records: tuple[str, ...] = ("record",)
    else:
        records = ("entry",) if _IN_ENTRIES.search(head) else METADATA
    return read_records(path, count, convert_xml, records, known=known_fields("arxiv-xml"))


def _make_paper(
    key: str,
    get: Callable[[str], str],
    authors: tuple[Author, ...],
    created: str,
    omitted: list[str],
    *,
    labels: Iterable[str] = (),
    subjects: Iterable[str] = (),
    url: str | None = None,
) -> Paper:
    """Return the paper of a record; raise RecordError if its id is not valid.

    Args:
        key: The id as the record has it.
        get: Returns the text of a key of the snapshot, or "".
        authors: The authors.
        created: The date of the first version.
        omitted: Gets descriptions of values that are left out.
        labels: Categories, and classes of MSC and ACM, in any order, beside the categories.
        subjects: Keywords.
        url: The address of the paper.
    """
    known = identifiers.arxiv(key)
    if not known:
        raise RecordError(f"{key:.100} is not an arXiv id" if key else "id is missing")
    year, published = _read_date(created, known.value, omitted)
    return Paper(
        id=f"{SOURCE}:{known.value}",
        title=" ".join(get("title").split()),
        abstract=" ".join(get("abstract").split()) or None,
        year=year,
        published=published,
        url=url,
        source=SOURCE,
        retracted=bool(_WITHDRAWN.search(get("comments")[:200])) or None,
        identifiers=(known, *_split_dois(get("doi"), omitted)),
        authors=authors,
        venue=_read_venue(get("journal-ref")),
        fields=distinct_labels(
            (
                *_read_labels([*get("categories").split(), *labels], omitted),
                *bibliography.labels(subjects),
            )
        ),
        elsewhere=("references",),
    )


def _read_date(created: str, number: str, omitted: list[str]) -> tuple[int | None, str | None]:
    """Return year and day of the first version, or else the year in the id."""
    if match := _ISO_DAY.match(created):
        return int(match[1]), match[0]
    if match := _MAIL_DAY.match(created):
        year = int(match["year"])
        return year, exact_date(year, match["month"], match["day"])
    if created:
        omitted.append(f"{created:.40} is not a date")
    match = _YEAR_OF_ID.match(number)
    if not match:
        return None, None
    short = int(match[1])
    return (1900 if short >= _FIRST_YEAR else 2000) + short, None


def _split_dois(written: str, omitted: list[str]) -> tuple[Identifier, ...]:
    """Return the DOIs of a paper, which may be several separated by spaces."""
    parts = written.replace(";", " ").split()
    dois = dict.fromkeys(doi for part in parts for doi in read_dois(part, omitted))
    return tuple(identifier for identifier in dois if identifier.scheme == "doi")


def _read_labels(labels: Iterable[str], omitted: list[str]) -> Iterator[Field]:
    for label in labels:
        if _CATEGORY.fullmatch(label):
            archive = label.split(".")[0]
            yield Field(SOURCE, label, label, (archive,) if archive != label else ())
            continue
        classes = [("msc", code) for code in _MSC.findall(label)]
        classes += [("acm", code) for code in _ACM.findall(label)]
        yield from (Field(scheme, code, code) for scheme, code in classes)
        if not classes:
            omitted.append(f"category {label:.60} is not valid")


def _read_venue(journal: str) -> Venue | None:
    """Return the words before the first number: "Phys.Rev.D" of "Phys.Rev.D76:1"."""
    name = re.split(r"\d", journal[:_MAX_VENUE_LENGTH], maxsplit=1)[0]
    name = _VENUE_ENDS.sub("", clean_name(name))
    name = _OPEN_BRACKET.sub("", name)
    is_name = sum(map(str.isalpha, name)) >= 3 and not _NO_VENUE.fullmatch(name)
    return make_venue(SOURCE, name if is_name else None)


@json_converter
def convert_json(record: JsonRecord) -> Paper:
    """Return the paper of an object; raise RecordError without an arXiv id."""
    versions = record.objects("versions")
    created = versions[0].first_text("created") if versions else ""
    key = text(record.values, "id") or ""
    return _make_paper(key, record.first_text, _read_json_authors(record), created, record.omitted)


def _read_json_authors(record: JsonRecord) -> tuple[Author, ...]:
    """Return authors from lists [last, first, suffix, affiliation...], or else from a line."""
    parsed, omitted = record.get("authors_parsed"), record.omitted
    if not parsed:
        return authors_from_line(record.text("authors") or "", omitted)
    if not isinstance(parsed, list):
        omitted.append(f"authors_parsed must be a list, not {type_name(parsed)}")
        return ()
    return unique(_read_json_author(names, omitted) for names in parsed)


def _read_json_author(names: object, omitted: list[str]) -> Author | None:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        omitted.append("authors_parsed must hold lists of texts")
        return None
    last, first, suffix, *affiliations = [*names, "", "", ""][: max(3, len(names))]
    name = f"{first} {last} {suffix}"
    return make_author(SOURCE, name, omitted, institutions=affiliations)


@paper_converter
def convert_xml(record: Element, omitted: list[str]) -> Paper:
    """Return the paper of a record; raise RecordError without an arXiv id."""
    remove_namespaces(record)
    if record.tag == "entry":
        return _convert_atom(parts_of(record), omitted)
    if record.tag in METADATA:
        return _convert_metadata(record, {}, omitted)
    parts = parts_of(record)
    header = parts.get("header")
    header_parts = parts_of(header)
    if header is not None and header.get("status") == "deleted":
        known = identifiers.arxiv(text_of(header_parts.get("identifier")))
        key = f"arxiv:{known.value}" if known else None
        raise RecordError("arXiv has deleted this record", key)
    for metadata in parts.get("metadata", ()):
        return _convert_metadata(metadata, header_parts, omitted)
    raise RecordError("the record has no metadata")


def _convert_metadata(metadata: Element, header: Parts, omitted: list[str]) -> Paper:
    parts = parts_of(metadata)
    if metadata.tag == "dc":
        return _convert_dublin_core(parts, header, omitted)

    def get(name: str) -> str:
        return text_of(parts.get(name))

    version = parts_of(parts.get("version"))
    created = get("created") or text_of(version.get("date")) or get("date")
    authors = _read_xml_authors(parts.get("authors"), omitted)
    classes = filter(None, (*_read_texts(parts, "msc-class"), *_read_texts(parts, "acm-class")))
    return _make_paper(get("id"), get, authors, created, omitted, labels=classes)


def _read_xml_authors(element: Element | None, omitted: list[str]) -> tuple[Author, ...]:
    if element is None or not len(element):
        return authors_from_line(text_of(element), omitted)
    return unique(_read_xml_author(author, omitted) for author in element.iterchildren("author"))


def _read_xml_author(element: Element, omitted: list[str]) -> Author | None:
    parts = parts_of(element)
    order = ("name", "forenames", "keyname", "suffix")
    name = " ".join(text_of(parts.get(part)) for part in order)
    return make_author(SOURCE, name, omitted, institutions=_read_texts(parts, "affiliation"))


def _read_texts(parts: Parts, name: str) -> list[str]:
    return [text_of(element) for element in iter_children(parts.get(name))]


def _convert_dublin_core(parts: Parts, header: Parts, omitted: list[str]) -> Paper:
    """Return a record of simple Dublin Core, with the categories from the sets of the header."""
    names = _read_texts(parts, "identifier")
    address = next((name for name in names if "arxiv.org/" in name), "")
    descriptions = _read_texts(parts, "description")
    comments = [text for text in descriptions if text.startswith("Comment:")]
    creators = map(bibliography.name_in_order, _read_texts(parts, "creator"))
    values = {
        "title": text_of(parts.get("title")),
        "abstract": next((text for text in descriptions if text not in comments), ""),
        "doi": " ".join(name for name in names if name.startswith("doi:")),
        "comments": " ".join(text.removeprefix("Comment:").strip() for text in comments),
    }
    return _make_paper(
        address or text_of(header.get("identifier")),
        lambda name: values.get(name, ""),
        unique(make_author(SOURCE, name, []) for name in creators),
        min(filter(None, _read_texts(parts, "date")), default=""),
        omitted,
        labels=filter(None, map(_parse_category, _read_texts(header, "setSpec"))),
        subjects=_read_texts(parts, "subject"),
    )


def _parse_category(name: str) -> str | None:
    """Return the category or the archive of a set: cs:cs:CL is cs.CL."""
    group, _, category = name.partition(":")
    return category.replace(":", ".") or (None if group in _GROUPS else group)


def _convert_atom(parts: Parts, omitted: list[str]) -> Paper:
    def get(name: str) -> str:
        return text_of(parts.get(_ATOM_NAMES.get(name, name)))

    links = {link.get("rel", ""): link.get("href", "") for link in iter_children(parts.get("link"))}
    names = ("primary_category", "category")
    categories = [element for name in names for element in iter_children(parts.get(name))]
    authors = (_read_xml_author(author, omitted) for author in iter_children(parts.get("author")))
    return _make_paper(
        get("id"),
        get,
        unique(authors),
        get("published"),
        omitted,
        labels=dict.fromkeys(filter(None, (e.get("term", "").strip() for e in categories))),
        url=links.get("alternate") or None,
    )


def authors_from_line(line: str, omitted: list[str]) -> tuple[Author, ...]:
    """Return authors from a line "A. One (Univ. X), B. Two, Jr. and C. Three for the D Group".

    Text in brackets (affiliations, or references to them) is left out. Accents may be TeX.
    """
    names: list[str] = []
    for part in _BETWEEN.split(" ".join(_remove_brackets(line).split())):
        if names and _SUFFIX.fullmatch(part):
            names[-1] += f" {part}"
        elif part.strip():
            names.append(part)
    return unique(make_author(SOURCE, _decode_name(name), omitted) for name in names)


def _decode_name(name: str) -> str:
    return printed_text(name) if "\\" in name and len(name) <= MAX_NAME_LENGTH else name


def _remove_brackets(line: str) -> str:
    outside: list[str] = []
    depth = 0
    for piece in re.split(r"([()])", line):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(0, depth - 1)
        elif not depth:
            outside.append(piece)
    return "".join(outside)


def detect(name: str, head: bytes) -> str | None:
    """Detect the keys of the snapshot in JSON, or arXiv's names in XML."""
    if first := _FIRST_LINE.match(head):
        keys = (b'"authors_parsed"', b'"categories"', b'"abstract"')
        if b'"_source_hash"' in first[1]:
            return None  # unarXive
        return "arXiv metadata, JSON" if all(key in first[1] for key in keys) else None
    if b"http://www.loc.gov/MARC21/slim" in head:
        return None  # CERN's records name arXiv's ids, too
    if _IN_RECORDS.search(head) or b"<arXiv" in head:
        return "arXiv metadata, OAI-PMH" if _ARXIV_MARK.search(head) else None
    if _IN_ENTRIES.search(head) and b"http://www.w3.org/2005/Atom" in head:
        return "arXiv API feed, Atom" if b"arxiv.org/" in head else None
    return None


FORMAT = Format("arxiv", "arXiv metadata (snapshot, OAI-PMH, API)", read_arxiv, detect)
