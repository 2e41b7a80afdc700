"""Values of records in all layouts of Semantic Scholar.

The id of a paper is `s2:` and the id that its layout uses: the Datasets API and S2ORC use numbers
(corpus ids); the Open Research Corpus, the Graph API and SciDocs use SHAs. If a record has the
other id, it becomes an Identifier.
"""

import re
from collections.abc import Iterator
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.formats.bibliography import make_author, make_venue
from specter_graph.loaders.parsing.field_values import (
    Json,
    JsonRecord,
    clean_name,
    required,
    type_name,
)
from specter_graph.loaders.parsing.plain_text import strip_markup
from specter_graph.loaders.records import Author, Citation, Identifier, Paper, Venue

SOURCE = "semantic scholar"

_YEAR = re.compile(r"(\d{4})(?:-\d\d?)*", re.ASCII)
_CORPUS_ID = re.compile(r"\s*0*([1-9]\d{0,17})\s*", re.ASCII)
_SCHEMES = {
    "doi": "doi", "arxiv": "arxiv", "pubmed": "pmid", "medline": "pmid", "pubmedcentral": "pmcid",
    "mag": "mag", "acl": "acl", "dblp": "dblp", "corpusid": "s2corpus",
}  # fmt: skip


def make_paper(record: JsonRecord, ids: Json, sha: object, **values: Any) -> Paper:  # noqa: ANN401
    """Return the paper of a record whose `id` is known, with what all layouts have in common.

    Args:
        record: The record.
        ids: Its identifiers; see `external_identifiers`.
        sha: What may be its id in the Graph API.
        **values: Other attributes of the paper.

    Raises:
        RecordError: The title is missing.
    """
    known = identifiers.s2(sha) if isinstance(sha, str) else None
    others = external_identifiers(ids, record.omitted)
    return Paper(
        id=record.id or "",
        title=strip_markup(required(record.values, "title")),
        year=year_of(record),
        source=SOURCE,
        identifiers=tuple(dict.fromkeys(filter(None, (known, *others)))),
        **values,
    )


def stripped(record: JsonRecord, key: str) -> list[str]:
    """Return a list of strings without surrounding white space and without blank ones."""
    return [*filter(None, map(str.strip, record.texts(key)))]


def year_of(record: JsonRecord) -> int | None:
    """Return the year: a number, or a string that begins with one ("2011", "2011-11")."""
    value = record.get("year")
    if type(value) is int:
        return value
    if isinstance(value, str) and (match := _YEAR.fullmatch(value.strip())):
        return int(match[1])
    if value is not None and value != "":
        record.omitted.append(f"year {_describe(value)} is not a year")
    return None


def corpus_id(record: Json | JsonRecord, key: str = "corpusid") -> str:
    """Return the paper id of a corpus id; raise RecordError if it is missing or not valid."""
    value = record.get(key)
    if type(value) is int and value > 0:
        return f"s2:{value}"
    if isinstance(value, str) and (match := _CORPUS_ID.fullmatch(value)):
        return f"s2:{match[1]}"
    raise RecordError(
        f"{key} is missing" if value is None else f"{key} {_describe(value)} is not a corpus id"
    )


def external_identifiers(ids: Json, omitted: list[str]) -> Iterator[Identifier]:
    """Yield the identifiers of an object such as {"DOI": "10.1/x", "CorpusId": 1}, in any case.

    S2ORC has papers with two numbers of MAG: "1,2".
    """
    for name, value in ids.items():
        if value is None or value == "" or not (scheme := _SCHEMES.get(name.lower())):
            continue
        parts = value.split(",") if scheme == "mag" and type(value) is str else [value]
        for part in parts:
            if type(part) in (int, str) and (
                known := identifiers.parse_identifier(f"{scheme}:{part}")
            ):
                yield known
            else:
                omitted.append(f"{_describe(part)} is not a valid {name} identifier")


def author(name: str | None, number: str | None, omitted: list[str]) -> Author | None:
    """Return an author, identified by Semantic Scholar's number or else by the name."""
    return make_author("s2", name, omitted, key=f"s2:{number}" if number else None)


def numbered_author(entry: JsonRecord) -> Author | None:
    """Return the author in an object with a name and an `authorId`, a number or a string."""
    value = entry.get("authorId")
    number = str(value) if type(value) is int else entry.text("authorId")
    return author(entry.text("name"), number, entry.omitted)


def venue(*names: str | None, number: str | None = None) -> Venue | None:
    """Return the venue by the first of its names that is not blank."""
    name = next((clean for name in names if name and (clean := clean_name(name))), None)
    return make_venue("s2", name, f"s2:{number}" if number else None)


def cited_by(record: JsonRecord, key: str, paper_id: str) -> Iterator[Citation]:
    """Yield the citations from the papers in a list of the cited paper's record."""
    for other in stripped(record, key):
        if f"s2:{other}" == paper_id:
            record.omitted.append("the paper is among those that cite it")
        else:
            yield Citation(f"s2:{other}", paper_id)


def _describe(value: object) -> str:
    return type_name(value) if isinstance(value, list | dict) else f"{value!r:.40}"
