"""Read the objects of large JSON arrays."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders import corpus_files
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue
from specter_graph.loaders.parsing import json as json_reader
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.records import Abstract

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('{}[]",\\ a\n', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("{} a", max_size=3), inner),
    max_leaves=8,
)
ENTRIES = st.lists(st.fixed_dictionaries({"id": st.text('{}[]",\\\n a', max_size=8), "x": JSON}))


def convert(record: dict[str, Any]) -> Iterator[ParseResult]:
    if "id" not in record:
        raise RecordError("id is missing")
    yield Abstract(record["id"], "")


def read(contents: bytes | str) -> list[tuple[int, ParseResult]]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "array.json"
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return list(read_array(path, lambda size: None, convert, frozenset({"id", "x"})))


def ids(result: list[tuple[int, ParseResult]]) -> list[tuple[int, str]]:
    return [(line, item.id) for line, item in result if isinstance(item, Abstract)]


def reasons(result: list[tuple[int, ParseResult]]) -> list[tuple[int, str]]:
    return [(line, item.reason) for line, item in result if isinstance(item, RecordIssue)]


@pytest.mark.parametrize(
    ("contents", "lines"),
    [
        ('[{"id": "a"}, {"id": "b"}]', [1, 1]),
        ('\ufeff[\n{"id": "a"}\n,{"id":\n"b"}\n]\n', [2, 3]),
        ('{"items": [{"id": "a"},\n{"id": "b"}]}', [1, 2]),
        ('{"id": "a"}\n{"id": "b"}\n', [1, 2]),
        ('[{"id": "a"}]\n[{"id": "b"}]', [1, 2]),
        ('[{"id": "a", "x": {"y": [{}]}}, {"id": "b", "x": "}{\\"}"}]', [1, 1]),
    ],
)
def test_an_array_may_have_any_layout(contents: str, lines: list[int]):
    assert read(contents) == [
        (lines[0], Abstract("a", "")),
        (lines[1], Abstract("b", "")),
    ]


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ('[{"id": "a"}', 1),
        ('[{"id": "a"},', 1),
        ('[{"id": "a"},\n  {"id": "b"}, ', 2),
        ('{"id": "a"},\n', 1),
        ("[", 0),
        ("[[[", 0),
        ('{"items": [', 0),
        ('{"items": [{"id": "a"}', 1),
        ('{"items": [{"id": "a"}]', 1),
        ('{"status": "ok", "message": {"items": [{"id": "a"}]}', 1),
        ('[{"id": "a"}]\n[{"id": "b"}', 2),
    ],
)
def test_a_file_that_is_truncated_between_records_is_reported(contents: str, expected: int):
    result = read(contents)
    assert len(ids(result)) == expected
    [(_, reason)] = reasons(result)
    assert reason == "the array is not closed; the rest of the file is missing"


@given(ENTRIES.filter(bool), st.integers(0, 1_000))
def test_the_beginning_of_an_array_is_not_accepted_as_complete(entries: list[Any], cut: int):
    text = json.dumps(entries)
    assert reasons(read(text)) == []
    assert reasons(read(text[: 1 + cut % (len(text) - 1)])) != []


def test_an_array_may_be_utf_16():
    assert ids(read('[{"id": "a"},\n{"id": "é"}]'.encode("utf-16"))) == [(1, "a"), (2, "é")]


@pytest.mark.parametrize("contents", ["", "[]", " \n", '{"items": []}'])
def test_an_array_may_be_empty(contents: str):
    assert read(contents) == []


def test_other_values_than_objects_are_reported():
    result = read('[{"id": "a"}, 7, "{", {"x": 1}, {"id": Infinity}, {"id": "b"}]')
    assert ids(result) == [(1, "a"), (1, "b")]
    *others, (line, reason) = reasons(result)
    assert others == [
        (1, "this is not a JSON object"),
        (1, "this is not a JSON object"),
        (1, "id is missing"),
    ]
    assert line == 1
    assert re.fullmatch(r"the object is not JSON: unexpected character.* \(column 8\)", reason)


@pytest.mark.parametrize(
    "broken", ['{"id": "b}', '{"id": "b"', '{"id": "b"", "x": "y}', '{"id": "b}"}"']
)
@pytest.mark.parametrize("between", [",\n", "\n,", ",\n  "])
def test_after_damage_reading_continues_at_the_next_line_with_the_same_beginning(
    broken: str, between: str
):
    parts = ['{"id": "a"}', broken, '{"id": "c", "x": [\n{}\n]}', '{"id": "d"}']
    first = "\n" + between.split("\n")[1]
    result = read(f"[{first}{between.join(parts)}\n]")
    assert [key for _, key in ids(result) if key != "b}"] == ["a", "c", "d"]
    assert [line for line, _ in reasons(result)] == [3]


def test_damage_is_detected_within_an_apparent_object():
    result = read('[\n{"id": "a, "x": "1"},\n{"id": "b"}\n]')
    assert ids(result) == [(3, "b")]
    assert len(reasons(result)) == 1


@pytest.mark.parametrize(("indent", "limit"), [(None, 20_000), (2, 20_000), (2, 1_000)])
def test_an_object_that_is_too_long_is_skipped(
    monkeypatch: pytest.MonkeyPatch, indent: int | None, limit: int
):
    monkeypatch.setattr(json_reader, "MAX_LINE_BYTES", limit)
    monkeypatch.setattr(corpus_files, "_CHUNK", 100)
    sizes = {"a": 1, "b": 9_000, "c": 2}
    records = [{"id": key, "x": '{\\"' * size, "y": {}} for key, size in sizes.items()]
    result = read(json.dumps(records, indent=indent))
    assert [key for _, key in ids(result)] == ["a", "c"]
    assert len(reasons(result)) == 1


def test_objects_before_the_damage_are_read():
    expected = gzip.compress(json.dumps([{"id": str(n)} for n in range(1_000)]).encode())
    result = read(expected[:-20])
    assert len(ids(result)) > 900
    assert reasons(result)[-1][1].endswith("the rest of the file is not loaded")


@settings(max_examples=50)
@given(ENTRIES, st.sampled_from([None, 0, 2]), st.integers(1, 50), st.booleans())
def test_every_object_is_read_in_any_layout_and_blocks(
    entries: list[dict[str, Any]], indent: int | None, chunk: int, ascii_only: bool
):
    contents = json.dumps(entries, indent=indent, ensure_ascii=ascii_only)
    with patch.object(corpus_files, "_CHUNK", chunk):
        result = read(contents)
    assert [key for _, key in ids(result)] == [entry["id"] for entry in entries]
    assert len(result) == len(entries)
    lines = contents.split("\n")
    assert all("{" in lines[line - 1] for line, _ in result)


@settings(max_examples=50)
@given(st.lists(st.sampled_from(['{"id":"a"}', "{", "}", '"', "[", "]", ",", "\\", "\n", "1"])))
def test_any_damage_raises_nothing_and_is_reported(pieces: list[str]):
    result = read("".join(pieces))
    try:
        expected = json.loads("".join(pieces) or "[]")
    except ValueError:
        return
    if isinstance(expected, list) and all(isinstance(entry, dict) for entry in expected):
        assert len(ids(result)) + len(reasons(result)) == len(expected)
