"""Reads submissions: of a table, of JSON Lines, or as OpenReview gives them.

| path             | what it holds                                                                |
|------------------|------------------------------------------------------------------------------|
| .csv, .tsv       | columns id, title, abstract, authors, references, topics; the last three     |
|                  | with semicolons between; all but id and title may be absent or empty         |
| .jsonl           | objects with these keys, lists of texts for the last three; or notes         |
| .json            | OpenReview's submissions.json: {id: note}                                    |
| a folder         | OpenReview's submissions/: a file ID.jsonl each, with one note               |

A note is {"id", "content": {"title", "abstract", "authors", "authorids", "keywords"}}, where each
value may be {"value": ...}. Its authors are `authorids`, else `authors`; its topics are the
keywords. All files may be compressed (.gz, .zst).
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders.files import DamagedFileError, find_files, read_contents
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.field_values import required, text, type_name
from specter_graph.loaders.review_records import Submission, parse_person_id
from specter_graph.matching.io.openreview import flat, is_note
from specter_graph.matching.io.rows import (
    Row,
    bare_name,
    key,
    kind_of,
    listed,
    read_records,
    refused,
)

COLUMNS = ("id", "title", "abstract", "authors", "references", "topics")
_NOTE_COLUMNS = (*COLUMNS, "content")
_LARGEST = 2**30
"""Bytes of a submissions.json, which is read whole."""


def read_submissions(path: Path, ignored: list[str] | None = None) -> list[Submission]:
    """All submissions of a file or a folder, in its order.

    Raises InputError for the first that cannot be used, for an id that stands twice, and where
    there is none.
    """
    once = _Once()
    if path.is_dir():
        found = list(_of_folder(path, once))
    elif kind_of(path) == "json":
        found = list(_of_object(path, once))
    else:
        found = read_records(path, once.submission, _NOTE_COLUMNS, "id title", ignored)
    if not found:
        raise InputError(f"there is no submission in {path}", "see docs/matching.md for its form")
    return found


class _Once:
    """Makes submissions of rows, each id once."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def submission(self, row: Row) -> Submission:
        """The submission of a row or a note; raises RecordError."""
        name: str | None = None
        try:
            name = key(row, "id")
            if name in self._seen:
                raise RecordError("the id stands twice")
            made = _submission(name, flat(row) if is_note(row) else row)
        except RecordError as error:
            error.id = name
            raise
        self._seen.add(name)
        return made


def _submission(name: str, row: Row) -> Submission:
    people = "authorids" if row.get("authorids") else "authors"
    return Submission(
        id=name,
        title=required(row, "title"),
        abstract=text(row, "abstract"),
        authors=tuple(dict.fromkeys(map(parse_person_id, listed(row, people)))),
        references=listed(row, "references"),
        topics=listed(row, "topics"),
    )


def _of_folder(folder: Path, once: _Once) -> Iterator[Submission]:
    """Of each file its notes; one that gives no id has that of its file."""
    for path in find_files([folder]):
        stem, ending = bare_name(path)
        if ending != ".jsonl":
            continue
        named = _named(stem, once.submission)
        notes = read_records(path, named, _NOTE_COLUMNS, "id")
        if not notes:
            raise refused(path, None, "the file is empty", stem)
        yield from notes


def _named(stem: str, convert: Callable[[Row], Submission]) -> Callable[[Row], Submission]:
    return lambda row: convert(row if row.get("id") is not None else {**row, "id": stem})


def _of_object(path: Path, once: _Once) -> Iterator[Submission]:
    data = _contents(path)
    for name, note in _notes(path, data):
        try:
            if not isinstance(note, dict):
                raise RecordError(f"the note must be an object, not {type_name(note)}")
            yield once.submission({**note, "id": name})
        except RecordError as error:
            at = data.find(orjson.dumps(name))
            line = data.count(b"\n", 0, at) + 1 if at >= 0 else None
            raise refused(path, line, str(error), error.id or name) from error


def _notes(path: Path, data: bytes) -> Iterable[tuple[str, Any]]:
    try:
        notes = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise refused(path, error.lineno, f"this is not JSON: {error.msg}", None) from error
    if not isinstance(notes, dict):
        raise refused(path, None, f"this is {type_name(notes)}, not an object {{id: note}}", None)
    items: Iterable[tuple[str, Any]] = notes.items()
    return items


def _contents(path: Path) -> bytes:
    [path] = find_files([path])
    parts, size = [], 0
    try:
        for part in read_contents(path, lambda size: None):
            size += len(part)
            if size > _LARGEST:
                raise refused(path, None, f"it holds more than {_LARGEST // 2**30} GiB", None)
            parts.append(part)
    except DamagedFileError as error:
        raise refused(path, None, str(error), None) from error
    except OSError as error:
        raise refused(path, None, f"it cannot be read: {error.strerror}", None) from error
    return b"".join(parts).removeprefix(b"\xef\xbb\xbf")
