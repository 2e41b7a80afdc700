"""Reads the objects of a big JSON array one after another, memory flat."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders.files import LONGEST_LINE, DamagedFileError, read_contents
from specter_graph.loaders.format_api import Count, Found, Problem, RecordError
from specter_graph.loaders.parsing.json_lines import Convert, Objects, Parse, parse_object

_BRACE = re.compile(rb'[^"{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}]*+)*+([{}])', re.DOTALL)
"""The next brace outside of strings. It never steps back, so that damage costs no time."""
_UNCLOSED = re.compile(rb'[^"{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}]*+)*+"', re.DOTALL)
"""Up to the quote of a string whose end has not been read."""
_STRING_END = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_WRAPPING = re.compile(rb'\s*\{\s*(?:"status"\s*:\s*"ok"[^\[\]]*?)?"items"\s*:\s*(?=\[)')
_WRAPPED = re.compile(rb'(?:"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[\w.+-]+)?[\s,\]}]*+)*+')
"""What else the wrapping object says: keys with a number or a text, or before another object."""
_BETWEEN = b" \t\r\n,[]}"
"""Around objects: several arrays, or one in an object, are read as one."""
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_OPENING = ord("{")
_BOM = b"\xef\xbb\xbf"


def read_array(
    path: Path,
    count: Count,
    convert: Convert,
    keys: frozenset[str],
    parse: Parse = parse_object,
) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of each object of an array, with the line on which the object begins.

    The file is `[{...}, {...}]`, `{"items": [{...}, {...}]}`, an answer of Crossref's API (whose
    items these are), or objects one after another, laid out in any way. Otherwise as
    `json_lines.read_objects`; `parse` may take the place of `json_lines.parse_object`. After an
    object that is damaged, reading goes on at the next line that begins as the object did. A file
    that ends with an open bracket or after a comma ends with a Problem.
    """
    pieces = _Pieces(read_contents(path, count))

    def parse_piece(piece: bytes) -> dict[str, Any]:
        try:
            return parse(piece)
        except RecordError as error:
            pieces.damaged = True
            raise RecordError(str(error).replace("the line", "the object", 1)) from error

    objects = Objects(convert, keys, parse_piece)
    try:
        for line, piece in pieces.split():
            if isinstance(piece, Problem):
                yield line, piece
            else:
                for found in objects.found(piece):
                    yield line, found
    except DamagedFileError as error:
        yield pieces.line, Problem(f"{error}; the rest of the file is not loaded")
    except OSError as error:
        yield pieces.line, Problem(f"the file cannot be read: {error.strerror}")


