"""Zotero's own JSON, as its Web API and pyzotero give it; docs/formats/library.md has the map."""

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

SOURCE = "zotero"
NO_PAPERS = frozenset({"attachment", "note", "annotation"})
"""Items that belong to others."""
TITLES = ("title", "caseName", "nameOfAct", "subject")
"""Cases, statutes and e-mails have titles of other names."""
VENUES = (
    "publicationTitle", "proceedingsTitle", "bookTitle", "encyclopediaTitle", "dictionaryTitle",
    "blogTitle", "forumTitle", "websiteTitle", "conferenceName", "repository",
)  # fmt: skip
AUTHORS = frozenset(
    {"author", "artist", "cartographer", "composer", "director", "interviewee", "inventor"}
    | {"performer", "podcaster", "presenter", "programmer", "sponsor"}
)
"""The creators that each type of item has in the place of the author."""

_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[?\s*\{")


def read_zotero(path: Path, count: Count = lambda size: None) -> Results:
    """The papers of a file with the line on which each item begins, and what cannot be used."""
    return read_array(path, count, convert, known_fields("zotero"))


def convert(item: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield the paper of an item; attachments, notes and annotations give nothing."""
    omitted: list[str] = []
    data = tolerant_fields.part(item, "data", omitted)
    if tolerant_fields.text(data, "itemType", omitted) in NO_PAPERS:
        return
    key = tolerant_fields.text(data, "key", omitted) or tolerant_fields.text(item, "key", omitted)
    if not key:
        raise RecordError("key is missing")
    paper_id = f"{SOURCE}:{key}"
    written = next(
        (text for name in TITLES if (text := tolerant_fields.text(data, name, omitted))), ""
    )
    title = plain(written)
    if not title:
        raise RecordError("title is missing", paper_id)
    year, published = _date(item, data, omitted)
    abstract = tolerant_fields.text(data, "abstractNote", omitted)
    paper = Paper(
        id=paper_id,
        title=title,
        abstract=paragraphs(abstract or ""),
        year=year,
        published=published,
        language=language_code(tolerant_fields.text(data, "language", omitted)),
        url=tolerant_fields.text(data, "url", omitted),
        source=SOURCE,
        identifiers=bibliography.distinct(_identifiers(data, omitted)),
        authors=bibliography.authors(_names(data, omitted), SOURCE),
        venue=_venue(data, omitted),
        fields=bibliography.labels(
            tag
            for entry in tolerant_fields.objects(data, "tags", omitted)
            if (tag := tolerant_fields.text(entry, "tag", omitted))
        ),
    )
    yield from tolerant_fields.with_issues(paper, omitted)


def detect(name: str, head: bytes) -> str | None:
    """Objects whose data have an item type."""
    if not _START.match(head) or b'"itemType"' not in head or b'"data"' not in head:
        return None
    return "items of the Zotero Web API"


def _date(
    item: dict[str, Any], data: dict[str, Any], omitted: list[str]
) -> tuple[int | None, str | None]:
    """As Zotero has understood the date (`meta.parsedDate`), or else as it is written."""
    meta = tolerant_fields.part(item, "meta", omitted)
    written = tolerant_fields.text(data, "date", omitted) or ""
    parsed = tolerant_fields.text(meta, "parsedDate", omitted) or ""
    year, published = bibliography.date(parsed or written)
    if year is None and written:
        omitted.append(f"date {written:.100} has no year")
    return year, published


def _names(data: dict[str, Any], omitted: list[str]) -> Iterator[str]:
    for creator in tolerant_fields.objects(data, "creators", omitted):
        if tolerant_fields.text(creator, "creatorType", omitted) not in AUTHORS:
            continue
        parts = [
            tolerant_fields.text(creator, part, omitted) or "" for part in ("firstName", "lastName")
        ]
        whole = " ".join(parts).strip() or tolerant_fields.text(creator, "name", omitted)
        if not whole:
            omitted.append("an author without a name")
        yield whole or ""


def _venue(data: dict[str, Any], omitted: list[str]) -> Venue | None:
    written = next(
        (text for key in VENUES if (text := tolerant_fields.text(data, key, omitted))), ""
    )
    return bibliography.make_venue(SOURCE, plain(written))


def _identifiers(data: dict[str, Any], omitted: list[str]) -> Iterator[Identifier | None]:
    yield from bibliography.read_dois(tolerant_fields.text(data, "DOI", omitted), omitted)
    yield bibliography.from_arxiv_name(tolerant_fields.text(data, "archiveID", omitted) or "")
    yield bibliography.from_arxiv_name(tolerant_fields.text(data, "reportNumber", omitted) or "")
    yield bibliography.from_url(tolerant_fields.text(data, "url", omitted) or "")
    if tolerant_fields.text(data, "itemType", omitted) == "book":
        for isbn in re.split(r"[,;\s]+", tolerant_fields.text(data, "ISBN", omitted) or ""):
            yield identifiers.isbn(isbn)
    yield from bibliography.from_note(tolerant_fields.text(data, "extra", omitted) or "")


FORMAT = Format(SOURCE, "Zotero's JSON", read_zotero, detect)
