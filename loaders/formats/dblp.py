"""AMiner's citation network of dblp in all its layouts; docs/formats/dblp.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders.corpus_files import MAX_LINE_BYTES, read_head
from specter_graph.loaders.format_api import (
    Count,
    FieldCheck,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.formats.openalex import inverted_abstract
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import (
    JsonRecord,
    clean_name,
    describe_value,
    json_converter,
)
from specter_graph.loaders.parsing.json import Convert, read_array
from specter_graph.loaders.parsing.plain_text import read_text_lines
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue

SOURCE = "aminer"

_NUMBER_CALL = re.compile(
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|Number(?:Int|Long)\(\s*"?(-?\d+)"?\s*\)', re.DOTALL
)
_TAG = re.compile(r"#(index|arnetid|citation|conf|year|[*@tco%!])\s*(.*)")
_BEGINS = re.compile(r"#(?:\*|index)")
_TAG_KEYS = {"*": "title", "t": "year", "year": "year", "c": "venue", "conf": "venue",
         "index": "id", "!": "abstract"}  # fmt: skip
_TEXT_START = re.compile(rb"\s*(?:\d+\s*[\r\n]\s*)?#(?:\*|index\s*\w)")
_START = re.compile(rb"\s*\[?\s*\{")
_DBLP_KEYS = (b'"n_citation"', b'"fos"', b'"page_start"', b'"indexed_abstract"', b'"doc_type"')


def read_dblp(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the first line of its record, and RecordIssues."""
    if looks_like_text(read_head(path)[0]):
        return read_text(path, count, convert)
    return read_array(path, count, convert, known_fields("dblp"), _repair)


@json_converter
def convert(record: JsonRecord) -> Paper:
    """Return the paper of a record; raise RecordError without an id."""
    key = _id(record)
    if not key:
        raise RecordError("id is missing")
    index = record.part("indexed_abstract").part("InvertedIndex")
    return Paper(
        id=key,
        title=record.text("title") or "",
        abstract=record.text("abstract") or inverted_abstract(index),
        year=_year(record),
        language=language_code(record.text("lang")),
        url=next((url for url in _urls(record) if url.startswith("http")), None),
        source=SOURCE,
        identifiers=bibliography.distinct(_identifiers(record)),
        authors=bibliography.unique(
            _author(entry, record.omitted) for entry in _entries(record, "authors")
        ),
        venue=_venue(record),
        fields=(*_mag_fields(record), *bibliography.labels(record.texts("keywords"))),
        references=tuple(_references(record)),
    )


def _repair(text: str) -> str:
    """Replace MongoDB's NumberInt(7), which version 13 contains, by 7."""
    return _NUMBER_CALL.sub(lambda match: match[1] or match[2], text) if "Number" in text else text


def _id(record: JsonRecord) -> str | None:
    return _prefixed(record.get("id")) or _prefixed(record.get("_id"))


def _prefixed(value: object) -> str | None:
    """Return the id of a record, a string or a number, with the prefix of the source."""
    if type(value) is int or (type(value) is str and value.strip()):
        return f"{SOURCE}:{str(value).strip()}"
    return None


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


def _urls(record: JsonRecord) -> list[str]:
    value = record.get("url")
    return [u.strip() for u in (value if type(value) is list else [value]) if type(u) is str]


def _identifiers(record: JsonRecord) -> Iterator[Identifier | None]:
    yield from bibliography.read_dois(record.text("doi"), record.omitted)
    yield from map(bibliography.from_url, _urls(record))


def _author(entry: object, omitted: list[str]) -> Author | None:
    """Return an author, identified by AMiner's id or else by the name."""
    values = {"name": entry} if type(entry) is str else entry if type(entry) is dict else {}
    author = JsonRecord(values, omitted)
    institution = author.first_text("org", "org_zh")
    key = _prefixed(author.get("orgid"))
    affiliation = bibliography.make_affiliation(SOURCE, institution, omitted, key)
    name = author.first_text("name", "name_zh")
    affiliations = (affiliation,) if affiliation else ()
    return bibliography.make_author(
        SOURCE, name, omitted, key=_id(author), affiliations=affiliations
    )


def _entries(record: JsonRecord, key: str) -> list[Any]:
    entries = record.get(key)
    if entries is not None and type(entries) is not list:
        record.omitted.append(f"{key} must be a list")
    return entries if type(entries) is list else []


