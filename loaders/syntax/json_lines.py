"""Reads files of one JSON object a line, for all formats that come so."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from specter_graph.loaders.files import LONGEST_LINE, DamagedFileError, read_lines
from specter_graph.loaders.reading import (
    WHOLE,
    Count,
    Found,
    Ignored,
    Problem,
    RecordError,
    Share,
)
from specter_graph.loaders.syntax.values import type_name

Convert = Callable[[dict[str, Any]], Iterable[Found]]
Parse = Callable[[bytes], dict[str, Any]]

_ESCAPED_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")
_MOST_UNKNOWN_KEYS = 100


def read_objects(
    path: Path, count: Count, convert: Convert, keys: frozenset[str], share: Share = WHOLE
) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of each object of a file, with its line, from 1.

    Empty lines are skipped. A RecordError that `convert` raises becomes a Problem. `keys` are those
    that the format has; the first appearance of any other is told. A file whose rest cannot be read
    ends with a Problem, told with the first share.
    """
    objects, number = Objects(convert, keys), 0
    try:
        for number, line in enumerate(read_lines(path, count), 1):
            if number % share.of != share.number:
                continue
            if line is None:
                yield number, Problem(f"the line is longer than {LONGEST_LINE // 2**20} MiB")
                continue
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line and not line.isspace():
                for found in objects.found(line):
                    yield number, found
    except DamagedFileError as error:
        if share.number == 0:
            yield number + 1, Problem(f"{error}; the rest of the file is not loaded")
    except OSError as error:
        if share.number == 0:
            yield number + 1, Problem(f"the file cannot be read: {error.strerror}")


class Objects:
    """Converts the JSON objects of a file one after another; see `read_objects`."""

    def __init__(self, convert: Convert, keys: frozenset[str], parse: Parse | None = None) -> None:
        self._convert = convert
        self._parse = parse or parse_object
        self._known = set(keys)
        self._most = len(keys) + _MOST_UNKNOWN_KEYS

    def found(self, line: bytes) -> list[Found]:
        """What one object gives."""
        found: list[Found] = []
        try:
            record = self._parse(line)
            if b"\\" in line and (cleaned := _without_nul(line)) != line:
                record = self._parse(cleaned)
                found.append(Problem("NUL characters left out", repaired=True))
            found.extend(self._convert(record))  # what came before an error stays
        except RecordError as error:
            found.append(Problem(str(error), error.id, line.decode(errors="replace")))
            return found
        if not self._known.issuperset(record):
            for key in sorted(record.keys() - self._known)[: self._most - len(self._known)]:
                self._known.add(key)
                found.append(Ignored(key))
        return found


def _without_nul(line: bytes) -> bytes:
    return _ESCAPED_NUL.sub(rb"\1", line) if b"\\u0000" in line else line


def parse_object(line: bytes) -> dict[str, Any]:
    """The JSON object of a line; raises RecordError when it is none."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        try:
            line.decode()
        except UnicodeDecodeError as no_text:
            raise RecordError(f"the line is not UTF-8 (byte {no_text.start + 1})") from no_text
        raise RecordError(f"the line is not JSON: {error.msg} (column {error.colno})") from error
    if not isinstance(record, dict):
        raise RecordError(f"the line is {type_name(record)}, not a JSON object")
    return record
