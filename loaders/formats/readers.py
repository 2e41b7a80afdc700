"""Logs of readers' views and libraries, as tables or JSON Lines; see docs/formats/readers.md.

| value | columns or keys |
|---|---|
| the reader | reader, reader_id, user, user_id, userid |
| the paper | paper, paper_id, item, item_id, article, article_id, document |
| the time | time, timestamp, at, date, datetime |
| the session | session, session_id |
| viewed or saved | kind, action, event |

A line of JSON may be a complete library: {"reader": .., "papers": [..]} (or items, library).
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import (
    Count,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import field_map
from specter_graph.loaders.parsing.delimited import read_header
from specter_graph.loaders.parsing.field_values import type_name
from specter_graph.loaders.parsing.json import first_keys, read_objects
from specter_graph.loaders.parsing.tabular import Row, cell, column_names, read_table
from specter_graph.loaders.records import Reading

Kind = Literal["VIEWED", "SAVED"]
_NAMES = field_map("readers")
READER, PAPER, TIME = _NAMES["reader"], _NAMES["paper"], _NAMES["time"]
SESSION, KIND, LIBRARY = _NAMES["session"], _NAMES["kind"], _NAMES["library"]
COLUMNS = frozenset((*READER, *PAPER, *TIME, *SESSION, *KIND))
KEYS = COLUMNS | frozenset(LIBRARY)
KINDS: dict[str, Kind] = {word: kind for kind, words in _NAMES["words"].items() for word in words}
_LIBRARY_BEGINS = re.compile(
    rb'\s*\{\s*"(?:reader|user)(?:_?id)?"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*"(?:papers|items|library)"\s*:\s*\['
)


def read_readers(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the reading events of a file with their lines, and RecordIssues."""
    if read_head(path)[0].lstrip()[:1] == b"{":
        yield from read_objects(path, count, convert_object, KEYS)
        return
    columns = set(column_names(path))
    if columns and not (columns.intersection(READER) and columns.intersection(PAPER)):
        reason = "no column for the reader, or none for the paper: the file is not loaded"
        yield 1, RecordIssue(reason, record=", ".join(sorted(columns))[:10_000])
        return
    # a log of views has a time or a session, a library has neither
    default: Kind = "SAVED" if columns.isdisjoint((*TIME, *SESSION)) else "VIEWED"
    yield from read_table(path, count, partial(_convert_row, default), COLUMNS)


def _convert_row(default: Kind, row: Row) -> Iterator[ParseResult]:
    """Yield the reading event of a row of a table."""
    reader = cell(row, *READER)
    kind = _parse_kind(cell(row, *KIND), reader) or default
    yield _make_reading(reader, cell(row, *PAPER), kind, cell(row, *TIME), cell(row, *SESSION))


def convert_object(record: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield the reading event of a JSON object, or those of a library."""
    reader, session = _read_first(record, READER), _read_first(record, SESSION)
    at = _read_first(record, TIME, (int, float, str))
    kind = _parse_kind(_read_first(record, KIND), reader) or (
        "VIEWED" if at or session else "SAVED"
    )
    library = next((key for key in LIBRARY if record.get(key) is not None), None)
    if library is None:
        yield _make_reading(reader, _read_first(record, PAPER), kind, at, session)
        return
    papers = record[library]
    if not isinstance(papers, list):
        raise RecordError(f"{library} must be a list, not {type_name(papers)}", reader or None)
    for number, paper in enumerate(papers, 1):
        if type(paper) is int or (type(paper) is str and paper.strip()):
            yield _make_reading(reader, str(paper).strip(), kind, at, session)
        else:
            yield RecordIssue(
                f"left out: entry {number} of {library} is not an id", reader, repaired=True
            )


def detect(name: str, head: bytes) -> str | None:
    """Detect columns or keys for the reader and the paper, and no unknown ones."""
    if _LIBRARY_BEGINS.match(head):
        return "libraries of readers, one a line"
    if head.lstrip()[:1] == b"{":
        keys, papers, layout = first_keys(head), {*PAPER, *LIBRARY}, "one JSON object a line"
    else:
        keys, papers, layout = set(read_header(head)), set(PAPER), "one a row"
    if keys <= KEYS and keys & set(READER) and keys & papers:
        return f"readers and the papers that they viewed or saved, {layout}"
    return None


def _make_reading(reader: str, paper: str, kind: Kind, at: str, session: str) -> Reading:
    if not reader:
        raise RecordError("the reader is missing")
    if not paper:
        raise RecordError("the paper is missing", reader)
    return Reading(reader, paper, kind, at or None, session or None)


def _parse_kind(written: str, reader: str) -> Kind | None:
    if not written:
        return None
    if kind := KINDS.get(written.lower()):
        return kind
    raise RecordError(f"the kind {written:.40} is unknown", reader or None)


def _read_first(
    record: dict[str, Any], keys: list[str], types: tuple[type, ...] = (int, str)
) -> str:
    """Return the first value of the keys, a string or a number."""
    for key in keys:
        value = record.get(key)
        if value is not None and type(value) not in types:
            raise RecordError(f"{key} must be text or a number, not {type_name(value)}")
        if value is not None and (written := str(value).strip()):
            return written
    return ""


FORMAT = Format("readers", "views and libraries of readers", read_readers, detect)
