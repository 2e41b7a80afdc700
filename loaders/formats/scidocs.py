"""The files of SPECTER and SciDocs: one big JSON object each, keyed by the SHA of a paper.

metadata.json (paper_metadata_*.json in SciDocs) has the papers; data.json has pairs of papers,
{"SHA": {"OTHER": {"count": 5}}}: a count of 5 says that the one cites the other, a count of 1 that
it cites a paper which does (README of the SPECTER repository).
"""

import re
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ijson
import orjson

from specter_graph.loaders import identifiers
from specter_graph.loaders.files import MAX_LINE_BYTES, DamagedFileError, read_contents, read_head
from specter_graph.loaders.format_api import Count, ParseResult, RecordIssue, Results, file_issue
from specter_graph.loaders.formats.bibliography import unique
from specter_graph.loaders.formats.semantic_scholar import (
    SOURCE,
    author,
    cited_by,
    required_text,
    stripped,
    year_of,
)
from specter_graph.loaders.parsing.field_values import required
from specter_graph.loaders.parsing.json import Nesting, Objects
from specter_graph.loaders.parsing.tolerant_fields import issues, part, text, with_issues
from specter_graph.loaders.records import Citation, Paper
from specter_graph.loaders.validation import MAX_NAME_LENGTH

CITES, CITES_CITING = 5, 1
"""The counts of data.json."""
MAX_DEPTH = 250
"""Levels; ijson takes memory with their square, and orjson writes no more than 254."""

_MEMBER = "paper_id"
_PAIRS = "pairs"
KEYS = frozenset(
    {"paper_id", "title", "abstract", "year", "authors", "references", "cited_by"}  # of a paper
)
_BEGINS = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{\s*(?:"[^"]*"\s*:\s*\{\s*\}\s*,\s*)*+"[^"]*"\s*:\s*\{\s*'
    rb'(?:"(?:paper_id|title|abstract|year|authors|references|cited_by)"|("[^"]*"\s*:\s*\{\s*"count"))'
)


def detect_layout(contents: bytes) -> str | None:
    """Which of the two files begins so, if any."""
    match = _BEGINS.match(contents)
    return ("data.json" if match[1] else "metadata.json") if match else None


def read_scidocs(path: Path, count: Count) -> Results:
    """What a file tells, with the number of the member, from 1; memory is that of one member."""
    pairs = detect_layout(read_head(path)[0]) == "data.json"
    objects = Objects(_pairs, frozenset({_MEMBER, _PAIRS})) if pairs else Objects(_paper, KEYS)
    number = 0
    stream = _Stream(read_contents(path, count))
    try:
        for number, (key, value) in enumerate(ijson.kvitems(stream, "", use_float=True), 1):
            if stream.mended():
                yield number, RecordIssue("what is no UTF-8 is replaced by U+FFFD", repaired=True)
            for result in _found(objects, key, {_PAIRS: value} if pairs else value):
                yield number, result
    except ijson.JSONError as error:
        reason = str(error).split("\n")[0]
        yield number + 1, RecordIssue(f"the JSON is broken ({reason}); the rest is not loaded")
    except (DamagedFileError, OSError) as error:
        yield number + 1, file_issue(error)


def _found(objects: Objects, key: str, value: object) -> Iterator[ParseResult]:
    """What a member tells, read as a record of its own."""
    record = {**value, _MEMBER: key} if isinstance(value, dict) else {_MEMBER: key}
    try:
        line = orjson.dumps(record)
    except TypeError:
        yield RecordIssue("the member is nested too deep", key[:MAX_NAME_LENGTH])
    else:
        yield from objects.results(line)


def _paper(record: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield a member of metadata.json; where it has no references they are in data.json."""
    key = required(record, _MEMBER, MAX_NAME_LENGTH)
    paper_id = f"s2:{key}"
    title = required_text(record, "title", paper_id)
    wrong: list[str] = []
    yield from cited_by(record, "cited_by", paper_id, wrong)
    sha = identifiers.s2(key)
    paper = Paper(
        id=paper_id,
        title=title,
        abstract=text(record, "abstract", wrong),
        year=year_of(record, "year", wrong),
        source=SOURCE,
        identifiers=(sha,) if sha else (),
        authors=unique(
            # a number of Semantic Scholar, which is the name too, or a name
            author(written, written if written.isdecimal() else None, wrong)
            for written in stripped(record, "authors", wrong)
        ),
        references=tuple(f"s2:{other}" for other in stripped(record, "references", wrong)),
        elsewhere=() if "references" in record else ("references",),
    )
    yield from with_issues(paper, wrong)


def _pairs(record: dict[str, Any]) -> Iterator[ParseResult]:
    """Yield a member of data.json: the papers that a paper cites."""
    citing = f"s2:{required(record, _MEMBER, MAX_NAME_LENGTH)}"
    wrong: list[str] = []
    for other, relation in part(record, _PAIRS, wrong).items():
        count = relation.get("count") if isinstance(relation, dict) else None
        if count == CITES and other.strip():
            yield Citation(citing, f"s2:{other.strip()}")
        elif count != CITES_CITING:
            wrong.append(f"the pair with {other:.100}: its count is neither 5 nor 1")
    yield from issues(wrong, citing)


class _Stream:
    """A file for ijson: in UTF-8, and with an end when a member is too long or nested too deep."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = (
            piece if number else piece.removeprefix(BOM_UTF8) for number, piece in enumerate(pieces)
        )
        self._decoder = getincrementaldecoder("utf-8")()
        self._piece = b""
        self._at = 0
        self._member = 0  # bytes read since the last member came
        self._replaced = False
        self._nesting = Nesting(max_depth=MAX_DEPTH)

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most so many."""
        while self._at == len(self._piece) and size:
            piece = next(self._pieces, None)
            self._piece = self._utf8(piece or b"", final=piece is None)
            self._at = 0
            if piece is None:
                break
        chunk = self._piece[self._at : self._at + size]
        fitting = self._nesting.scan(chunk.decode("latin-1"))
        if chunk and not fitting:
            raise DamagedFileError(f"a member is nested deeper than {MAX_DEPTH} levels")
        chunk = chunk[:fitting]
        self._at += len(chunk)
        self._member += len(chunk)
        if self._member > MAX_LINE_BYTES + size:
            raise DamagedFileError(f"a member is longer than {MAX_LINE_BYTES // 2**20} MiB")
        return chunk

    def mended(self) -> bool:
        """Tell that a member has come, and whether anything had to be replaced since the last."""
        replaced, self._replaced, self._member = self._replaced, False, 0
        return replaced

    def _utf8(self, piece: bytes, *, final: bool) -> bytes:
        try:
            return self._decoder.decode(piece, final).encode()
        except UnicodeDecodeError:
            self._replaced = True
            self._decoder.errors = "replace"
            mended = self._decoder.decode(piece, final).encode()
            self._decoder.errors = "strict"
            return mended
