"""The files of SPECTER and SciDocs: a JSON object whose keys are the SHAs of papers.

metadata.json (paper_metadata_*.json in SciDocs) has the papers. data.json has pairs of papers,
{"SHA": {"OTHER": {"count": 5}}}: with a count of 5, SHA cites OTHER; with a count of 1, SHA cites a
paper that cites OTHER (README of the SPECTER repository).
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders.corpus_files import (
    MAX_LINE_BYTES,
    DamagedFileError,
    read_contents,
    read_head,
)
from specter_graph.loaders.format_api import Count, ParseResult, RecordIssue, Results, file_issue
from specter_graph.loaders.formats.bibliography import unique
from specter_graph.loaders.formats.semantic_scholar import (
    author,
    cited_by,
    make_paper,
    stripped,
)
from specter_graph.loaders.parsing.field_values import (
    JsonRecord,
    json_converter,
    required,
)
from specter_graph.loaders.parsing.json import Objects, ValueReader
from specter_graph.loaders.records import Citation, Item
from specter_graph.loaders.validation import MAX_NAME_LENGTH, printable

CITES, CITES_CITING = 5, 1
"""Counts in data.json."""
_MEMBER = "paper_id"
_PAIRS = "pairs"
KEYS = frozenset(
    {"paper_id", "title", "abstract", "year", "authors", "references", "cited_by"}  # of a paper
)
_BEFORE_KEY = re.compile(r"[\s,{}]*+")
_BEFORE_VALUE = re.compile(r"[\s:]*+")
_BEGINNING = re.compile(
    rb'\s*\{\s*(?:"[^"]*"\s*:\s*\{\s*\}\s*,\s*)*+"[^"]*"\s*:\s*\{\s*'
    rb'(?!"paper_id"\s*:\s*\d)'  # S2AND, whose authors and references have another form
    rb'(?:"(?:paper_id|title|abstract|year|authors|references|cited_by)"|("[^"]*"\s*:\s*\{\s*"count"))'
)


def detect_layout(contents: bytes) -> str | None:
    """Return which of the two files begins like this, if any."""
    match = _BEGINNING.match(contents)
    return ("data.json" if match[1] else "metadata.json") if match else None


def read_scidocs(path: Path, count: Count) -> Results:
    """Yield the papers or citations of a file with the number of the member, from 1.

    Memory is needed for one member at a time.
    """
    is_pairs = detect_layout(read_head(path)[0]) == "data.json"
    objects = (
        Objects(_convert_pairs, frozenset({_MEMBER, _PAIRS}))
        if is_pairs
        else Objects(_convert_paper, KEYS)
    )
    number = 0
    try:
        for key_text, key, text, value in _decode_members(path, count):
            number += 1
            if len(text) > MAX_LINE_BYTES:
                yield number, RecordIssue(f"the member is longer than {MAX_LINE_BYTES >> 20} MiB")
                continue
            if (readable := [printable(key_text), printable(text)]) != [key_text, text]:
                yield number, RecordIssue("bytes that are not UTF-8 became U+FFFD", repaired=True)
                key, value = map(json.loads, readable)
            for result in _convert_member(objects, key, {_PAIRS: value} if is_pairs else value):
                yield number, result
    except (ValueError, RecursionError) as error:
        yield number + 1, RecordIssue(f"the JSON is broken ({error}); the rest is not loaded")
    except DamagedFileError as error:
        yield number + 1, file_issue(error)


def read_keys(path: Path) -> Iterator[str]:
    """Yield the ids of the papers of a metadata.json, as `read_scidocs` gives them.

    Raises:
        InputError: The file cannot be read.
    """
    for key, _ in _read_members(path):
        yield f"s2:{key}"


def read_related(path: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each query of a data.json with the counts of its related papers, by id.

    Raises:
        InputError: The file cannot be read, or a member has another form.
    """
    for key, value in _read_members(path):
        try:
            related = {f"s2:{other}": relation["count"] for other, relation in value.items()}
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}: {key:.100} does not have the form of SPECTER's data.json",
                'use {"SHA": {"OTHER": {"count": 5}}}',
            ) from error
        wrong = [other for other, number in related.items() if type(number) is not int]
        if wrong:
            raise InputError(
                f"{path}: the count of {key:.100} and {wrong[0]:.100} is not an integer"
            )
        yield f"s2:{key}", related


def _read_members(path: Path) -> Iterator[tuple[str, Any]]:
    number = 0
    try:
        for _, key, _, value in _decode_members(path, lambda size: None):
            number += 1
            yield key, value
    except (ValueError, RecursionError, DamagedFileError) as error:
        raise InputError(f"{path} cannot be read after member {number}: {error}") from error


def _decode_members(path: Path, count: Count) -> Iterator[tuple[str, str, str, Any]]:
    """Yield the text of the key, the key, the text of the value and the value of each member."""
    reader = ValueReader(read_contents(path, count))
    reader.skip_wrapping()
    while reader.skip(_BEFORE_KEY):
        key_text, key = reader.read()
        reader.skip(_BEFORE_VALUE)
        yield key_text, key, *reader.read()
    reader.raise_damage()
    if reader.depth > 0:
        raise ValueError("it ends early")


def _convert_member(objects: Objects, key: str, value: object) -> list[ParseResult]:
    """Return the results of a member, converted to a record with its key."""
    record = {**value, _MEMBER: key} if isinstance(value, dict) else {_MEMBER: key}
    try:
        line = orjson.dumps(record)
    except TypeError:  # surrogates, or deeper than 254 levels
        line = json.dumps(record).encode()
    return objects.results(line)


@json_converter
def _convert_paper(record: JsonRecord) -> Iterator[Item]:
    """Yield the paper of a member of metadata.json.

    If the member has no references, they are in data.json.
    """
    key = required(record.values, _MEMBER, MAX_NAME_LENGTH)
    record.id = f"s2:{key}"
    yield from cited_by(record, "cited_by", record.id)
    yield make_paper(
        record,
        {},
        key,
        abstract=record.text("abstract"),
        authors=unique(
            # a number of Semantic Scholar, which is also the name, or a name
            author(written, written if written.isdecimal() else None, record.omitted)
            for written in stripped(record, "authors")
        ),
        references=tuple(f"s2:{other}" for other in stripped(record, "references")),
        elsewhere=() if "references" in record else ("references",),
    )


@json_converter
def _convert_pairs(record: JsonRecord) -> Iterator[Citation]:
    """Yield the citations of a member of data.json."""
    record.id = citing = f"s2:{required(record.values, _MEMBER, MAX_NAME_LENGTH)}"
    for other, relation in record.part(_PAIRS).values.items():
        count = relation.get("count") if isinstance(relation, dict) else None
        if count == CITES and other.strip():
            yield Citation(citing, f"s2:{other.strip()}")
        elif count != CITES_CITING:
            record.omitted.append(f"the pair with {other:.100}, whose count is neither 5 nor 1")
