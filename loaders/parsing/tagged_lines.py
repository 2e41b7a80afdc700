"""Streams of records of tagged lines: RIS, PubMed's nbib, Web of Science and EndNote's tags.

The formats differ in the form of a tag, in what begins and ends a record, and in whether the lines
after a tag continue its value or are further values; a `TagLayout` says so.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from specter_graph.loaders.corpus_files import MAX_LINE_BYTES
from specter_graph.loaders.format_api import (
    Count,
    FieldCheck,
    ParseResult,
    RecordIssue,
    Results,
    convert_record,
)
from specter_graph.loaders.parsing.plain_text import read_text_lines


@dataclass(frozen=True, slots=True)
class TagLayout:
    """The form of a format's records.

    Attributes:
        tag: Matches a line with a tag; its groups are `tag`, `value` and, if the number of spaces
            must be the same throughout a record, `gap`.
        start: The tag of the first line of a record.
        end: The tag of the last line; "" if the next start ends a record, or a blank line, unless
            `needs_start`.
        key: The tag of an id, for messages.
        lists: Tags whose following lines are further values, which are separated by line ends.
        outside: Tags of lines outside records.
        needs_start: True if a record without the first tag is rejected.
        other_start: A tag that may come before the first one. Both begin a record only after a
            blank line, or if the record has the tag.
    """

    tag: re.Pattern[str]
    start: str
    end: str = ""
    key: str = ""
    lists: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    needs_start: bool = True
    other_start: str = ""


@dataclass(slots=True)
class Record:
    """A record: its values in order and by tag, and its lines.

    `written` has the tags and the lines of the values while the record is read.
    """

    line: int
    gap: str = ""
    written: list[tuple[str, list[str]]] = field(default_factory=list)
    in_order: list[tuple[str, str]] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def end(self, layout: TagLayout) -> None:
        """Join the lines of each value."""
        for tag, lines in self.written:
            value = ("\n" if tag in layout.lists else " ").join(lines).lstrip()
            self.in_order.append((tag, value))
            self.values.setdefault(tag, []).append(value)

    def first(self, *tags: str) -> str:
        """Return the first value of the first of the tags that has one."""
        return next((value for tag in tags for value in self.values.get(tag, ()) if value), "")

    def all(self, *tags: str) -> list[str]:
        """Return all values of the tags."""
        return [value for tag in tags for value in self.values.get(tag, ()) if value]

    def listed(self, *tags: str) -> list[str]:
        """Return the lines of the first of the tags that has a value."""
        values = next((given for tag in tags if any(given := self.values.get(tag, []))), [])
        return [line for value in values for line in value.split("\n") if line]

    def __str__(self) -> str:
        """Return the record in the file."""
        return "\n".join(self.lines)


def read_tagged(
    path: Path,
    count: Count,
    layout: TagLayout,
    convert: Callable[[Record], Iterable[ParseResult]],
    known: Iterable[str],
) -> Results:
    """Yield the results of each record of a file with its first line, and RecordIssues.

    Args:
        path: The file.
        count: Called with the numbers of bytes read.
        layout: The form of the records.
        convert: Returns the results of a record. Its RecordError becomes a RecordIssue.
        known: The tags of the format; others are reported once.
    """
    fields = FieldCheck(known)
    for line, result in read_tagged_records(path, count, layout):
        if isinstance(result, RecordIssue):
            yield line, result
            continue
        for unknown in fields.unknown(result.values.keys()):
            yield line, unknown
        yield from convert_record(convert, result, line, result)


def read_tagged_records(
    path: Path, count: Count, layout: TagLayout
) -> Iterator[tuple[int, Record | RecordIssue]]:
    """Yield each record of a file, and RecordIssues, with its first line."""
    record: Record | None = None
    is_blank = is_cut = False
    starts = {layout.start, layout.other_start} - {""}
    has_gap = "gap" in layout.tag.groupindex
    ends_at_blank = not layout.end and not layout.needs_start
    for number, line in read_text_lines(path, count):
        if isinstance(line, RecordIssue):
            is_cut = not line.repaired
            yield number, line
            continue
        text = line.rstrip()
        is_after_blank, is_blank = is_blank, not text
        tag = layout.tag.fullmatch(text)
        gap = tag["gap"] if tag and has_gap else ""
        if record and gap != record.gap:
            tag = None  # text that looks like a tag
        name = tag["tag"] if tag else ""
        if is_blank and ends_at_blank:
            if record:
                yield from _end_record(record, layout)
            record = None
            continue
        if name in layout.outside:
            continue
        if name in starts:
            is_new = not layout.other_start or is_after_blank
            if record and (is_new or any(name == known for known, _ in record.written)):
                yield from _end_record(record, layout, next_begins=True)
                record = None
            record = record or Record(number, gap)
        if record is None:
            if not tag:
                continue  # text before the first record, and blank lines
            record = Record(number, gap)  # the beginning of a record is lost
        record.size += len(line) + 1
        if record.size <= MAX_LINE_BYTES:
            record.lines.append(line)
            if tag:
                record.written.append((name, [(tag["value"] or "").strip()]))
            elif text and record.written:
                record.written[-1][1].append(text.lstrip())
        if tag and name == layout.end:
            yield from _end_record(record, layout)
            record = None
    if record and is_cut and not layout.end:
        record.end(layout)
        key = record.first(layout.key) or None
        yield record.line, RecordIssue("the record is cut off", key, str(record)[:10_000])
    elif record:
        yield from _end_record(record, layout)
        if layout.end and layout.start in record.values:
            reason = (
                f"the file ends before the {layout.end} of its last record; more may be missing"
            )
            yield record.line, RecordIssue(reason, record.first(layout.key) or None)


def _end_record(
    record: Record, layout: TagLayout, *, next_begins: bool = False
) -> Iterator[tuple[int, Record | RecordIssue]]:
    start, end = layout.start, layout.end
    record.end(layout)
    if record.size > MAX_LINE_BYTES:
        reason = f"the record is longer than {MAX_LINE_BYTES // 2**20} MiB"
        yield record.line, RecordIssue(reason, record=str(record)[:10_000])
    elif layout.needs_start and record.values.keys().isdisjoint((start, layout.other_start)):
        if len(record.written) > 1:  # a single tag is text between records, as Ovid writes it
            reason = f"the record does not begin with {start}"
            yield record.line, RecordIssue(reason, record=str(record))
    else:
        if end and next_begins and record.in_order[-1][0] != end:
            reason = f"the record does not end with {end}, and was read up to the next {start}"
            key = record.first(layout.key) or None
            yield record.line, RecordIssue(reason, key, repaired=True)
        yield record.line, record
