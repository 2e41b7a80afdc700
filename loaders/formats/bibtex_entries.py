"""Streams of the entries of a .bib file."""

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

from specter_graph.loaders.corpus_files import MAX_LINE_BYTES
from specter_graph.loaders.format_api import Count, RecordIssue
from specter_graph.loaders.parsing.plain_text import read_text_lines

# Its warnings become RecordIssues.
logging.getLogger("bibtexparser.splitter").setLevel(logging.CRITICAL + 1)

MAX_ENTRY_LENGTH = MAX_LINE_BYTES
"""Characters."""
MAX_EXPANSION = 2**16
"""Maximum characters of an `@string`, and of all `@string`s inserted into an entry."""
MAX_STRINGS = 2**20
"""Maximum characters of all `@string`s of a file together."""

_START = re.compile(r"\s*(%[%\s]*)?@\w*[ \t]*[{(]")
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: name for name in _MONTH_NAMES.split(" ")}


class _ExpansionError(ValueError):
    """A value in which abbreviations have more than MAX_EXPANSION characters."""


class _Abbreviations(dict[str, str]):
    """The texts of `@string`s by their names in lower case; `size` is their total length."""

    size = 0

    def define(self, name: str, written: str) -> None:
        """Add or replace one; if it is too long, remove it and raise _ExpansionError."""
        self.size -= len(self.pop(name, ""))
        value, _, _ = _value(written, self, MAX_EXPANSION)
        if len(value) > MAX_EXPANSION or self.size + len(value) > MAX_STRINGS:
            raise _ExpansionError
        self[name] = value
        self.size += len(value)


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """An entry: its `kind` ("article"), and LaTeX values by names of fields in lower case.

    `text` is the entry in the file.
    """

    kind: str
    key: str
    fields: dict[str, str]
    text: str


def read_entries(path: Path, count: Count) -> Iterator[tuple[int, BibtexEntry | RecordIssue]]:
    """Yield each entry with its line, from 1, after a RecordIssue for each repair.

    As in BibTeX, an `@string` applies to later entries, the first of repeated fields counts, and
    `@comment`, `@preamble` and text between entries are ignored. As in Biber, lines that begin with
    % are removed from an entry that begins with %. After damage, reading continues at the next line
    that begins with `@name{`.
    """
    abbreviations = _Abbreviations(_MONTHS)
    for line, block in _blocks(path, count):
        if isinstance(block, RecordIssue):
            yield line, block
            continue
        try:
            parsed = Splitter(block).split().blocks
        except Exception as error:  # the splitter may fail on damaged entries
            yield line, RecordIssue(f"the entry cannot be read: {error}", record=block)
            continue
        for part in parsed:
            for result in _results(part, abbreviations):
                yield line + (part.start_line or 0), result


def _blocks(path: Path, count: Count) -> Iterator[tuple[int, str | RecordIssue]]:
    """Yield the file, split before each line that begins an entry."""
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


def _results(
    block: Block | None, abbreviations: _Abbreviations
) -> Iterator[BibtexEntry | RecordIssue]:
    if isinstance(block, DuplicateBlockKeyBlock):  # two entries on one line: use both
        block = block.ignore_error_block
    if isinstance(block, DuplicateFieldKeyBlock):
        names = ", ".join(sorted(block.duplicate_keys))
        block = block.ignore_error_block
        assert isinstance(block, ParsedEntry)
        reason = f"repeated fields, of which the first counts: {names}"
        yield RecordIssue(reason, block.key, repaired=True)
    if isinstance(block, ParsedEntry):
        yield from _entry(block, abbreviations)
    elif isinstance(block, String):
        try:
            abbreviations.define(block.key.lower(), block.value)
        except _ExpansionError:
            reason = (
                f"the abbreviation {block.key:.100} is longer than {MAX_EXPANSION:,} characters, or"
                f" all abbreviations together are longer than {MAX_STRINGS:,}: it is ignored"
            )
            yield RecordIssue(reason, record=(block.raw or "")[:10_000])
    elif isinstance(block, ParsingFailedBlock):
        text = block.raw or ""
        if not text[:8].lower().startswith("@comment"):
            reason = getattr(block.error, "abort_reason", None) or str(block.error)
            yield RecordIssue(f"the entry cannot be read: {' '.join(reason.split())}", record=text)


def _entry(
    parsed: ParsedEntry, abbreviations: _Abbreviations
) -> Iterator[BibtexEntry | RecordIssue]:
    fields: dict[str, str] = {}
    unknown: dict[str, None] = {}
    budget = MAX_EXPANSION
    for field in parsed.fields:
        try:
            value, added, missing = _value(field.value, abbreviations, budget)
        except _ExpansionError:
            reason = f"abbreviations add more than {MAX_EXPANSION:,} characters to the entry"
            yield RecordIssue(reason, parsed.key, (parsed.raw or "")[:10_000])
            return
        budget -= added
        unknown.update(dict.fromkeys(missing))
        fields.setdefault(field.key.lower(), value)
    for name in unknown:
        reason = f"the abbreviation {name:.100} is not defined, and was not replaced"
        yield RecordIssue(reason, parsed.key, repaired=True)
    yield BibtexEntry(parsed.entry_type.lower(), parsed.key, fields, parsed.raw or "")


def _value(
    written: str, abbreviations: Mapping[str, str], limit: int
) -> tuple[str, int, list[str]]:
    """Replace the abbreviations in a value.

    A value has parts separated by `#`: `{text}`, `"text"`, a number, or an abbreviation.

    Returns:
        The value, the number of characters inserted, and the unknown abbreviations.

    Raises:
        _ExpansionError: Abbreviations have more than `limit` characters.
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
                if added > limit:
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
