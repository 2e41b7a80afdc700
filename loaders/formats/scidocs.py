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
from specter_graph.loaders.files import LONGEST_LINE, DamagedFileError, read_contents
from specter_graph.loaders.format_api import Count, Found, Problem
from specter_graph.loaders.formats.semantic_scholar import (
    SOURCE,
    Values,
    author,
    cited_by,
    distinct,
    head,
    required_text,
)
from specter_graph.loaders.parsing.depth_limit import Nesting
from specter_graph.loaders.parsing.field_values import LONGEST_NAME, required
from specter_graph.loaders.parsing.json_lines import Objects
from specter_graph.loaders.records import Author, Citation, Paper

CITES, CITES_CITING = 5, 1
"""The counts of data.json."""
DEEPEST = 250
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


def begins(contents: bytes) -> str | None:
    """Which of the two files begins so, if any."""
    found = _BEGINS.match(contents)
    return ("data.json" if found[1] else "metadata.json") if found else None


def read_scidocs(path: Path, count: Count) -> Iterator[tuple[int, Found]]:
    """What a file tells, with the number of the member, from 1; memory is that of one member."""
    pairs = begins(head(path)) == "data.json"
    objects = Objects(_pairs, frozenset({_MEMBER, _PAIRS})) if pairs else Objects(_paper, KEYS)
    number = 0
    stream = _Stream(read_contents(path, count))
    try:
        for number, (key, value) in enumerate(ijson.kvitems(stream, "", use_float=True), 1):
            if stream.mended():
                yield number, Problem("what is no UTF-8 is replaced by U+FFFD", repaired=True)
            for found in _found(objects, key, {_PAIRS: value} if pairs else value):
                yield number, found
    except ijson.JSONError as error:
        reason = str(error).split("\n")[0]
        yield number + 1, Problem(f"the JSON is broken ({reason}); the rest is not loaded")
    except DamagedFileError as error:
        yield number + 1, Problem(f"{error}; the rest of the file is not loaded")
    except OSError as error:
        yield number + 1, Problem(f"the file cannot be read: {error.strerror}")


def _found(objects: Objects, key: str, value: object) -> Iterator[Found]:
    """What a member tells, read as a record of its own."""
    record = {**value, _MEMBER: key} if isinstance(value, dict) else {_MEMBER: key}
    try:
        line = orjson.dumps(record)
    except TypeError:
        yield Problem("the member is nested too deep", key[:LONGEST_NAME])
    else:
        yield from objects.found(line)


def _paper(record: dict[str, Any]) -> Iterator[Found]:
    """A member of metadata.json; where it has no references they are in data.json."""
    key = required(record, _MEMBER, LONGEST_NAME)
    paper_id = f"s2:{key}"
    title = required_text(record, "title", paper_id)
    values = Values(record)
    yield from cited_by(values, values.texts("cited_by"), paper_id)
    sha = identifiers.s2(key)
    paper = Paper(
        id=paper_id,
        title=title,
        abstract=values.text("abstract"),
        year=values.year("year"),
        source=SOURCE,
        identifiers=(sha,) if sha else (),
        authors=distinct(map(_author, values.texts("authors"))),
        references=tuple(f"s2:{other}" for other in values.texts("references")),
        elsewhere=() if "references" in record else ("references",),
    )
    yield from values.problems(paper_id)
    yield paper


def _author(written: str) -> Author:
    """An author of SciDocs: a number of Semantic Scholar, which stands for the name, or a name."""
    return author(written, written if written.isdecimal() else None)


def _pairs(record: dict[str, Any]) -> Iterator[Found]:
    """A member of data.json: the papers that a paper cites."""
    citing = f"s2:{required(record, _MEMBER, LONGEST_NAME)}"
    values = Values(record)
    for other, relation in values.object(_PAIRS).items():
        count = relation.get("count") if isinstance(relation, dict) else None
        if count == CITES and other.strip():
            yield Citation(citing, f"s2:{other.strip()}")
        elif count != CITES_CITING:
            values.left_out.append(f"the pair with {other:.100}: its count is neither 5 nor 1")
    yield from values.problems(citing)


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
        self._nesting = Nesting(DEEPEST)

    def read(self, size: int) -> bytes:
        """The next bytes, at most so many."""
        while self._at == len(self._piece) and size:
            piece = next(self._pieces, None)
            self._piece = self._utf8(piece or b"", final=piece is None)
            self._at = 0
            if piece is None:
                break
        chunk = self._piece[self._at : self._at + size]
        fitting = self._nesting.fits(chunk)
        if chunk and not fitting:
            raise DamagedFileError(f"a member is nested deeper than {DEEPEST} levels")
        chunk = chunk[:fitting]
        self._at += len(chunk)
        self._member += len(chunk)
        if self._member > LONGEST_LINE + size:
            raise DamagedFileError(f"a member is longer than {LONGEST_LINE // 2**20} MiB")
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