def _venue(record: JsonRecord) -> Venue | None:
    value = record.get("venue")
    venue = JsonRecord({"raw": value}) if type(value) is str else record.part("venue")
    name = venue.first_text("raw", "name_d", "name", "raw_zh")
    return bibliography.make_venue(SOURCE, name, _id(venue))


def _mag_fields(record: JsonRecord) -> Iterator[Field]:
    """Return the fields of study of Microsoft Academic Graph; some versions have weights."""
    entries = record.get("fos")
    names: dict[str, None] = {}
    for entry in entries if type(entries) is list else ():
        name = entry.get("name") if type(entry) is dict else entry
        if type(name) is str and (cleaned := clean_name(name)):
            names[cleaned] = None
        else:
            record.omitted.append("a field of study without a name")
    return (Field("mag", name, name) for name in names)


def _references(record: JsonRecord) -> Iterator[str]:
    for entry in _entries(record, "references"):
        known = _prefixed(entry)
        if known:
            yield known
        else:
            record.omitted.append("a reference without an id")


def looks_like_text(head: bytes) -> bool:
    """Return True if a file has the text layout: a title, perhaps after a number."""
    return _TEXT_START.match(head) is not None


def read_text(path: Path, count: Count, convert: Convert) -> Results:
    """Yield the results of each record of the text layout, with its first line.

    `convert` gets a record with the keys of the JSON layout. Its RecordError becomes a RecordIssue.
    """
    begin, lines, size, is_cut = 1, list[str](), 0, False
    fields = FieldCheck(())
    first_tags: set[str] = set()  # of the tags that may begin a record, those of this record
    for number, line in read_text_lines(path, count):
        if isinstance(line, RecordIssue):
            is_cut = not line.repaired
            yield number, line
            continue
        blank = not line or line.isspace()
        begins = _BEGINS.match(line)
        if lines and (blank or (begins and begins[0] in first_tags)):
            for result in _record(lines, size, convert, fields):
                yield begin, result
            lines, size, first_tags = [], 0, set()
        if not lines and line.strip().isdecimal():
            continue  # the number of records, at the beginning of the file
        if not blank:
            first_tags |= {begins[0]} if begins else set()
            begin = begin if lines else number
            size += len(line)
            if size <= MAX_LINE_BYTES:
                lines.append(line)
    if lines and is_cut:
        yield begin, RecordIssue("the record is cut off", record="\n".join(lines)[:10_000])
    elif lines:
        for result in _record(lines, size, convert, fields):
            yield begin, result


def _record(
    lines: list[str], size: int, convert: Convert, fields: FieldCheck
) -> Iterator[ParseResult]:
    text = "\n".join(lines)
    if size > MAX_LINE_BYTES:
        yield RecordIssue(
            f"the record is longer than {MAX_LINE_BYTES // 2**20} MiB", record=text[:10_000]
        )
        return
    record: dict[str, Any] = {"references": []}
    names: list[str] = []
    orgs: list[str] = []
    last = None
    for line in lines:
        tag = _TAG.match(line.lstrip())
        if not tag:
            if line.startswith("#"):
                yield from fields.unknown([line.split(maxsplit=1)[0][:20]])
            elif last:  # a value with a line end
                record[last] = f"{record[last]} {line.strip()}"
            continue
        name, value = tag[1], tag[2].strip()
        last = _TAG_KEYS.get(name)
        if last:
            record[last] = value
        elif name == "%":
            record["references"] += [value] if value else []
        elif name == "@":
            # Later versions separate names by semicolons, earlier ones by commas.
            names = value.split(";" if ";" in value else ",") if value else []
        elif name == "o":
            orgs = value.split(";")
    if len(orgs) != len(names):
        orgs = []
    record["authors"] = [
        {"name": name, "org": org}
        for name, org in zip(names, orgs or [""] * len(names), strict=True)
    ]
    try:
        yield from convert(record)
    except RecordError as error:
        yield RecordIssue(str(error), error.id, text)


def detect(name: str, head: bytes) -> str | None:
    """Detect AMiner's keys in JSON, or its tagged lines; INSPIRE has similar keys and "titles"."""
    if looks_like_text(head):
        return "AMiner citation network, text"
    if not _START.match(head) or b'"title"' not in head or b'"paperId"' in head:
        return None
    if b'"authors"' in head and b'"titles"' not in head and any(key in head for key in _DBLP_KEYS):
        return "AMiner citation network, JSON"
    return None


FORMAT = Format("dblp", "AMiner's citation network of dblp", read_dblp, detect)
