"""Reads JSON: one object a line, and arrays or pages of objects, with flat memory."""

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from specter_graph.core.errors import extra
from specter_graph.loaders.files import MAX_LINE_BYTES, DamagedFileError, read_contents, read_lines
from specter_graph.loaders.format_api import (
    Count,
    FieldCheck,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
    file_issue,
)
from specter_graph.loaders.parsing.field_values import type_name

Convert = Callable[[dict[str, Any]], Iterable[ParseResult]]

_ESCAPED_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")

# Strings are matched possessively: no pattern steps back, so that damage costs no time.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRINGS = re.compile(_STRING, re.DOTALL)
_STRING_END = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_UNCLOSED = re.compile(rf'[^"]*+(?:{_STRING}[^"]*+)*+"', re.DOTALL)
"""Up to the quote of a string that ends in the next piece."""
_BRACKET = re.compile(rf'[^"{{}}\[\]]*+(?:{_STRING}[^"{{}}\[\]]*+)*+([{{}}\[\]])', re.DOTALL)
_BRACE = re.compile(rf'[^"{{}}]*+(?:{_STRING}[^"{{}}]*+)*+([{{}}])', re.DOTALL)
_OBJECT = re.compile(rf'[^"{{]*+(?:{_STRING}[^"{{]*+)*+(?=\{{)', re.DOTALL)
_WRAPPING = re.compile(r'\s*\{\s*(?:"status"\s*:\s*"ok"[^\[\]]*?)?"items"\s*:\s*(?=\[)')
_WRAPPED = re.compile(r'(?:"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[\w.+-]+)?[\s,\]}]*+)*+')
"""The other content of the wrapping object: keys with a number or a text, or before an object."""
_BETWEEN = " \t\r\n,[]}"
"""Around objects: several arrays, or one in an object, are read as one."""
_ODD_ESCAPE = re.compile(r"\\u(?:0000|[dD])")
"""NUL, or a surrogate: such an object is parsed strictly."""
_MAX_TAIL = 32
"""Characters at the end of a text that may be the beginning of a token."""


def read_objects(
    path: Path,
    count: Count,
    convert: Convert,
    keys: frozenset[str],
    number: int = 0,
    of: int = 1,
) -> Results:
    """Yield the results of each line of a file, with the line's number.

    Empty lines are skipped. A RecordError of `convert` becomes a RecordIssue. Keys that are not
    among `keys` are reported once. With `of` > 1, only every `of`-th line is read, from the
    `number`-th (from 0); damage of the file is reported with number 0.
    """
    objects, line_number = Objects(convert, keys), 0
    try:
        for line_number, line in enumerate(read_lines(path, count), 1):
            if line_number % of != number:
                continue
            if line is None:
                reason = f"the line is longer than {MAX_LINE_BYTES // 2**20} MiB"
                yield line_number, RecordIssue(reason)
                continue
            if line_number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line and not line.isspace():
                for result in objects.results(line):
                    yield line_number, result
    except (DamagedFileError, OSError) as error:
        if number == 0:
            yield line_number + 1, file_issue(error)


class Objects:
    """Converts the JSON objects of a file one after another; see `read_objects`."""

    def __init__(self, convert: Convert, keys: frozenset[str], noun: str = "line") -> None:
        self._convert = convert
        self._fields = FieldCheck(keys)
        self._noun = noun

    def results(self, line: bytes, record: dict[str, Any] | None = None) -> list[ParseResult]:
        """Return the results of an object, which is parsed unless the record is given."""
        results: list[ParseResult] = []
        try:
            if record is None:
                record = parse_object(line, self._noun)
                if b"\\" in line and (cleaned := _without_nul(line)) != line:
                    record = parse_object(cleaned, self._noun)
                    results.append(RecordIssue("NUL characters left out", repaired=True))
            results.extend(self._convert(record))  # results before an error stay
        except RecordError as error:
            results.append(RecordIssue(str(error), error.id, line.decode(errors="replace")))
            return results
        results += self._fields.unknown(record)
        return results


def _without_nul(line: bytes) -> bytes:
    return _ESCAPED_NUL.sub(rb"\1", line) if b"\\u0000" in line else line


