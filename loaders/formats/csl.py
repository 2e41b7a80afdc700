"""CSL-JSON: an array of items; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing import tolerant_fields
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.parsing.plain_text import paragraphs, plain
from specter_graph.loaders.records import Identifier, Paper, Venue

SOURCE = "csl"
BOOKS = frozenset({"book", "periodical", "collection"})
_TYPES = """
article article-journal article-magazine article-newspaper bill book broadcast chapter classic
collection dataset document entry entry-dictionary entry-encyclopedia event figure graphic
hearing interview legal_case legislation manuscript map motion_picture musical_score pamphlet
paper-conference patent performance periodical personal_communication post post-weblog
regulation report review review-book software song speech standard thesis treaty webpage
"""
TYPES = frozenset(_TYPES.split())
_PARTS_OF_NAMES = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
_BEGINNING = re.compile(rb'\s*(?:\{\s*"items"\s*:\s*)?\[\s*\{')
_OTHER_FORMATS = (b'"itemType"', b'"is-referenced-by-count"')
_TYPE = re.compile(rb'"type"\s*:\s*"([a-z_-]+)"')


def read_csl(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its item begins, and RecordIssues."""
    return read_array(path, count, convert, known_fields("csl"))


def convert(item: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield the paper of an item; raise RecordError without an id or a title."""
    omitted: list[str] = []
    paper_id = _id(item)
    title = plain(tolerant_fields.text(item, "title", omitted) or "")
    if not title:
        raise RecordError("title is missing", paper_id)
    year, published = _issued(item, omitted)
    abstract = tolerant_fields.text(item, "abstract", omitted)
    keyword = tolerant_fields.text(item, "keyword", omitted)
    paper = Paper(
        id=paper_id,
        title=title,
        abstract=paragraphs(abstract or ""),
        year=year,
        published=published,
        language=language_code(tolerant_fields.text(item, "language", omitted)),
        url=tolerant_fields.text(item, "URL", omitted),
        source=SOURCE,
        identifiers=bibliography.distinct(_identifiers(item, omitted)),
        authors=bibliography.authors(_names(item, omitted), SOURCE),
        venue=_venue(item, omitted),
        fields=bibliography.keywords(
            [*([keyword] if keyword else []), *tolerant_fields.texts(item, "categories", omitted)]
        ),
    )
    yield from tolerant_fields.with_issues(paper, omitted)


def detect(name: str, head: bytes) -> str | None:
    """Detect an array of objects with a type of CSL near its beginning."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    if not _BEGINNING.match(head) or b'"id"' not in head or any(k in head for k in _OTHER_FORMATS):
        return None
    kind = _TYPE.search(head)
    if not kind or kind[1].decode() not in TYPES:
        return None
    return f"CSL-JSON, {kind[1].decode()}"


def _id(item: dict[str, Any]) -> str:
    value = item.get("id")
    if type(value) is int or (type(value) is str and value.strip()):
        return str(value).strip()
    doi = item.get("DOI")
    if type(doi) is str and (known := identifiers.doi(doi)):
        return f"doi:{known.value}"
    raise RecordError("id is missing")


def _issued(item: dict[str, Any], omitted: list[str]) -> tuple[int | None, str | None]:
    """Return year and date from the three notations of CSL: parts, text and EDTF."""
    issued = item.get("issued")
    if type(issued) is str:
        issued = {"raw": issued}
    if type(issued) is not dict:
        if issued is not None:
            omitted.append("issued is not a date")
        return None, None
    parts = issued.get("date-parts")
    if type(parts) is list and parts and type(parts[0]) is list:
        texts = [str(part) for part in parts[0][:3] if type(part) in (int, str)]
        written = "-".join(texts)
    else:
        written = next(
            (issued[k] for k in ("edtf", "raw", "literal") if type(issued.get(k)) is str), ""
        )
    year, published = bibliography.date(written)
    if year is None and issued:
        omitted.append(f"issued {written:.100} is not a date".replace("  ", " "))
    return year, published


def _names(item: dict[str, Any], omitted: list[str]) -> Iterator[str]:
    for name in tolerant_fields.objects(item, "author", omitted):
        parts = [tolerant_fields.text(name, part, omitted) or "" for part in _PARTS_OF_NAMES]
        literal = tolerant_fields.text(name, "literal", omitted) or ""
        if not (name_text := " ".join(parts).strip() or literal):
            omitted.append("an author without a name")
        yield name_text


def _venue(item: dict[str, Any], omitted: list[str]) -> Venue | None:
    names = ("container-title", "event-title", "event")
    return bibliography.make_venue(SOURCE, plain(tolerant_fields.first_text(item, names, omitted)))


def _identifiers(item: dict[str, Any], omitted: list[str]) -> Iterator[Identifier | None]:
    yield from bibliography.read_dois(tolerant_fields.text(item, "DOI", omitted), omitted)
    yield identifiers.pubmed(_number_or_text(item, "PMID"))
    yield identifiers.pmc(_number_or_text(item, "PMCID"))
    yield bibliography.from_arxiv_name(_number_or_text(item, "number"))
    yield bibliography.from_url(tolerant_fields.text(item, "URL", omitted) or "")
    if tolerant_fields.text(item, "type", omitted) in BOOKS:
        yield from bibliography.isbns(_number_or_text(item, "ISBN"))
    yield from bibliography.from_note(tolerant_fields.text(item, "note", omitted) or "")


def _number_or_text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return str(value).strip() if type(value) in (int, str) else ""


FORMAT = Format(SOURCE, "CSL-JSON", read_csl, detect)
