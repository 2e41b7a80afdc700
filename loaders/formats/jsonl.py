"""JSON Lines: one paper a line, as a JSON object.

| key         | type            |                                                               |
|-------------|-----------------|---------------------------------------------------------------|
| id          | string          | required; surrounding white space is removed                  |
| title       | string          | required                                                      |
| abstract    | string          |                                                               |
| year        | integer         | 1000 to 2100                                                  |
| authors     | list of strings | names in order; the name is the author's id within the corpus |
| venue       | string          |                                                               |
| doi         | string          |                                                               |
| published   | string          | the publication date                                          |
| language    | string          | a code, "en"                                                  |
| url         | string          |                                                               |
| retracted   | boolean         |                                                               |
| fields      | list of strings | keywords or categories                                        |
| identifiers | list of strings | ids in other sources, "arxiv:2004.07180"                      |
| references  | list of strings | ids of cited papers, which need no records                    |
| body        | string          | the full text; loaded on request                              |

A key may be absent, null or empty unless it is required. Blank entries of a list are ignored.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import (
    Count,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import distinct
from specter_graph.loaders.parsing.field_values import (
    clean_name,
    names,
    required,
    strict_bool,
    strict_year,
    text,
    texts,
)
from specter_graph.loaders.parsing.json import Objects, first_keys, read_objects
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from specter_graph.loaders.validation import MAX_NAME_LENGTH

KEYS = known_fields("jsonl")
FIELD_SCHEME = "keyword"


def read_jsonl(
    path: Path, count: Count = lambda size: None, number: int = 0, of: int = 1
) -> Results:
    """Yield the papers of a file, or of every `of`-th line from the `number`-th, from 0."""
    return read_objects(path, count, convert, KEYS, number, of)


def read_dict(record: dict[str, Any], number: int, _count: Count) -> Results:
    """Yield the paper of a dict with the keys of this format, with its number.

    NumPy's values, dates and missing values are accepted, as in rows of data frames.
    """
    try:
        line = orjson.dumps(record, default=_plain_value, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError as error:
        yield number, RecordIssue(f"the dict is not JSON: {error}", record=repr(record))
        return
    for result in Objects(convert, KEYS, "dict").results(line):
        yield number, result


def _plain_value(value: Any) -> Any:  # noqa: ANN401
    """Convert an array of texts, or a missing value or a date of pandas, to a JSON value."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "date"):
        return value.date().isoformat()
    raise TypeError


def convert(record: dict[str, Any]) -> Iterable[ParseResult]:
    """Return the paper of a JSON object; raise RecordError for the first defect."""
    paper_id: str | None = None
    try:
        paper_id = required(record, "id", MAX_NAME_LENGTH)
        title = required(record, "title")
        venue = clean_name(text(record, "venue", MAX_NAME_LENGTH) or "")
        known, omitted = _read_identifiers(record)
        paper = Paper(
            id=paper_id,
            title=title,
            abstract=text(record, "abstract"),
            year=strict_year(record),
            published=text(record, "published"),
            language=text(record, "language"),
            url=text(record, "url"),
            body=text(record, "body"),
            retracted=strict_bool(record, "retracted"),
            identifiers=known,
            authors=tuple([Author(name, name) for name in names(record, "authors")]),
            venue=Venue(venue, venue) if venue else None,
            fields=tuple([Field(FIELD_SCHEME, name, name) for name in names(record, "fields")]),
            references=tuple(texts(record, "references")),
        )
    except RecordError as error:
        error.id = paper_id
        raise
    return (*(RecordIssue(reason, paper_id, repaired=True) for reason in omitted), paper)


def _read_identifiers(record: dict[str, Any]) -> tuple[tuple[Identifier, ...], list[str]]:
    """Return the identifiers of a record, each once, and descriptions of those left out."""
    if record.get("doi") is None and record.get("identifiers") is None:
        return (), []
    ids: dict[Identifier, None] = {}
    omitted = []
    if written := text(record, "doi"):
        if dois := identifiers.dois(written):
            ids |= dict.fromkeys(dois)
        else:
            omitted.append(f"doi {written:.100} is not a DOI: left out")
    for name in texts(record, "identifiers"):
        if known := identifiers.parse_identifier(name):
            ids |= dict.fromkeys(distinct([known]))
        else:
            omitted.append(f"{name:.100} is not an identifier with its scheme: left out")
    return tuple(ids), omitted


def detect(name: str, head: bytes) -> str | None:
    """Detect JSON objects with an id, a title and no key of another format."""
    keys = first_keys(head)
    return "papers, one JSON object a line" if {"id", "title"} <= keys <= KEYS else None


FORMAT = Format("jsonl", "JSON Lines, one paper a line", read_jsonl, detect, read_jsonl)
