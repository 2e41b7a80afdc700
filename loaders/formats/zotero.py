"""Zotero's JSON, from its Web API or pyzotero; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.parsing.field_values import Json, JsonRecord, full_name, json_converter
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.records import Identifier, Paper

SOURCE = "zotero"
NOT_PAPERS = frozenset({"attachment", "note", "annotation"})
"""Types of items that belong to other items."""
_START = re.compile(rb"\s*+\[?\s*+\{")


def read_zotero(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its item begins, and RecordIssues."""
    return read_array(path, count, convert, known_fields("zotero"))


def convert(item: Json) -> Iterable[ParseResult]:
    """Return the paper of an item; nothing for attachments, notes and annotations."""
    kind = JsonRecord(item).part("data").text("itemType")
    return () if kind in NOT_PAPERS else _convert_paper(item)


@json_converter
def _convert_paper(item: JsonRecord) -> Paper:
    data = item.part("data")
    key = data.text("key") or item.text("key")
    if not key:
        raise RecordError("key is missing")
    return bibliography.make_paper(
        SOURCE,
        data.first_text,
        item.omitted,
        paper_id=f"{SOURCE}:{key}",
        date=_read_date(item, data),
        ids=_read_identifiers(data),
        authors=bibliography.authors(_read_names(data), SOURCE, item.omitted),
        fields=bibliography.labels(data.inner_texts("tags", "tag")),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect objects whose data have an item type."""
    if not _START.match(head) or b'"itemType"' not in head or b'"data"' not in head:
        return None
    return "items of the Zotero Web API"


def _read_date(item: JsonRecord, data: JsonRecord) -> tuple[int | None, str | None]:
    """Return year and date from `meta.parsedDate`, or else from the date as written."""
    written = data.text("date") or ""
    year, published = bibliography.date(item.part("meta").text("parsedDate") or written)
    if year is None and written:
        item.omitted.append(f"date {written:.100} has no year")
    return year, published


def _read_names(data: JsonRecord) -> Iterator[str]:
    for creator in data.objects("creators"):
        if creator.text("creatorType") not in known_fields("zotero-authors"):
            continue
        name = full_name(creator.text("firstName"), creator.text("lastName"))
        yield name or creator.first_text("name")


def _read_identifiers(data: JsonRecord) -> Iterator[Identifier | None]:
    yield bibliography.from_arxiv_name(data.first_text("archiveID"))
    yield bibliography.from_arxiv_name(data.first_text("reportNumber"))
    yield bibliography.from_url(data.first_text("url"))
    if data.text("itemType") == "book":
        yield from bibliography.isbns(data.first_text("ISBN"))
    yield from bibliography.from_notes([data.first_text("extra")])


FORMAT = Format(SOURCE, "Zotero's JSON", read_zotero, detect)
