"""Streams of JSON objects: one object a line, and arrays or pages of objects, in constant memory.

The decoder of the standard library finds the end of each object of an array, and orjson parses the
object. Compared with ijson, it gives the line of each object, continues after a syntax error, and
needs no own check of the depth (the memory of ijson grows with the square of the depth).
"""

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from specter_graph.loaders.corpus_files import (
    MAX_LINE_BYTES,
    DamagedFileError,
    read_contents,
    read_head,
    read_lines,
)
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
from specter_graph.loaders.validation import printable

Convert = Callable[[dict[str, Any]], Iterable[ParseResult]]

MAX_EXCERPT_LENGTH = 10_000
"""Characters of a damaged object in its RecordIssue."""

_ESCAPED_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")

_WRAPPING = re.compile(
    r"""\s*\{\s*(?:(?:"status"\s*:\s*"ok"[^\[\]]*?)?"items"
        |(?:"meta"\s*:\s*\{[^{}]*\}\s*,\s*)?"results")\s*:\s*(?=\[)""",
    re.VERBOSE,
)
"""The beginning of an object around an array: {"items": [...]}, or a page of Crossref's or
OpenAlex's API."""
_SEPARATORS = re.compile(r"[\s,\[\]}]*+")
_FIRST_BRACE = re.compile(rb"(?:[\s\[,]|null)*+\{")
_COLON = re.compile(r"[\s:]*+")
_WRAPPED_SEPARATORS = re.compile(r'(?:[\s,\[\]}]++|"[^"\\]*+"\s*+:\s*+(?:"[^"\\]*+"|[\w.+-]++)?)*+')
"""The same with keys of the object around the array."""
_STRING = re.compile(r'"[^"]*"')
_LOOKAHEAD = 1_000
"""Minimum number of characters after the separators, unless the file ends."""
_MAX_TOKEN = 32
"""Characters at the end of the text that may be the beginning of a longer token."""


def read_objects(
    path: Path, count: Count, convert: Convert, keys: frozenset[str], number: int = 0, of: int = 1
) -> Results:
    """Yield the results of each line of a file, with the line's number.

    Empty lines are skipped.

    Args:
        path: The file.
        count: Called with the numbers of bytes read.
        convert: Returns the results of an object. Its RecordError becomes a RecordIssue.
        keys: The keys of the format; any other is reported once.
        number: With `of`, the shard to read, from 0. Shard 0 reports damage of the file.
        of: The number of shards: every `of`-th line is read.
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
            if line and not line.isspace():
                for result in objects.results(line):
                    yield line_number, result
    except DamagedFileError as error:
        if number == 0:
            yield line_number + 1, file_issue(error)


class Objects:
    """Converts the JSON objects of a file one by one; see `read_objects`."""

    def __init__(self, convert: Convert, keys: frozenset[str], noun: str = "line") -> None:
        self._convert = convert
        self._fields = FieldCheck(keys)
        self._noun = noun

    def results(self, line: bytes) -> list[ParseResult]:
        """Return the results of an object."""
        results: list[ParseResult] = []
        try:
            record = parse_object(line, self._noun)
            if b"\\u0000" in line and (cleaned := _ESCAPED_NUL.sub(rb"\1", line)) != line:
                record = parse_object(cleaned, self._noun)
                results.append(RecordIssue("NUL characters left out", repaired=True))
            results.extend(self._convert(record))  # results before an error are kept
        except RecordError as error:
            results.append(RecordIssue(str(error), error.id, line.decode(errors="replace")))
            return results
        if not self._fields.known.issuperset(record):
            results += self._fields.unknown(record)
        return results


def parse_json(data: bytes) -> Any:  # noqa: ANN401
    """Parse JSON; raise orjson.JSONDecodeError for anything else.

    NaN, which Python writes for a missing value of a pandas table, is null.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            with_nulls = json.loads(data.decode(), parse_constant={"NaN": None}.__getitem__)
            return orjson.loads(orjson.dumps(with_nulls))
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
        raise


