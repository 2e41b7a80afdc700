"""What the files of Semantic Scholar have in common, whatever their layout.

Ids: `s2:` and the id by which a layout names all its papers, those that cite and are cited
included. The Datasets API and S2ORC name them by number (corpus id), the Open Research Corpus, the
Graph API and SciDocs by SHA; each also tells the other id where it knows it, as an Identifier.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from specter_graph.loaders import identifiers
from specter_graph.loaders.files import DamagedFileError, read_contents
from specter_graph.loaders.format_api import Count, Found, Problem, RecordError
from specter_graph.loaders.parsing.field_values import clean_name, required, type_name
from specter_graph.loaders.parsing.json_array import read_array
from specter_graph.loaders.parsing.json_lines import Convert, read_objects
from specter_graph.loaders.records import Author, Citation, Field, Identifier, Venue

SOURCE = "semantic scholar"

_HEAD = 2**16
_YEAR = re.compile(r"(\d{4})(?:-\d\d?)*", re.ASCII)
_CORPUS_ID = re.compile(r"\s*0*([1-9]\d{0,17})\s*", re.ASCII)
_SCHEMES: dict[str, Callable[[str], Identifier | None]] = {
    "doi": identifiers.doi,
    "arxiv": identifiers.arxiv,
    "pubmed": identifiers.pubmed,
    "medline": identifiers.pubmed,
    "pubmedcentral": identifiers.pmc,
    "mag": identifiers.mag,
    "acl": identifiers.acl,
    "dblp": identifiers.dblp,
    "corpusid": identifiers.s2_corpus,
}


class Values:
    """Reads the optional values of a record: what does not fit is left out and noted."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.left_out: list[str] = []

    def text(self, key: str) -> str | None:
        """A text, or None."""
        value = self.record.get(key)
        if isinstance(value, str):
            return value.strip() or None
        if value is not None:
            self.left_out.append(f"{key} must be text, not {type_name(value)}")
        return None

    def year(self, key: str) -> int | None:
        """A year: a number, or a text that begins with one ("2011", "2011-11")."""
        value = self.record.get(key)
        if type(value) is int:
            return value
        if isinstance(value, str) and (found := _YEAR.fullmatch(value.strip())):
            return int(found[1])
        if value is not None and value != "":
            self.left_out.append(f"{key} {_brief(value)} is no year")
        return None

    def entries(self, key: str, kind: type[Any]) -> list[Any]:
        """The entries of a list that are of this kind."""
        values = self.record.get(key)
        if not values and (values is None or values == []):
            return []
        if not isinstance(values, list):
            self.left_out.append(f"{key} must be a list, not {type_name(values)}")
            return []
        kept = [value for value in values if isinstance(value, kind)]
        if len(kept) < len(values):
            strange = next(value for value in values if not isinstance(value, kind))
            self.left_out.append(f"what {key} holds besides: {type_name(strange)}")
        return kept

    def texts(self, key: str) -> list[str]:
        """The texts of a list, but for blank ones."""
        return [stripped for value in self.entries(key, str) if (stripped := value.strip())]

    def number(self, key: str) -> str | None:
        """What identifies something by number, written as a number or as a text."""
        value = self.record.get(key)
        return str(value) if type(value) is int else self.text(key)

    def object(self, key: str) -> dict[str, Any]:
        """An object; an empty one if there is none."""
        value = self.record.get(key)
        if isinstance(value, dict):
            return value
        if value is not None:
            self.left_out.append(f"{key} must be an object, not {type_name(value)}")
        return {}

    def problems(self, paper_id: str) -> Iterator[Problem]:
        """What has been left out so far."""
        for reason in self.left_out:
            yield Problem(f"left out: {reason}", paper_id, repaired=True)


def corpus_id(record: dict[str, Any], key: str = "corpusid") -> str:
    """The id of a paper that is named by number; raises RecordError when there is none."""
    value = record.get(key)
    if type(value) is int and value > 0:
        return f"s2:{value}"
    if isinstance(value, str) and (found := _CORPUS_ID.fullmatch(value)):
        return f"s2:{found[1]}"
    raise RecordError(
        f"{key} is missing" if value is None else f"{key} {_brief(value)} is no corpus id"
    )


def required_text(record: dict[str, Any], key: str, paper_id: str) -> str:
    """A text without which the record of a paper cannot be used."""
    try:
        return required(record, key)
    except RecordError as error:
        error.id = paper_id
        raise


def external_identifiers(values: Values, ids: dict[str, Any]) -> Iterator[Identifier]:
    """The identifiers of an object such as {"DOI": "10.1/x", "CorpusId": 1}, in any case."""
    for name, value in ids.items():
        if value is None or value == "" or not (known := _SCHEMES.get(name.lower())):
            continue
        if type(value) in (int, str) and (found := known(str(value))):
            yield found
        else:
            values.left_out.append(f"{_brief(value)} is no {name} identifier")


def author(name: str, number: str | None = None) -> Author:
    """An author, known by the number that Semantic Scholar gives, or else by name alone."""
    name = clean_name(name)
    return Author(f"s2:{number or name}", name, identified=bool(number))


def distinct(authors: Iterable[Author]) -> tuple[Author, ...]:
    """Each author once, in order."""
    first: dict[str, Author] = {}
    for one in authors:
        first.setdefault(one.id, one)
    return tuple(first.values())


def venue(*names: str | None, number: str | None = None) -> Venue | None:
    """The venue by the first of its names that is there; None where there is no name."""
    name = next((clean for name in names if name and (clean := clean_name(name))), None)
    return Venue(f"s2:{number or name}", name) if name else None


def labels(scheme: str, names: Iterable[str]) -> tuple[Field, ...]:
    """Labels that are known by their names, each once."""
    return tuple(dict.fromkeys(_label(scheme, name) for name in names))


@lru_cache(maxsize=10_000)
def _label(scheme: str, name: str) -> Field:
    name = clean_name(name)
    return Field(scheme, name, name)


def cited_by(values: Values, citing: Iterable[str], paper_id: str) -> Iterator[Citation]:
    """The citations of a paper that its record tells of."""
    for other in citing:
        if f"s2:{other}" == paper_id:
            values.left_out.append("the paper is among those that cite it")
        else:
            yield Citation(f"s2:{other}", paper_id)


def read_json(
    path: Path, count: Count, convert: Convert, keys: frozenset[str]
) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of the objects of a file: one a line, or laid out in another way."""
    first = head(path).removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0].rstrip()
    laid_out = first.startswith(b"[") or first.endswith((b"{", b"[", b","))
    yield from (read_array if laid_out else read_objects)(path, count, convert, keys)


def head(path: Path) -> bytes:
    """How the contents of a file begin, as far as that can be read."""
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in read_contents(path, lambda size: None):
            pieces.append(piece)
            size += len(piece)
            if size >= _HEAD:
                break
    except (DamagedFileError, OSError):
        pass  # who reads the file will tell
    return b"".join(pieces)[:_HEAD]


def as_text(value: object) -> str:
    """A part of a record, for the rejects; empty when it is nested too deep."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return ""


def _brief(value: object) -> str:
    return type_name(value) if isinstance(value, list | dict) else f"{value!r:.40}"
