"""AMiner's citation network of dblp in all its layouts; docs/formats/dblp.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.formats.openalex import inverted_abstract
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import (
    JsonRecord,
    describe_value,
    json_converter,
)
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.parsing.tagged_lines import Record, TagLayout, read_tagged
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue

SOURCE = "aminer"

_NUMBER_CALL = re.compile(
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|Number(?:Int|Long)\(\s*"?(-?\d+)"?\s*\)', re.DOTALL
)
_TAG = re.compile(
    r"\s*(?P<tag>#(?:index|arnetid|citation|conf|year|[*@tco%!])|(?<!\s)#\S{0,19})\s*(?P<value>.*)"
)
_LAYOUT = TagLayout(_TAG, "#*", key="#index", needs_start=False, other_start="#index")
_TAGS_OF_KEYS = {
    "id": ("#index",), "title": ("#*",), "abstract": ("#!",), "year": ("#t", "#year"),
    "venue": ("#c", "#conf"),
}  # fmt: skip
_TEXT_START = re.compile(rb"\s*+(?:\d++[^\S\r\n]*+[\r\n]\s*+)?#(?:\*|index\s*\w)")
_START = re.compile(rb"\s*+\[?\s*+\{")
_DBLP_KEYS = (b'"n_citation"', b'"fos"', b'"page_start"', b'"indexed_abstract"', b'"doc_type"')


def read_dblp(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the first line of its record, and RecordIssues."""
    if _TEXT_START.match(read_head(path)[0]):
        return read_tagged(path, count, _LAYOUT, _convert_tagged, known_fields("dblp-text"))
    return read_array(path, count, convert, known_fields("dblp"), _repair)


@json_converter
def convert(record: JsonRecord) -> Paper:
    """Return the paper of a record; raise RecordError without an id."""
    key = _read_id(record)
    if not key:
        raise RecordError("id is missing")
    index = record.part("indexed_abstract").part("InvertedIndex")
    return Paper(
        id=key,
        title=record.text("title") or "",
        abstract=record.text("abstract") or inverted_abstract(index),
        year=_year(record),
        language=language_code(record.text("lang")),
        url=next((url for url in _read_urls(record) if url.startswith("http")), None),
        source=SOURCE,
        identifiers=bibliography.distinct(_read_identifiers(record)),
        authors=bibliography.unique(
            _read_author(entry, record.omitted) for entry in _read_list(record, "authors")
        ),
        venue=_read_venue(record),
        fields=(*_read_mag_fields(record), *bibliography.labels(record.texts("keywords"))),
        references=tuple(_read_references(record)),
    )


def _repair(text: str) -> str:
    """Replace MongoDB's NumberInt(7), which version 13 contains, by 7."""
    return _NUMBER_CALL.sub(lambda match: match[1] or match[2], text) if "Number" in text else text


def _read_id(record: JsonRecord, *keys: str) -> str | None:
    """Return the id of a record, a string or a number, with the prefix of the source."""
    written = next(filter(None, map(record.text_or_number, keys or ("id", "_id"))), None)
    return f"{SOURCE}:{written}" if written else None


def _year(record: JsonRecord) -> int | None:
    """Return a year; 0 and negative numbers mean that it is unknown."""
    value = record.get("year")
    if type(value) is int:
        return value if value > 0 else None
    if value is None or value == "":
        return None
    year, _ = bibliography.date(value) if type(value) is str else (None, None)
    if year is None and value != "-1":
        record.omitted.append(f"year {describe_value(value):.40} is not a year")
    return year


def _read_urls(record: JsonRecord) -> list[str]:
    value = record.get("url")
    return [u.strip() for u in (value if type(value) is list else [value]) if type(u) is str]


def _read_identifiers(record: JsonRecord) -> Iterator[Identifier | None]:
    yield from bibliography.read_dois(record.text("doi"), record.omitted)
    yield from map(bibliography.from_url, _read_urls(record))


def _read_author(entry: object, omitted: list[str]) -> Author | None:
    """Return an author, identified by AMiner's id or else by the name."""
    values = {"name": entry} if type(entry) is str else entry if type(entry) is dict else {}
    author = JsonRecord(values, omitted)
    institution = author.first_text("org", "org_zh")
    key = _read_id(author, "orgid")
    place = bibliography.make_affiliation(SOURCE, institution, omitted, key)
    name = author.first_text("name", "name_zh")
    return bibliography.make_author(
        SOURCE, name, omitted, key=_read_id(author), affiliations=[place]
    )


def _read_list(record: JsonRecord, key: str) -> list[Any]:
    entries = record.get(key)
    if entries is not None and type(entries) is not list:
        record.omitted.append(f"{key} must be a list")
    return entries if type(entries) is list else []


def _read_venue(record: JsonRecord) -> Venue | None:
    value = record.get("venue")
    venue = JsonRecord({"raw": value}) if type(value) is str else record.part("venue")
    name = venue.first_text("raw", "name_d", "name", "raw_zh")
    return bibliography.make_venue(SOURCE, name, _read_id(venue))


def _read_mag_fields(record: JsonRecord) -> tuple[Field, ...]:
    """Return the fields of study of Microsoft Academic Graph; some versions have weights."""
    entries = record.get("fos")
    names = []
    for entry in entries if type(entries) is list else ():
        name = entry.get("name") if type(entry) is dict else entry
        if type(name) is str and name.strip():
            names.append(name)
        else:
            record.omitted.append("a field of study without a name")
    return bibliography.labels(names, "mag")


def _read_references(record: JsonRecord) -> Iterator[str]:
    for entry in _read_list(record, "references"):
        known = _read_id(JsonRecord({"id": entry}))
        if known:
            yield known
        else:
            record.omitted.append("a reference without an id")


def _convert_tagged(record: Record) -> Iterator[ParseResult]:
    """Return the results of a record of the text layout, which has the keys of the JSON layout."""
    written = record.first("#@")
    # Later versions separate names by semicolons, earlier ones by commas.
    names = written.split(";" if ";" in written else ",") if written else []
    orgs = record.first("#o").split(";")
    if len(orgs) != len(names):
        orgs = [""] * len(names)
    values: dict[str, Any] = {key: record.first(*tags) for key, tags in _TAGS_OF_KEYS.items()}
    values["authors"] = [{"name": name, "org": org} for name, org in zip(names, orgs, strict=True)]
    return convert(values | {"references": record.all("#%")})


def detect(name: str, head: bytes) -> str | None:
    """Detect AMiner's keys in JSON, or its tagged lines; INSPIRE has similar keys and "titles"."""
    if _TEXT_START.match(head):
        return "AMiner citation network, text"
    if not _START.match(head) or b'"title"' not in head or b'"paperId"' in head:
        return None
    if b'"authors"' in head and b'"titles"' not in head and any(key in head for key in _DBLP_KEYS):
        return "AMiner citation network, JSON"
    return None


FORMAT = Format("dblp", "AMiner's citation network of dblp", read_dblp, detect)
