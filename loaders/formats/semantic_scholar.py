"""What the files of Semantic Scholar have in common, whatever their layout.

Ids: `s2:` and the id by which a layout names all its papers, those that cite and are cited
included. The Datasets API and S2ORC name them by number (corpus id), the Open Research Corpus, the
Graph API and SciDocs by SHA; each also tells the other id where it knows it, as an Identifier.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import orjson

from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import Count, RecordError, Results
from specter_graph.loaders.formats.bibliography import make_author, make_venue
from specter_graph.loaders.parsing.field_values import clean_name, required, type_name
from specter_graph.loaders.parsing.json import Convert, read_array, read_objects
from specter_graph.loaders.parsing.tolerant_fields import Json, text, texts
from specter_graph.loaders.records import Author, Citation, Field, Identifier, Venue

SOURCE = "semantic scholar"

_YEAR = re.compile(r"(\d{4})(?:-\d\d?)*", re.ASCII)
_CORPUS_ID = re.compile(r"\s*0*([1-9]\d{0,17})\s*", re.ASCII)
_SCHEMES = {
    "doi": "doi", "arxiv": "arxiv", "pubmed": "pmid", "medline": "pmid", "pubmedcentral": "pmcid",
    "mag": "mag", "acl": "acl", "dblp": "dblp", "corpusid": "s2corpus",
}  # fmt: skip


def stripped(record: Json, key: str, omitted: list[str]) -> list[str]:
    """Return the texts of a list without white space around them, but no blank ones."""
    return [*filter(None, map(str.strip, texts(record, key, omitted)))]


def number_of(record: Json, key: str, omitted: list[str]) -> str | None:
    """Return an id that is written as a number or as a text."""
    value = record.get(key)
    return str(value) if type(value) is int else text(record, key, omitted)


def year_of(record: Json, key: str, omitted: list[str]) -> int | None:
    """Return a year: a number, or a text that begins with one ("2011", "2011-11")."""
    value = record.get(key)
    if type(value) is int:
        return value
    if isinstance(value, str) and (match := _YEAR.fullmatch(value.strip())):
        return int(match[1])
    if value is not None and value != "":
        omitted.append(f"{key} {_brief(value)} is not a year")
    return None


def corpus_id(record: Json, key: str = "corpusid") -> str:
    """Return the id of a paper that is named by number; raises RecordError when there is none."""
    value = record.get(key)
    if type(value) is int and value > 0:
        return f"s2:{value}"
    if isinstance(value, str) and (match := _CORPUS_ID.fullmatch(value)):
        return f"s2:{match[1]}"
    raise RecordError(
        f"{key} is missing" if value is None else f"{key} {_brief(value)} is not a corpus id"
    )


def required_text(record: Json, key: str, paper_id: str) -> str:
    """Return a text without which the record of a paper cannot be used."""
    try:
        return required(record, key)
    except RecordError as error:
        error.id = paper_id
        raise


def external_identifiers(ids: Json, omitted: list[str]) -> Iterator[Identifier]:
    """Yield the identifiers of an object such as {"DOI": "10.1/x", "CorpusId": 1}, in any case."""
    for name, value in ids.items():
        if value is None or value == "" or not (scheme := _SCHEMES.get(name.lower())):
            continue
        if type(value) in (int, str) and (known := identifiers.named(f"{scheme}:{value}")):
            yield known
        else:
            omitted.append(f"{_brief(value)} is not a valid {name} identifier")


def author(name: str | None, number: str | None, omitted: list[str]) -> Author | None:
    """Return an author, known by the number that Semantic Scholar gives, or else by the name."""
    return make_author("s2", name, omitted, key=f"s2:{number}" if number else None)


def venue(*names: str | None, number: str | None = None) -> Venue | None:
    """Return the venue by the first of its names that is not blank."""
    name = next((clean for name in names if name and (clean := clean_name(name))), None)
    return make_venue("s2", name, f"s2:{number}" if number else None)


def labels(scheme: str, names: Iterable[str]) -> tuple[Field, ...]:
    """Labels that are known by their names, each once."""
    return tuple(dict.fromkeys(_label(scheme, name) for name in names))


@lru_cache(maxsize=10_000)
def _label(scheme: str, name: str) -> Field:
    name = clean_name(name)
    return Field(scheme, name, name)


def cited_by(record: Json, key: str, paper_id: str, omitted: list[str]) -> Iterator[Citation]:
    """Yield the citations of a paper by the papers that its record lists."""
    for other in stripped(record, key, omitted):
        if f"s2:{other}" == paper_id:
            omitted.append("the paper is among those that cite it")
        else:
            yield Citation(f"s2:{other}", paper_id)


def read_json(path: Path, count: Count, convert: Convert, keys: frozenset[str]) -> Results:
    """What `convert` makes of the objects of a file: one a line, or laid out in another way."""
    first = read_head(path)[0].lstrip().split(b"\n", 1)[0].rstrip()
    laid_out = first.startswith(b"[") or first.endswith((b"{", b"[", b","))
    yield from (read_array if laid_out else read_objects)(path, count, convert, keys)


def as_text(value: object) -> str:
    """Return a part of a record, for the rejects; empty when it is nested too deep."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return ""


def _brief(value: object) -> str:
    return type_name(value) if isinstance(value, list | dict) else f"{value!r:.40}"
