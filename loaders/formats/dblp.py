"""AMiner's citation network of dblp, in all its layouts; docs/formats/dblp.md has the field map."""

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
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing import tolerant_fields
from specter_graph.loaders.parsing.field_values import clean_name, describe_value
from specter_graph.loaders.parsing.json import Convert, read_array
from specter_graph.loaders.parsing.plain_text import read_text_lines
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue

SOURCE = "aminer"

_SHELL = re.compile(
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|Number(?:Int|Long)\(\s*"?(-?\d+)"?\s*\)', re.DOTALL
)
_TAG = re.compile(r"#(index|arnetid|citation|conf|year|[*@tco%!])\s*(.*)")
_BEGINS = re.compile(r"#(?:\*|index)")
_TAG_KEYS = {"*": "title", "t": "year", "year": "year", "c": "venue", "conf": "venue",
         "index": "id", "!": "abstract"}  # fmt: skip
_TEXT_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\d+\s*[\r\n]\s*)?#(?:\*|index\s*\w)")
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[?\s*\{")
_MARKS = (b'"n_citation"', b'"fos"', b'"page_start"', b'"indexed_abstract"', b'"doc_type"')


def read_dblp(path: Path, count: Count = lambda size: None) -> Results:
    """The papers of a file with the first line of each record, and what in it cannot be used."""
    if looks_like_text(read_head(path)[0]):
        return read_text(path, count, convert)
    return read_array(path, count, convert, known_fields("dblp"), _repair)


def convert(record: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield the paper of a record; raises RecordError without an id or a title."""
    omitted: list[str] = []
    key = _id(record)
    if not key:
        raise RecordError("id is missing")
    title = tolerant_fields.text(record, "title", omitted)
    if not title:
        raise RecordError("title is missing", key)
    paper = Paper(
        id=key,
        title=title,
        abstract=tolerant_fields.text(record, "abstract", omitted) or _indexed(record, omitted),
        year=_year(record, omitted),
        language=language_code(tolerant_fields.text(record, "lang", omitted)),
        url=_url(record),
        source=SOURCE,
        identifiers=bibliography.distinct(_identifiers(record, omitted)),
        authors=bibliography.unique(
            _author(entry, omitted) for entry in _entries(record, "authors", omitted)
        ),
        venue=_venue(record, omitted),
        fields=(*_mag_fields(record, omitted), *_keywords(record, omitted)),
        references=tuple(_references(record, omitted)),
    )
    yield from tolerant_fields.with_issues(paper, omitted)


def _repair(text: str) -> str:
    """Turn MongoDB's NumberInt(7), which version 13 has, into 7."""
    return _SHELL.sub(lambda match: match[1] or match[2], text) if "Number" in text else text


def _id(record: dict[str, Any]) -> str | None:
    for key in ("id", "_id"):
        if (known := _known(record.get(key))) is not None:
            return known
    return None


def _known(value: object) -> str | None:
    """Return an id, a text or a number."""
    if type(value) is int or (type(value) is str and value.strip()):
        return f"{SOURCE}:{str(value).strip()}"
    return None


def _year(record: dict[str, Any], omitted: list[str]) -> int | None:
    """Return a year; 0 and less stand for none."""
    value = record.get("year")
    if type(value) is int:
        return value if value > 0 else None
    if value is None or value == "":
        return None
    year, _ = bibliography.date(value) if type(value) is str else (None, None)
    if year is None and value != "-1":
        omitted.append(f"year {describe_value(value):.40} is not a year")
    return year


def _indexed(record: dict[str, Any], omitted: list[str]) -> str | None:
    """Return the abstract out of the positions of its words."""
    index = tolerant_fields.part(
        tolerant_fields.part(record, "indexed_abstract", omitted), "InvertedIndex", omitted
    )
    words = [
        (position, word)
        for word, positions in index.items()
        if type(positions) is list
        for position in positions
        if type(position) is int
    ]
    words.sort()
    return " ".join([word for _, word in words]).strip() or None


def _url(record: dict[str, Any]) -> str | None:
    value = record.get("url")
    urls = value if type(value) is list else [value]
    return next((u.strip() for u in urls if type(u) is str and u.strip().startswith("http")), None)


def _identifiers(record: dict[str, Any], omitted: list[str]) -> Iterator[Identifier | None]:
    yield from bibliography.read_dois(tolerant_fields.text(record, "doi", omitted), omitted)
    urls = record.get("url")
    for url in urls if type(urls) is list else [urls]:
        if type(url) is str:
            yield bibliography.from_url(url)


def _author(entry: object, omitted: list[str]) -> Author | None:
    """Return an author: known by AMiner's id, or else by the name alone."""
    author = {"name": entry} if type(entry) is str else entry if type(entry) is dict else {}
    place = _first_text(author, ("org", "org_zh"), omitted)
    at = bibliography.make_affiliation(SOURCE, place, omitted, _known(author.get("orgid")))
    name, key = _first_text(author, ("name", "name_zh"), omitted), _id(author)
    places = (at,) if at else ()
    return bibliography.make_author(SOURCE, name, omitted, key=key, affiliations=places)


def _first_text(record: dict[str, Any], keys: tuple[str, ...], omitted: list[str]) -> str:
    return next(filter(None, (tolerant_fields.text(record, key, omitted) for key in keys)), "")


def _entries(record: dict[str, Any], key: str, omitted: list[str]) -> list[Any]:
    entries = record.get(key)
    if entries is not None and type(entries) is not list:
        omitted.append(f"{key} must be a list")
    return entries if type(entries) is list else []


def _venue(record: dict[str, Any], omitted: list[str]) -> Venue | None:
    value = record.get("venue")
    venue = {"raw": value} if type(value) is str else tolerant_fields.part(record, "venue", omitted)
    name = _first_text(venue, ("raw", "name_d", "name", "raw_zh"), omitted)
    return bibliography.make_venue(SOURCE, name, _id(venue))


def _mag_fields(record: dict[str, Any], omitted: list[str]) -> Iterator[Field]:
    """The fields of study of Microsoft Academic Graph: names, with weights in some versions."""
    entries = record.get("fos")
    names = dict[str, None]()
    for entry in entries if type(entries) is list else ():
        name = entry.get("name") if type(entry) is dict else entry
        if type(name) is str and (cleaned := clean_name(name)):
            names[cleaned] = None
        else:
            omitted.append("a field of study without a name")
    return (Field("mag", name, name) for name in names)


def _keywords(record: dict[str, Any], omitted: list[str]) -> tuple[Field, ...]:
    return bibliography.labels(tolerant_fields.texts(record, "keywords", omitted))


def _references(record: dict[str, Any], omitted: list[str]) -> Iterator[str]:
    for entry in _entries(record, "references", omitted):
        known = _known(entry)
        if known:
            yield known
        else:
            omitted.append("a reference without an id")


def looks_like_text(head: bytes) -> bool:
    """Return whether a file begins as this layout does: perhaps a number, then a title."""
    return _TEXT_START.match(head) is not None


def read_text(path: Path, count: Count, convert: Convert) -> Results:
    """What `convert` makes of each record, with its first line.

    `convert` gets what the JSON layout would hold. It may raise RecordError.
    """
    begin, lines, size, cut = 1, list[str](), 0, False
    fields = FieldCheck(())
    begun: set[str] = set()  # which of the tags that may begin a record this one has
    for number, line in read_text_lines(path, count):
        if isinstance(line, RecordIssue):
            cut = not line.repaired
            yield number, line
            continue
        blank = not line or line.isspace()
        begins = _BEGINS.match(line)
        if lines and (blank or (begins and begins[0] in begun)):
            for result in _record(lines, size, convert, fields):
                yield begin, result
            lines, size, begun = [], 0, set()
        if not lines and line.strip().isdecimal():
            continue  # the number of records, at the beginning of the file
        if not blank:
            begun |= {begins[0]} if begins else set()
            begin = begin if lines else number
            size += len(line)
            if size <= MAX_LINE_BYTES:
                lines.append(line)
    if lines and cut:
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
            elif last:  # a text with a line end in it
                record[last] = f"{record[last]} {line.strip()}"
            continue
        name, value = tag[1], tag[2].strip()
        last = _TAG_KEYS.get(name)
        if last:
            record[last] = value
        elif name == "%":
            record["references"] += [value] if value else []
        elif name == "@":
            names = _split(value)
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


def _split(value: str) -> list[str]:
    """Names are separated by semicolons in the later versions, by commas in the earlier."""
    return value.split(";" if ";" in value else ",") if value.strip() else []


def detect(name: str, head: bytes) -> str | None:
    """AMiner's own keys in JSON, or its tagged lines."""
    if looks_like_text(head):
        return "AMiner citation network, text"
    if not _START.match(head) or b'"title"' not in head or b'"paperId"' in head:
        return None
    if b'"authors"' in head and any(mark in head for mark in _MARKS):
        return "AMiner citation network, JSON"
    return None


FORMAT = Format("dblp", "AMiner's citation network of dblp", read_dblp, detect)