def parse_object(line: bytes, noun: str = "line") -> dict[str, Any]:
    """Parse a JSON object; raise RecordError for anything else."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        try:
            line.decode()
        except UnicodeDecodeError as no_text:
            raise RecordError(f"the {noun} is not UTF-8 (byte {no_text.start + 1})") from no_text
        raise RecordError(f"the {noun} is not JSON: {error.msg} (column {error.colno})") from error
    if not isinstance(record, dict):
        raise RecordError(f"the {noun} is {type_name(record)}, not a JSON object")
    return record


def first_keys(head: bytes) -> set[str]:
    """Return the keys of the first line of a file; none if it is not an object.

    Of a line that is longer than the head, the keys in the head are returned.
    """
    line, ended, _ = head.lstrip().partition(b"\n")
    try:
        return set(parse_object(line))
    except RecordError:
        return set() if ended or not line.startswith(b"{") else first_object(line)


def first_object(head: bytes) -> set[str]:
    """Return the keys of the first object of a text, which may be cut off."""
    with extra("formats"):
        import ijson

    keys: set[str] = set()
    depth, inside = 0, 0  # `inside` is the depth of the keys
    try:
        for event, value in ijson.basic_parse(head, multiple_values=True):
            depth += event.startswith("start_") - event.startswith("end_")
            inside = inside or (depth if event == "start_map" else 0)
            if depth == inside and event == "map_key":
                keys.add(value)
            if depth < inside or depth <= 0:
                break
    except (ijson.JSONError, UnicodeDecodeError):
        pass  # the keys before the damage
    return keys


def read_array(
    path: Path,
    count: Count,
    convert: Convert,
    keys: frozenset[str],
    repair: Callable[[str], str] | None = None,
) -> Results:
    """Yield the results of each object of an array, with the line on which the object begins.

    The file is `[{...}, {...}]`, `{"items": [{...}, {...}]}`, an answer of Crossref's API (whose
    items are the objects), or objects one after another, in any layout. `repair` turns a text that
    is almost JSON into JSON. After a damaged object, reading continues at the next line that begins
    as the object's line does. A file that ends with an open bracket or after a comma ends with a
    RecordIssue. Otherwise see `read_objects`.
    """
    splitter = _Splitter(read_contents(path, count), Objects(convert, keys, "object"), repair)
    try:
        yield from splitter.results()
    except (DamagedFileError, OSError) as error:
        yield splitter.line, file_issue(error)


class Nesting:
    """Follows the brackets, or only the braces, of a JSON text that comes in pieces."""

    def __init__(self, pattern: re.Pattern[str] = _BRACKET, max_depth: int | None = None) -> None:
        self._pattern = pattern
        self._max_depth = max_depth
        self._depth = 0
        self._in_string = False
        self._escaped = False  # the next character is behind a backslash

    @property
    def closed(self) -> bool:
        """Whether all brackets so far are closed."""
        return self._depth <= 0

    def scan(self, piece: str) -> int:
        """Return the number of characters up to the last closing bracket, or one too deep.

        If these are not all, the next piece is to begin with the others.
        """
        at = 0
        if self._in_string and piece:
            end = _STRING_END.match(piece, int(self._escaped))
            if end is None:
                self._escaped = _ends_in_escape(piece[int(self._escaped) :])
                return len(piece)
            at, self._in_string, self._escaped = end.end(), False, False
        while match := self._pattern.match(piece, at):
            if match[1] in "]}":
                self._depth -= 1
                if self.closed:
                    return match.end()
            elif self._depth == self._max_depth:
                return match.start(1)
            else:
                self._depth += 1
            at = match.end()
        if unclosed := _UNCLOSED.match(piece, at):
            self._in_string = True
            self._escaped = _ends_in_escape(piece[unclosed.end() :])
        return len(piece)


def _ends_in_escape(piece: str) -> bool:
    return (len(piece) - len(piece.rstrip("\\"))) % 2 == 1


class _Splitter:
    """Parses the outermost objects of a stream with the standard library's incremental decoder.

    Only objects that the decoder refuses are delimited by their braces.
    """

    def __init__(
        self, chunks: Iterator[bytes], objects: Objects, repair: Callable[[str], str] | None
    ) -> None:
        self._chunks = chunks
        self._objects = objects
        self._repair = repair
        self._to_text = getincrementaldecoder("utf-8")("surrogateescape").decode
        self._decode = json.JSONDecoder(parse_constant=self._refuse_constant).raw_decode
        self._text = ""
        self._at = 0  # the text before it has been read
        self._start = ""  # how the line of an object begins
        self._error: Exception | None = None
        self.line = 1  # of `_at`

    def results(self) -> Results:
        """Yield the results of each object, or a RecordIssue for anything else."""
        while len(self._text) < 1_000 and self._more():
            pass
        self._text = self._text.removeprefix("\ufeff")
        brackets, after_comma, sound = 0, False, True
        if wrapping := _WRAPPING.match(self._text):
            opening = _STRINGS.sub("", wrapping[0])
            brackets = opening.count("{") - opening.count("}")
            self._move(wrapping.end())
        end_of_file = False
        while not end_of_file:
            begin = self._next_object()
            strange = self._text[self._at : begin].strip(_BETWEEN)
            if strange and not (wrapping and _WRAPPED.fullmatch(strange)):
                # a stray quote may have hidden an object that begins as the last one
                alike = self._text.find(self._start, self._at, begin) if self._start else -1
                begin = alike + len(self._start) - 1 if alike >= 0 else begin
                sound = False
                strange = self._text[self._at : begin].strip(_BETWEEN)
                yield self.line, RecordIssue("this is no JSON object", record=_printable(strange))
            between = _STRINGS.sub("", self._text[self._at : begin])
            brackets += sum(map(between.count, "[{")) - sum(map(between.count, "]}"))
            after_comma = between.rstrip().endswith(",")
            self._start = self._line_start(begin)
            self._move(begin)
            if begin == len(self._text):
                end_of_file = not self._more()
                continue
            line = self.line
            if record := self._parse():
                for result in self._objects.results(*record):
                    yield line, result
            else:
                sound = False
                for result in self._delimit():
                    yield line, result
        if sound and not self._error and (brackets > 0 or after_comma):
            reason = "the array is not closed; the rest of the file is missing"
            yield self.line, RecordIssue(reason)
        if self._error:
            raise self._error

    def _next_object(self) -> int:
        """Return where the next object begins, or the end of the text if that is too far."""
        while not (match := _OBJECT.match(self._text, self._at)):
            if len(self._text) - self._at > MAX_LINE_BYTES:
                return len(self._text)
            if not self._more():
                brace = self._text.find("{", self._at)
                return brace if brace >= 0 else len(self._text)
        return match.end()

    def _parse(self) -> tuple[bytes, dict[str, Any] | None] | None:
        """Read the object that begins here; return None if the decoder refuses it."""
        while len(self._text) - self._at <= 2 * MAX_LINE_BYTES:
            try:
                record, end = self._decode(self._text, self._at)
                text = self._text[self._at : end]
                line = text.encode()
                if len(line) > MAX_LINE_BYTES:
                    return None
                self._move(end)
                return line, None if _ODD_ESCAPE.search(text) else record
            except json.JSONDecodeError as error:
                at_end = error.pos + _MAX_TAIL > len(self._text)
                unfinished = at_end or error.msg.startswith("Unterminated string")
                if self._repair and not unfinished:
                    repaired = self._repair(self._text[self._at :])
                    if repaired != self._text[self._at :]:
                        self._text, self._at = repaired, 0
                        continue
                if not (unfinished and self._more()):
                    return None
            except (ValueError, RecursionError):  # not UTF-8, a constant, too deep, a long number
                return None
        return None

    def _refuse_constant(self, name: str) -> None:
        raise ValueError(name)

    def _delimit(self) -> list[ParseResult]:
        """Pass the object that begins here, and return its results or why there are none."""
        nesting, size = Nesting(_BRACE), 0
        while size <= MAX_LINE_BYTES:
            size += nesting.scan(self._text[self._at + size :])
            if nesting.closed or not self._more():
                break
        end = self._at + size
        text = self._text[self._at : end]
        line = text.encode(errors="surrogateescape")
        if nesting.closed and len(line) <= MAX_LINE_BYTES:
            results = self._objects.results(line)
            damaged = not any(not isinstance(result, RecordIssue) for result in results)
            alike = self._text.find(self._start, self._at + 1, end) if damaged else -1
            self._move(alike + 1 if alike >= 0 else end)
            return results
        self._skip(nesting, end)
        reason = f"the object is not closed, or is longer than {MAX_LINE_BYTES // 2**20} MiB"
        return [RecordIssue(reason, record=_printable(text))]

    def _skip(self, nesting: Nesting, end: int) -> None:
        """Leave an object without an end, or with a far one, for the next that begins like it."""
        self._move(self._at + 1)
        while (alike := self._text.find(self._start, self._at)) < 0 and not nesting.closed:
            self._move(max(self._at, len(self._text) - len(self._start)))
            scanned = len(self._text) - self._at
            if not self._more():
                self._move(len(self._text))
                return
            end = scanned + nesting.scan(self._text[scanned:])
        self._move(alike + 1 if alike >= 0 else end)

    def _line_start(self, begin: int) -> str:
        before = self._text[self._text.rfind("\n", 0, begin) + 1 : begin]
        return "\n" + ("" if before.strip(_BETWEEN) else before) + "{"

    def _more(self) -> bool:
        """Read until there is twice as much text; return False at the end of the file."""
        rest = self._text[self._at :]
        parts, missing = [rest], len(rest) + 1
        try:
            while missing > 0 and (chunk := next(self._chunks, None)) is not None:
                parts.append(self._to_text(chunk))
                missing -= len(parts[-1])
        except (DamagedFileError, OSError) as error:
            self._error = error  # the text before the damage is read first
        if missing > 0:
            parts.append(self._to_text(b"", True))
        self._text, self._at = "".join(parts), 0
        return len(self._text) > len(rest)

    def _move(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to


def _printable(text: str) -> str:
    return text[:10_000].encode(errors="surrogateescape").decode(errors="replace")
