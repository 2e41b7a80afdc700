"""AMiner's citation network of dblp, in all its layouts; docs/formats/dblp.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.files import DamagedFileError, read_contents
from specter_graph.loaders.format_api import Count, Format, Found, RecordError
from specter_graph.loaders.formats import bibliography
from specter_graph.loaders.formats.aminer_text import looks_like_text, read_text
from specter_graph.loaders.parsing import tolerant_fields as lenient
from specter_graph.loaders.parsing.field_values import LONGEST_NAME, brief, clean_name
from specter_graph.loaders.parsing.json_array import read_array
from specter_graph.loaders.parsing.json_lines import parse_object
from specter_graph.loaders.parsing.languages import language_code
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue

SOURCE = "aminer"
KEYS = frozenset(
    {"_id", "id", "title", "abstract", "indexed_abstract", "authors", "year", "venue", "keywords"}
    | {"fos", "references", "doi", "url", "lang"}
    # dropped
    | {"alias_ids", "doc_type", "isbn", "issn", "issue", "n_citation", "page_end", "page_start"}
    | {"pdf", "publisher", "volume"}
)

_SHELL = re.compile(
    rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")|Number(?:Int|Long)\(\s*"?(-?\d+)"?\s*\)', re.DOTALL
)
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[?\s*\{")
_MARKS = (b'"n_citation"', b'"fos"', b'"page_start"', b'"indexed_abstract"', b'"doc_type"')


def read_dblp(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The papers of a file with the first line of each record, and what in it cannot be used."""
    try:
        text = looks_like_text(next(read_contents(path, lambda size: None), b""))
    except (DamagedFileError, OSError):
        text = False
    if text:
        return read_text(path, count, convert)
    return read_array(path, count, convert, KEYS, _parse)


def convert(record: dict[str, Any]) -> Iterator[Found]:
    """The paper of a record; raises RecordError without an id or a title."""
    wrong: list[str] = []
    key = _id(record)
    if not key:
        raise RecordError("id is missing")
    title = lenient.text(record, "title", wrong)
    if not title:
        raise RecordError("title is missing", key)
    language = lenient.text(record, "lang", wrong)
    paper = Paper(
        id=key,
        title=title,
        abstract=lenient.text(record, "abstract", wrong) or _indexed(record, wrong),
        year=_year(record, wrong),
        language=language_code(language) if language else None,
        url=_url(record),
        source=SOURCE,
        identifiers=bibliography.distinct(_identifiers(record, wrong)),
        authors=tuple(_authors(record, wrong)),
        venue=_venue(record, wrong),
        fields=(*_mag_fields(record, wrong), *_keywords(record, wrong)),
        references=tuple(_references(record, wrong)),
    )
    yield from lenient.problems(wrong, key)
    yield paper


def recognise(name: str, head: bytes) -> str | None:
    """AMiner's own keys in JSON, or its tagged lines."""
    if looks_like_text(head):
        return "AMiner citation network, text"
    if not _START.match(head) or b'"title"' not in head or b'"paperId"' in head:
        return None
    if b'"authors"' in head and any(mark in head for mark in _MARKS):
        return "AMiner citation network, JSON"
    return None


def _parse(piece: bytes) -> dict[str, Any]:
    """An object; MongoDB's NumberInt(7), which version 13 has, is 7."""
    if b"Number" in piece:
        piece = _SHELL.sub(lambda found: found[1] or found[2], piece)
    return parse_object(piece)


def _id(record: dict[str, Any]) -> str | None:
    for key in ("id", "_id"):
        if (known := _known(record.get(key))) is not None:
            return known
    return None


def _known(value: object) -> str | None:
    """An id, a text or a number."""
    if type(value) is int or (type(value) is str and value.strip()):
        return f"{SOURCE}:{str(value).strip()}"
    return None