def parse_object(line: bytes, noun: str = "line") -> dict[str, Any]:
    """Parse a JSON object, see `parse_json`; raise RecordError for anything else."""
    try:
        record = parse_json(line)
    except orjson.JSONDecodeError as error:
        try:
            line.decode()
        except UnicodeDecodeError as invalid:
            raise RecordError(f"the {noun} is not UTF-8 (byte {invalid.start + 1})") from invalid
        raise RecordError(f"the {noun} is not JSON: {error.msg} (column {error.colno})") from error
    if not isinstance(record, dict):
        raise RecordError(f"the {noun} is {type_name(record)}, not a JSON object")
    return record


def first_keys(head: bytes) -> set[str]:
    """Return the keys of the object on the first line of a file, or none.

    If the line is longer than the head, these are the keys in the head.
    """
    line, ended, _ = head.lstrip().partition(b"\n")
    try:
        return set(parse_object(line))
    except RecordError:
        return set() if ended or not line.startswith(b"{") else first_object(line)


def first_object(head: bytes) -> set[str]:
    """Return the keys of the first object in a text that may be cut off."""
    keys: set[str] = set()
    start = _FIRST_BRACE.match(head)
    reader = ValueReader(iter([head[start.end() :]] if start else []))
    try:
        while reader.skip(_SEPARATORS):
            _, key = reader.read()
            keys.add(key)
            reader.skip(_COLON)
            reader.read()
    except (ValueError, RecursionError, TypeError):  # the end, or damage
        pass
    return keys


def read_json(path: Path, count: Count, convert: Convert, keys: frozenset[str]) -> Results:
    """Yield the results of the objects of a file: one a line, an array, or pages of objects."""
    first = read_head(path)[0].lstrip().split(b"\n", 1)[0].rstrip()
    is_array = first.startswith(b"[") or first.endswith((b"{", b"[", b","))
    is_array = is_array or _WRAPPING.match(first.decode(errors="replace")) is not None
    return (read_array if is_array else read_objects)(path, count, convert, keys)


def convert_page(entries: list[Any], convert: Convert) -> Iterator[ParseResult]:
    """Yield the results of the objects of a page that is one object of the file."""
    for entry in entries:
        try:
            if not isinstance(entry, dict):
                raise RecordError("an entry of the page must be an object")
            yield from convert(entry)
        except RecordError as error:
            yield RecordIssue(str(error), error.id, _write_json(entry))


