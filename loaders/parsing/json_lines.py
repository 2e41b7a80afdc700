"""Reads files of one JSON object a line, for all formats that come so."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from specter_graph.loaders.files import LONGEST_LINE, DamagedFileError, read_lines
from specter_graph.loaders.format_api import (
    WHOLE,
    Count,
    Found,
    Ignored,
    Problem,
    RecordError,
    Share,
)
from specter_graph.loaders.parsing.field_values import type_name

Convert = Callable[[dict[str, Any]], Iterable[Found]]
Parse = Callable[[bytes], dict[str, Any]]

_ESCAPED_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")
_TOKEN = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")(?:\s*+:\s*+(\S))?|[{}\[\]]', re.DOTALL)
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


def first_keys(head: bytes) -> set[str]:
    """The keys of the first line of a file that begins so; none if it is no object.

    Of a line that goes on behind the head, those keys that can be seen.
    """
    line, ended, _ = head.lstrip().partition(b"\n")
    try:
        return set(parse_object(line))
    except RecordError:
        return set() if ended or not line.startswith(b"{") else set(first_object(line))


def first_object(json: bytes) -> dict[str, str]:
    """The keys of the first object of a text, which may be cut off, with how their values begin."""
    keys: dict[str, str] = {}
    depth, inside = 0, 0  # `inside` is the depth at which the keys stand
    at = 0
    while found := _TOKEN.search(json, at):
        at = found.end()
        if found[1] and not inside:
            break
        if found[2]:
            at -= 1  # what the value begins with is a token too
            if depth == inside:
                keys[found[1][1:-1].decode(errors="replace")] = found[2].decode(errors="replace")
        elif found[1] is None:
            depth += 1 if found[0] in b"{[" else -1
            inside = inside or (depth if found[0] == b"{" else 0)
            if depth < inside or depth <= 0:
                break
    return keys
