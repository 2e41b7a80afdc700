"""Reads the entries of a .bib file as a stream."""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bibtexparser.model import (
    Block,
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    ParsingFailedBlock,
    String,
)
from bibtexparser.model import Entry as ParsedEntry
from bibtexparser.splitter import Splitter

from specter_graph.loaders.files import MAX_LINE_BYTES
from specter_graph.loaders.format_api import Count, RecordIssue
from specter_graph.loaders.parsing.text import read_text_lines

# What the splitter warns of, we tell as a RecordIssue.
logging.getLogger("bibtexparser.splitter").setLevel(logging.CRITICAL + 1)

MAX_ENTRY_LENGTH = MAX_LINE_BYTES
"""Characters."""
MAX_EXPANSION = 2**16
"""Characters of an `@string`, and of what all `@string`s add to one entry."""
MAX_STRINGS = 2**20
"""Characters of all `@string`s of a file together."""

_START = re.compile(r"\s*(%[%\s]*)?@\w*[ \t]*[{(]")
_MONTHS = {
    month: month
    for month in (
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    )
}  # fmt: skip


class _ExpansionError(ValueError):
    """A value that its abbreviations make longer than MAX_EXPANSION."""


class _Abbreviations(dict[str, str]):
    """The texts of `@string`s by their names in lower case; `size` is their length together."""

    size = 0

    def define(self, name: str, written: str) -> None:
        """Add or replace one; raises _ExpansionError, and forgets it, where it is too long."""
        self.size -= len(self.pop(name, ""))
        value, _, _ = _value(written, self, MAX_EXPANSION)
        if len(value) > MAX_EXPANSION or self.size + len(value) > MAX_STRINGS:
            raise _ExpansionError
        self[name] = value
        self.size += len(value)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: `kind` ("article") and the names of the fields in lower case, values in LaTeX.

    `text` is the entry as it stands in the file.
    """

    kind: str
    key: str
    fields: dict[str, str]
    text: str


def read_entries(path: Path, count: Count) -> Iterator[tuple[int, Entry | RecordIssue]]:
    """Yield each entry with its line, from 1; before it a RecordIssue for what was mended in it.

    As in BibTeX: an `@string` holds for what comes after it, of a field that comes twice the first
    counts, and what stands between entries, `@comment` and `@preamble` are no entries. As in Biber,
    lines that begin with % are left out where an entry begins so. Damage reaches as far as the next
    line that begins with `@name{`.
    """
    abbreviations = _Abbreviations(_MONTHS)
    for line, block in _blocks(path, count):
        if isinstance(block, RecordIssue):
            yield line, block
            continue
        try:
            parsed = Splitter(block).split().blocks
        except Exception as error:  # the splitter gives up where it finds itself at fault
            yield line, RecordIssue(f"the entry cannot be read: {error}", record=block)
            continue
        for part in parsed:
            for result in _understood(part, abbreviations):
                yield line + (part.start_line or 0), result


def _blocks(path: Path, count: Count) -> Iterator[tuple[int, str | RecordIssue]]:
    """Yield the file, cut before each line that begins an entry."""
    begin, lines, size, commented = 1, list[str](), 0, False
    for number, line in read_text_lines(path, count):
        if isinstance(line, RecordIssue):
            yield number, line
            continue
        if started := _START.match(line):
            if lines:
                yield begin, "\n".join(lines)
            begin, lines, size = number, [], 0
            commented = started[1] is not None
        if commented and line.lstrip().startswith("%"):
            line = ""
        size += len(line) + 1
        if size <= MAX_ENTRY_LENGTH:
            lines.append(line)
        elif lines:
            reason = f"the entry is longer than {MAX_ENTRY_LENGTH // 2**20} MiB"
            yield begin, RecordIssue(reason, record="\n".join(lines[:10])[:10_000])
            lines = []
    if lines:
        yield begin, "\n".join(lines)


def _understood(
    block: Block | None, abbreviations: _Abbreviations
) -> Iterator[Entry | RecordIssue]:
    if isinstance(block, DuplicateBlockKeyBlock):  # two on one line; each counts
        block = block.ignore_error_block
    if isinstance(block, DuplicateFieldKeyBlock):
        twice = ", ".join(sorted(block.duplicate_keys))
        block = block.ignore_error_block
        assert isinstance(block, ParsedEntry)
        yield RecordIssue(f"given twice, the first counts: {twice}", block.key, repaired=True)
    if isinstance(block, ParsedEntry):
        yield from _entry(block, abbreviations)
    elif isinstance(block, String):
        try:
            abbreviations.define(block.key.lower(), block.value)
        except _ExpansionError:
            reason = (
                f"the abbreviation {block.key:.100} is longer than {MAX_EXPANSION:,} characters, or"
                f" all of the file are longer than {MAX_STRINGS:,}: it is not defined"
            )
            yield RecordIssue(reason, record=(block.raw or "")[:10_000])
    elif isinstance(block, ParsingFailedBlock):
        text = block.raw or ""
        if not text[:8].lower().startswith("@comment"):
            reason = getattr(block.error, "abort_reason", None) or str(block.error)
            yield RecordIssue(f"the entry cannot be read: {' '.join(reason.split())}", record=text)


def _entry(parsed: ParsedEntry, abbreviations: _Abbreviations) -> Iterator[Entry | RecordIssue]:
    fields: dict[str, str] = {}
    unknown: dict[str, None] = {}
    left = MAX_EXPANSION
    for field in parsed.fields:
        try:
            value, added, missing = _value(field.value, abbreviations, left)
        except _ExpansionError:
            reason = (
                f"abbreviations make the entry longer by more than {MAX_EXPANSION:,} characters"
            )
            yield RecordIssue(reason, parsed.key, (parsed.raw or "")[:10_000])
            return
        left -= added
        unknown.update(dict.fromkeys(missing))
        fields.setdefault(field.key.lower(), value)
    for name in unknown:
        reason = f"the abbreviation {name:.100} is not defined: taken as it stands"
        yield RecordIssue(reason, parsed.key, repaired=True)
    yield Entry(parsed.entry_type.lower(), parsed.key, fields, parsed.raw or "")


def _value(written: str, abbreviations: Mapping[str, str], most: int) -> tuple[str, int, list[str]]:
    """A value with its abbreviations replaced, how long these are, and those that are unknown.

    A value is made of parts with `#` between: `{text}`, `"text"`, a number, an abbreviation. Raises
    _ExpansionError, before the parts are joined, where abbreviations have more than `most`
    characters.
    """
    unknown: list[str] = []
    added = 0
    parts: list[str] = []
    for part in _parts(written):
        if len(part) > 1 and part[0] + part[-1] in ("{}", '""'):
            parts.append(part[1:-1])
        elif part.isdecimal() or not part:
            parts.append(part)
        else:
            known = abbreviations.get(part.lower())
            if known is None:
                unknown.append(part)
            else:
                added += len(known)
                if added > most:
                    raise _ExpansionError
            parts.append(part if known is None else known)
    return "".join(parts), added, unknown


def _parts(written: str) -> Iterator[str]:
    begin, depth, quoted = 0, 0, False
    if "#" not in written:
        yield written.strip()
        return
    for at, character in enumerate(written):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == '"' and depth == 0:
            quoted = not quoted
        elif character == "#" and depth == 0 and not quoted:
            yield written[begin:at].strip()
            begin = at + 1
    yield written[begin:].strip()