def _year(record: dict[str, Any], wrong: list[str]) -> int | None:
    """A year; 0 and less stand for none."""
    value = record.get("year")
    if type(value) is int:
        return value if value > 0 else None
    if value is None or value == "":
        return None
    year, _ = bibliography.date(value) if type(value) is str else (None, None)
    if year is None and value != "-1":
        wrong.append(f"year {brief(value):.40} is no year")
    return year


def _indexed(record: dict[str, Any], wrong: list[str]) -> str | None:
    """The abstract out of the positions of its words."""
    index = lenient.part(lenient.part(record, "indexed_abstract", wrong), "InvertedIndex", wrong)
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


def _identifiers(record: dict[str, Any], wrong: list[str]) -> Iterator[Identifier | None]:
    if doi := lenient.text(record, "doi", wrong):
        known = identifiers.doi(doi)
        if not known:
            wrong.append(f"doi {doi:.100} is no DOI")
        yield known
    urls = record.get("url")
    for url in urls if type(urls) is list else [urls]:
        if type(url) is str:
            yield bibliography.from_url(url)


def _authors(record: dict[str, Any], wrong: list[str]) -> Iterator[Author]:
    """Authors, each once: known by AMiner's id, or else by the name alone."""
    entries = record.get("authors")
    seen: set[str] = set()
    for entry in entries if type(entries) is list else ():
        author = {"name": entry} if type(entry) is str else entry if type(entry) is dict else {}
        names = (lenient.text(author, key, wrong) for key in ("name", "name_zh"))
        name = clean_name(next((text for text in names if text), ""))
        if not name:
            wrong.append("an author without a name")
            continue
        known = _id(author)
        key = known or f"{SOURCE}:{name}"
        if key not in seen:
            seen.add(key)
            yield Author(key, name, known is not None, None, tuple(_affiliations(author, wrong)))
    if entries is not None and type(entries) is not list:
        wrong.append("authors are no list")


def _affiliations(author: dict[str, Any], wrong: list[str]) -> Iterator[Affiliation]:
    name = clean_name(
        lenient.text(author, "org", wrong) or lenient.text(author, "org_zh", wrong) or ""
    )
    if len(name) > LONGEST_NAME:
        wrong.append(f"an affiliation longer than {LONGEST_NAME:,} characters")
    elif name:
        yield Affiliation(_known(author.get("orgid")) or f"{SOURCE}:{name}", name)


def _venue(record: dict[str, Any], wrong: list[str]) -> Venue | None:
    value = record.get("venue")
    venue = {"raw": value} if type(value) is str else lenient.part(record, "venue", wrong)
    names = (lenient.text(venue, key, wrong) for key in ("raw", "name_d", "name", "raw_zh"))
    name = clean_name(next((text for text in names if text), ""))
    return Venue(_id(venue) or f"{SOURCE}:{name}", name) if name else None


def _mag_fields(record: dict[str, Any], wrong: list[str]) -> Iterator[Field]:
    """The fields of study of Microsoft Academic Graph: names, with weights in some versions."""
    entries = record.get("fos")
    names = dict[str, None]()
    for entry in entries if type(entries) is list else ():
        name = entry.get("name") if type(entry) is dict else entry
        if type(name) is str and (cleaned := clean_name(name)):
            names[cleaned] = None
        else:
            wrong.append("a field of study without a name")
    return (Field("mag", name, name) for name in names)


def _keywords(record: dict[str, Any], wrong: list[str]) -> tuple[Field, ...]:
    return bibliography.labels(lenient.texts(record, "keywords", wrong))


def _references(record: dict[str, Any], wrong: list[str]) -> Iterator[str]:
    entries = record.get("references")
    for entry in entries if type(entries) is list else ():
        known = _known(entry)
        if known:
            yield known
        else:
            wrong.append("a reference without an id")
    if entries is not None and type(entries) is not list:
        wrong.append("references are no list")


FORMAT = Format("dblp", "AMiner's citation network of dblp", read_dblp, recognise)
