"""Reads the text layout of AMiner's citation network, versions 1 to 8: a record is tagged lines.

`#*` title, `#@` authors, `#o` their affiliations, `#t` or `#year` year, `#c` or `#conf` venue,
`#index` id, `#%` an id that is cited (a line each), `#!` abstract. `#citation` (how often cited)
and `#arnetid` are dropped. Some files begin their records with `#*`, others with `#index`: a record
ends at a blank line, or at a `#*` or `#index` when it has one already.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders.files import LONGEST_LINE
from specter_graph.loaders.format_api import Count, Found, Ignored, Problem, RecordError
from specter_graph.loaders.parsing.json_lines import Convert
from specter_graph.loaders.parsing.text_lines import read_text_lines

_TAG = re.compile(r"#(index|arnetid|citation|conf|year|[*@tco%!])\s*(.*)")
_BEGINS = re.compile(r"#(?:\*|index)")
_KEYS = {"*": "title", "t": "year", "year": "year", "c": "venue", "conf": "venue",
         "index": "id", "!": "abstract"}  # fmt: skip
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\d+\s*[\r\n]\s*)?#(?:\*|index\s*\w)")
_MOST_UNKNOWN_KEYS = 100


def looks_like_text(head: bytes) -> bool:
    """Whether a file begins as this layout does: perhaps a number, then a title."""
    return _START.match(head) is not None


def read_text(path: Path, count: Count, convert: Convert) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of each record, with its first line.

    `convert` gets what the JSON layout would hold. It may raise RecordError.
    """
    begin, lines, size, cut = 1, list[str](), 0, False
    told: set[str] = set()
    begun: set[str] = set()  # which of the tags that may begin a record this one has
    for number, line in read_text_lines(path, count):
        if isinstance(line, Problem):
            cut = not line.repaired
            yield number, line
            continue
        blank = not line or line.isspace()
        begins = _BEGINS.match(line)
        if lines and (blank or (begins and begins[0] in begun)):
            for found in _record(lines, size, convert, told):
                yield begin, found
            lines, size, begun = [], 0, set()
        if not lines and line.strip().isdecimal():
            continue  # the number of records, at the beginning of the file
        if not blank:
            begun |= {begins[0]} if begins else set()
            begin = begin if lines else number
            size += len(line)
            if size <= LONGEST_LINE:
                lines.append(line)
    if lines and cut:
        yield begin, Problem("the record is cut off", record="\n".join(lines)[:10_000])
    elif lines:
        for found in _record(lines, size, convert, told):
            yield begin, found


def _record(lines: list[str], size: int, convert: Convert, told: set[str]) -> Iterator[Found]:
    text = "\n".join(lines)
    if size > LONGEST_LINE:
        yield Problem(
            f"the record is longer than {LONGEST_LINE // 2**20} MiB", record=text[:10_000]
        )
        return
    record: dict[str, Any] = {"references": []}
    names: list[str] = []
    orgs: list[str] = []
    last = None
    for line in lines:
        tag = _TAG.match(line.lstrip())
        if not tag:
            if line.startswith("#"):
                yield from _unknown(line, told)
            elif last:  # a text with a line end in it
                record[last] = f"{record[last]} {line.strip()}"
            continue
        name, value = tag[1], tag[2].strip()
        last = _KEYS.get(name)
        if last:
            record[last] = value
        elif name == "%":
            record["references"] += [value] if value else []
        elif name == "@":
            names = _split(value)
        elif name == "o":
            orgs = value.split(";")
    if len(orgs) != len(names):
        orgs = []
    record["authors"] = [
        {"name": name, "org": org}
        for name, org in zip(names, orgs or [""] * len(names), strict=True)
    ]
    try:
        yield from convert(record)
    except RecordError as error:
        yield Problem(str(error), error.id, text)


def _split(value: str) -> list[str]:
    """Names are separated by semicolons in the later versions, by commas in the earlier."""
    return value.split(";" if ";" in value else ",") if value.strip() else []


def _unknown(line: str, told: set[str]) -> Iterator[Found]:
    key = line.split(maxsplit=1)[0][:20]
    if key not in told and len(told) < _MOST_UNKNOWN_KEYS:
        told.add(key)
        yield Ignored(key)
