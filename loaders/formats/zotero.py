"""Zotero's own JSON, as its Web API and pyzotero give it; docs/formats/library.md has the map."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, Found, RecordError
from specter_graph.loaders.formats import bibliography
from specter_graph.loaders.parsing import tolerant_fields as lenient
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.inline_markup import paragraphs, plain
from specter_graph.loaders.parsing.json_array import read_array
from specter_graph.loaders.parsing.languages import language_code
from specter_graph.loaders.records import Identifier, Paper, Venue

SOURCE = "zotero"
KEYS = frozenset(
    {"key", "version", "library", "links", "meta", "data", "bib", "citation", "csljson"}
)
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


def read_zotero(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The papers of a file with the line on which each item begins, and what cannot be used."""
    return read_array(path, count, convert, KEYS)


def convert(item: dict[str, Any]) -> Iterator[Found]:
    """The paper of an item; attachments, notes and annotations give nothing."""
    wrong: list[str] = []
    data = lenient.part(item, "data", wrong)
    if lenient.text(data, "itemType", wrong) in NO_PAPERS:
        return
    key = lenient.text(data, "key", wrong) or lenient.text(item, "key", wrong)
    if not key:
        raise RecordError("key is missing")
    paper_id = f"{SOURCE}:{key}"
    written = next((text for name in TITLES if (text := lenient.text(data, name, wrong))), "")
    title = plain(written)
    if not title:
        raise RecordError("title is missing", paper_id)
    year, published = _date(item, data, wrong)
    abstract = lenient.text(data, "abstractNote", wrong)
    language = lenient.text(data, "language", wrong)
    paper = Paper(
        id=paper_id,
        title=title,
        abstract=paragraphs(abstract or ""),
        year=year,
        published=published,
        language=language_code(language) if language else None,
        url=lenient.text(data, "url", wrong),
        source=SOURCE,
        identifiers=bibliography.distinct(_identifiers(data, wrong)),
        authors=bibliography.authors(_names(data, wrong), SOURCE),
        venue=_venue(data, wrong),
        fields=bibliography.labels(
            tag
            for entry in lenient.objects(data, "tags", wrong)
            if (tag := lenient.text(entry, "tag", wrong))
        ),
    )
    yield from lenient.problems(wrong, paper_id)
    yield paper


def recognise(name: str, head: bytes) -> str | None:
    """Objects whose data have an item type."""
    if not _START.match(head) or b'"itemType"' not in head or b'"data"' not in head:
        return None
    return "items of the Zotero Web API"


def _date(
    item: dict[str, Any], data: dict[str, Any], wrong: list[str]
) -> tuple[int | None, str | None]:
    """As Zotero has understood the date (`meta.parsedDate`), or else as it is written."""
    meta = lenient.part(item, "meta", wrong)
    written = lenient.text(data, "date", wrong) or ""
    parsed = lenient.text(meta, "parsedDate", wrong) or ""
    year, published = bibliography.date(parsed or written)
    if year is None and written:
        wrong.append(f"date {written:.100} has no year")
    return year, published


def _names(data: dict[str, Any], wrong: list[str]) -> Iterator[str]:
    for creator in lenient.objects(data, "creators", wrong):
        if lenient.text(creator, "creatorType", wrong) not in AUTHORS:
            continue
        parts = [lenient.text(creator, part, wrong) or "" for part in ("firstName", "lastName")]
        whole = " ".join(parts).strip() or lenient.text(creator, "name", wrong)
        if not whole:
            wrong.append("an author without a name")
        yield whole or ""


def _venue(data: dict[str, Any], wrong: list[str]) -> Venue | None:
    written = next((text for key in VENUES if (text := lenient.text(data, key, wrong))), "")
    name = clean_name(plain(written))
    return Venue(f"{SOURCE}:{name}", name) if name else None


def _identifiers(data: dict[str, Any], wrong: list[str]) -> Iterator[Identifier | None]:
    if doi := lenient.text(data, "DOI", wrong):
        known = identifiers.doi(doi)
        if not known:
            wrong.append(f"DOI {doi:.100} is no DOI")
        yield known
    yield bibliography.from_arxiv_name(lenient.text(data, "archiveID", wrong) or "")
    yield bibliography.from_arxiv_name(lenient.text(data, "reportNumber", wrong) or "")
    yield bibliography.from_url(lenient.text(data, "url", wrong) or "")
    if lenient.text(data, "itemType", wrong) == "book":
        for isbn in re.split(r"[,;\s]+", lenient.text(data, "ISBN", wrong) or ""):
            yield identifiers.isbn(isbn)
    yield from bibliography.from_note(lenient.text(data, "extra", wrong) or "")


FORMAT = Format(SOURCE, "Zotero's JSON", read_zotero, recognise)
