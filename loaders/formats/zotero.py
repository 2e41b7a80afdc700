"""Zotero's JSON, from its Web API or pyzotero; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing import tolerant_fields
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.parsing.plain_text import paragraphs, plain
from specter_graph.loaders.records import Identifier, Paper, Venue

SOURCE = "zotero"
NOT_PAPERS = frozenset({"attachment", "note", "annotation"})
"""Types of items that belong to other items."""
TITLES = ("title", "caseName", "nameOfAct", "subject")
"""The keys of titles: cases, statutes and e-mails have other ones."""
VENUES = (
    "publicationTitle", "proceedingsTitle", "bookTitle", "encyclopediaTitle", "dictionaryTitle",
    "blogTitle", "forumTitle", "websiteTitle", "conferenceName", "repository",
)  # fmt: skip
_AUTHORS = """
author artist cartographer composer director interviewee inventor performer podcaster presenter
programmer sponsor
"""
AUTHORS = frozenset(_AUTHORS.split())
"""The types of creators that count as authors; each type of item has one."""

_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[?\s*\{")


def read_zotero(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its item begins, and RecordIssues."""
    return read_array(path, count, convert, known_fields("zotero"))


def convert(item: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield the paper of an item; nothing for attachments, notes and annotations."""
    omitted: list[str] = []
    data = tolerant_fields.part(item, "data", omitted)
    if tolerant_fields.text(data, "itemType", omitted) in NOT_PAPERS:
        return
    key = tolerant_fields.text(data, "key", omitted) or tolerant_fields.text(item, "key", omitted)
    if not key:
        raise RecordError("key is missing")
    paper_id = f"{SOURCE}:{key}"
    title = plain(tolerant_fields.first_text(data, TITLES, omitted))
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
    """Detect objects whose data have an item type."""
    if not _START.match(head) or b'"itemType"' not in head or b'"data"' not in head:
        return None
    return "items of the Zotero Web API"


def _date(
    item: dict[str, Any], data: dict[str, Any], omitted: list[str]
) -> tuple[int | None, str | None]:
    """Return year and date from `meta.parsedDate`, or else from the date as written."""
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
        parts = (tolerant_fields.text(creator, part, omitted) for part in ("firstName", "lastName"))
        name = " ".join(filter(None, parts)) or tolerant_fields.text(creator, "name", omitted)
        if not name:
            omitted.append("an author without a name")
        yield name or ""


def _venue(data: dict[str, Any], omitted: list[str]) -> Venue | None:
    name = tolerant_fields.first_text(data, VENUES, omitted)
    return bibliography.make_venue(SOURCE, plain(name))


def _identifiers(data: dict[str, Any], omitted: list[str]) -> Iterator[Identifier | None]:
    def get(key: str) -> str:
        return tolerant_fields.text(data, key, omitted) or ""

    yield from bibliography.read_dois(get("DOI"), omitted)
    yield bibliography.from_arxiv_name(get("archiveID"))
    yield bibliography.from_arxiv_name(get("reportNumber"))
    yield bibliography.from_url(get("url"))
    if get("itemType") == "book":
        yield from bibliography.isbns(get("ISBN"))
    yield from bibliography.from_note(get("extra"))


FORMAT = Format(SOURCE, "Zotero's JSON", read_zotero, detect)