def _write_json(value: object) -> str:
    """Return a part of an object as JSON, or "" if it is nested too deep."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return ""


def read_array(
    path: Path,
    count: Count,
    convert: Convert,
    keys: frozenset[str],
    repair: Callable[[str], str] | None = None,
) -> Results:
    """Yield the results of each object of an array, with the line on which the object begins.

    The file is `[{...}, {...}]`, `{"items": [{...}, {...}]}`, an answer of Crossref's API (whose
    items are the objects), or objects one after another, in any layout. After a syntax error,
    reading continues at the next line that begins like the line of the damaged object; if there is
    none, the rest of the file is not loaded. A file that ends with an open bracket or after a comma
    ends with a RecordIssue.

    Args:
        path: The file.
        count: Called with the numbers of bytes read.
        convert: See `read_objects`.
        keys: See `read_objects`.
        repair: Turns text that is almost JSON into JSON.
    """
    reader = ValueReader(read_contents(path, count), repair)
    objects = Objects(convert, keys, "object")
    is_sound = True
    try:
        separators = reader.skip_wrapping()
        while reader.skip(separators):
            line = reader.line
            try:
                text, value = reader.read()
            except (ValueError, RecursionError) as error:
                is_sound = False
                reason = f"the object is not JSON: {error}"
                yield line, RecordIssue(reason, record=reader.skip_damage())
                continue
            if len(text) > MAX_LINE_BYTES:
                reason = f"the object is longer than {MAX_LINE_BYTES // 2**20} MiB"
                yield line, RecordIssue(reason, record=_cut_excerpt(text))
            elif not isinstance(value, dict):
                yield line, RecordIssue("this is not a JSON object", record=_cut_excerpt(text))
            else:
                for result in objects.results(text.encode(errors="surrogateescape")):
                    yield line, result
        reader.raise_damage()
    except DamagedFileError as error:
        yield reader.line, file_issue(error)
        return
    if is_sound and (reader.depth > 0 or reader.is_after_comma):
        yield reader.line, RecordIssue("the array is not closed; the rest of the file is missing")


class ValueReader:
    """Decodes JSON values from a stream, with the standard library's incremental decoder.

    Attributes:
        line: The line of the present position.
        depth: The number of brackets that `skip` has passed and that are not yet closed.
        is_after_comma: Whether the last of the separators is a comma.
    """

    def __init__(self, pieces: Iterator[bytes], repair: Callable[[str], str] | None = None) -> None:
        self.line = 1
        self.depth = 0
        self.is_after_comma = False
        self._pieces = pieces
        self._repair = repair
        self._to_text = getincrementaldecoder("utf-8")("surrogateescape").decode
        self._decode = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._indent = ""  # of the last line that began with separators
        self._damage: DamagedFileError | None = None

    def skip_wrapping(self) -> re.Pattern[str]:
        """Skip the beginning of an object around an array.

        Returns:
            The pattern of the separators of the values.
        """
        while len(self._text) < _LOOKAHEAD and self._read_more():
            pass
        wrapping = _WRAPPING.match(self._text)
        if not wrapping:
            return _SEPARATORS
        opening = _STRING.sub("", wrapping[0])
        self.depth = opening.count("{") - opening.count("}")
        self._move_to(wrapping.end())
        return _WRAPPED_SEPARATORS

    def skip(self, separators: re.Pattern[str]) -> bool:
        """Skip separators; return False at the end of the file."""
        while True:
            match = separators.match(self._text, self._at)
            assert match
            if skipped := _STRING.sub("", match[0]).strip():
                self.depth += sum(map(skipped.count, "[{")) - sum(map(skipped.count, "]}"))
                self.is_after_comma = skipped.endswith(",")
            if "\n" in match[0]:
                self._indent = match[0].rpartition("\n")[2]
            self._move_to(match.end())
            if len(self._text) - self._at >= _LOOKAHEAD or not self._read_more():
                return self._at < len(self._text)

    def read(self) -> tuple[str, Any]:
        """Return the value at the position, with its text.

        Raises:
            ValueError: The text is not JSON, or the value is longer than 2 * MAX_LINE_BYTES.
            RecursionError: The value is nested too deep.
        """
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if len(self._text) - self._at > 2 * MAX_LINE_BYTES:
                    raise ValueError("it is too long") from error
                is_cut = error.pos + _MAX_TOKEN > len(self._text) or "Unterminated" in error.msg
                if is_cut and self._read_more():
                    continue
                if self._repair:
                    unread = self._text[self._at :]
                    self._text, self._at = self._repair(unread), 0
                    if self._text != unread:
                        continue
                raise ValueError(error.msg) from error
            text = self._text[self._at : end]
            self._move_to(end)
            return text, value

    def skip_damage(self) -> str:
        """Skip to the next line that begins like that of the present value; return an excerpt."""
        beginning = f"\n{self._indent}{{"
        excerpt = self._text[self._at : self._at + MAX_EXCERPT_LENGTH]
        self._move_to(self._at + 1)
        while (start := self._text.find(beginning, self._at)) < 0:
            self._move_to(max(self._at, len(self._text) - len(beginning)))
            if not self._read_more():
                start = len(self._text) - 1
                break
        self._move_to(start + 1)
        return _cut_excerpt(excerpt.partition(beginning)[0])

    def raise_damage(self) -> None:
        """Raise the error that ended the file early, if any."""
        if self._damage:
            raise self._damage

    def _read_more(self) -> bool:
        """Read until there is twice as much text; return False at the end of the file."""
        unread = self._text[self._at :]
        parts, missing = [unread], len(unread) + 1
        try:
            while missing > 0 and (piece := next(self._pieces, None)) is not None:
                parts.append(self._to_text(piece))
                missing -= len(parts[-1])
        except DamagedFileError as error:
            self._damage = error  # the text before the damage is read first
        if missing > 0:
            parts.append(self._to_text(b"", True))
        self._text, self._at = "".join(parts), 0
        return len(self._text) > len(unread)

    def _move_to(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to


def _cut_excerpt(text: str) -> str:
    return printable(text[:MAX_EXCERPT_LENGTH])