class _Pieces:
    """Cuts a stream into its outermost objects."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._data = b""
        self._at = 0  # all before it has been given
        self._start = b""  # how a line begins that holds such an object
        self._error: Exception | None = None
        self._open = 0  # brackets around the objects
        self._comma = False  # the last of what stands between objects
        self._sound = True  # all that stands there was understood
        self.line = 1  # of `_at`
        self.damaged = False
        """To be set when the object just given is none after all."""

    def split(self) -> Iterator[tuple[int, bytes | Problem]]:
        """Each object, or a Problem for what is none, with its line."""
        while self._at + 1_000 > len(self._data) and self._more():
            pass
        self._data = self._data.removeprefix(_BOM)
        if wrapping := _WRAPPING.match(self._data):
            self._follow(wrapping[0])
            self._move(wrapping.end())
        while (begin := self._begin()) is not None:
            strange = self._data[self._at : begin].strip(_BETWEEN)
            if strange and not (wrapping and _WRAPPED.fullmatch(strange)):
                begin = self._swallowed(begin) or begin
                self._sound = False
                yield self.line, _no_object(self._data[self._at : begin].strip(_BETWEEN))
            self._follow(self._data[self._at : begin])
            self._start = self._line_start(begin)
            self._move(begin)
            if begin == len(self._data):
                continue
            end, depth = self._end()
            if depth == 0 and end - self._at <= LONGEST_LINE:
                self.damaged = False
                yield self.line, self._data[self._at : end]
                self._sound &= not self.damaged
                self._move(self._next_like_this(end) or end if self.damaged else end)
            else:
                self._sound = False
                yield self.line, _endless(self._data[self._at :])
                self._pass_over(end, depth)
        strange = self._data[self._at :].strip(_BETWEEN)
        self._follow(self._data[self._at :])
        if strange and not (wrapping and _WRAPPED.fullmatch(strange)):
            yield self.line, _no_object(strange)
        elif self._sound and not self._error and (self._open > 0 or self._comma):
            yield self.line, Problem("the array is not closed; the rest of the file is missing")
        if self._error:
            raise self._error

    def _follow(self, between: bytes) -> None:
        """Count the brackets of what stands before an object, or behind the last."""
        text = _STRING.sub(b"", between)
        self._open += sum(map(text.count, (b"[", b"{"))) - sum(map(text.count, (b"]", b"}")))
        self._comma = text.rstrip().endswith(b",")

    def _begin(self) -> int | None:
        """Where the next object begins, or the end of what has been read if that is too long."""
        at = self._at
        while True:
            found = _BRACE.match(self._data, at)
            if found and self._data[found.end() - 1] == _OPENING:
                return found.end() - 1
            if found:
                at = found.end()
            elif len(self._data) - self._at > LONGEST_LINE:
                return len(self._data)
            elif self._more():
                at = self._at
            else:
                brace = self._data.find(b"{", at)
                return brace if brace >= 0 else None

    def _end(self) -> tuple[int, int]:
        """Where the object that begins here ends, and 0; else where it is at what depth."""
        passed, depth = 0, 0  # from `_at`, which goes to the front as more is read
        while passed <= LONGEST_LINE:
            found = _BRACE.match(self._data, self._at + passed)
            if found:
                passed = found.end() - self._at
                depth += 1 if self._data[found.end() - 1] == _OPENING else -1
                if depth == 0:
                    break
            elif len(self._data) - self._at > LONGEST_LINE or not self._more():
                break
        return self._at + passed, depth

    def _pass_over(self, at: int, depth: int) -> None:
        """Leave an object that has no end, or a far one, for the next that begins like it."""
        self._at += 1
        in_string = False
        while True:
            like_this = self._data.find(self._start, self._at)
            if like_this >= 0:
                return self._move(like_this + 1)
            if in_string and (end := _STRING_END.match(self._data, at)):
                at, in_string = end.end(), False
            while not in_string and depth and (brace := _BRACE.match(self._data, at)):
                at = brace.end()
                depth += 1 if self._data[at - 1] == _OPENING else -1
            if depth == 0:
                return self._move(at)
            if not in_string and len(self._data) - at > LONGEST_LINE:
                in_string = _UNCLOSED.match(self._data, at) is not None
                at = len(self._data)
            if in_string:  # an escape is not cut in two
                before = self._data.rstrip(b"\\")
                at = len(self._data) - (len(self._data) - len(before)) % 2
            self._move(max(self._at, at - len(self._start)))
            at -= self._at
            if not self._more():
                return self._move(len(self._data))

    def _swallowed(self, begin: int) -> int | None:
        """Where an object like the last begins before that: a stray quote may have hidden it."""
        found = self._data.find(self._start, self._at, begin) if self._start else -1
        return found + len(self._start) - 1 if found >= 0 else None

    def _next_like_this(self, end: int) -> int | None:
        """Where a line before `end` begins as the line of the object that begins here."""
        found = self._data.find(self._start, self._at + 1, end)
        return found + 1 if found >= 0 else None

    def _line_start(self, begin: int) -> bytes:
        before = self._data[self._data.rfind(b"\n", 0, begin) + 1 : begin]
        return b"\n" + (b"" if before.strip(_BETWEEN) else before) + b"{"

    def _more(self) -> bool:
        """Read on until there is twice as much; false at the end of the file."""
        rest = self._data[self._at :]
        parts, wanted = [rest], len(rest) + 1
        try:
            while wanted > 0 and (chunk := next(self._chunks, None)) is not None:
                parts.append(chunk)
                wanted -= len(chunk)
        except (DamagedFileError, OSError) as error:
            self._error = error  # what came through is given first
        self._data, self._at = b"".join(parts), 0
        return len(self._data) > len(rest)

    def _move(self, to: int) -> None:
        self.line += self._data.count(b"\n", self._at, to)
        self._at = to


def _no_object(text: bytes) -> Problem:
    return Problem("this is no JSON object", record=text[:10_000].decode(errors="replace"))


def _endless(text: bytes) -> Problem:
    reason = f"the object is not closed, or is longer than {LONGEST_LINE // 2**20} MiB"
    return Problem(reason, record=text[:10_000].decode(errors="replace"))
