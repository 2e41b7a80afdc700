"""Read the jsonl format: valid papers, rejected records, and the reasons."""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.loaders import open_corpus
from specter_graph.loaders.corpus import detect_format
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue, UnknownField
from specter_graph.loaders.formats.jsonl import convert, read_jsonl
from specter_graph.loaders.parsing.json import parse_object
from specter_graph.loaders.records import (
    Author,
    EndOfFile,
    Field,
    Identifier,
    Paper,
    Venue,
)
from tests.loaders.results import JSON
from tests.real_data import REAL_DATA, needs_real_data


def write(path: Path, *records: dict[str, Any] | str | bytes) -> Path:
    path.write_bytes(
        b"\n".join(
            record
            if isinstance(record, bytes)
            else record.encode()
            if isinstance(record, str)
            else json.dumps(record).encode()
            for record in records
        )
    )
    return path


def items_of(contents: bytes) -> list[ParseResult]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "papers.jsonl"
        path.write_bytes(contents)
        return [result for _, result in read_jsonl(path) if not isinstance(result, UnknownField)]


def paper(record: dict[str, Any]) -> Paper:
    [result] = convert(record)
    assert isinstance(result, Paper)
    return result


def test_every_key_is_read():
    assert paper(
        {
            "id": " hep-ph/1 ",
            "title": " On  quarks ",
            "abstract": "We look.",
            "year": 1999,
            "authors": ["A.  Uthor", "B. Other", "A. Uthor", " "],
            "venue": "J.  Phys",
            "doi": "https://doi.org/10.1234/X",
            "identifiers": ["arXiv:1901.01234v2", "DOI:10.1234/X", "omid: br/06"],
            "language": "en",
            "url": "https://example.org/1",
            "retracted": True,
            "body": "All of it.",
            "published": "1999-01-01",
            "fields": ["hep-ph"],
            "references": ["hep-ph/2", "", "hep-ph/2"],
        }
    ) == Paper(
        id="hep-ph/1",
        title="On  quarks",
        abstract="We look.",
        year=1999,
        authors=(Author("A. Uthor", "A. Uthor"), Author("B. Other", "B. Other")),
        venue=Venue("J. Phys", "J. Phys"),
        language="en",
        url="https://example.org/1",
        retracted=True,
        body="All of it.",
        identifiers=(
            Identifier("doi", "10.1234/x"),
            Identifier("arxiv", "1901.01234"),
            Identifier("omid", "br/06"),
        ),
        published="1999-01-01",
        fields=(Field("keyword", "hep-ph", "hep-ph"),),
        references=("hep-ph/2", "hep-ph/2"),
    )


def test_all_but_id_and_title_may_be_absent_null_or_empty():
    bare = Paper(id="a", title="A")
    assert paper({"id": "a", "title": "A"}) == bare
    assert paper({"id": "a", "title": "A", "year": None, "authors": None, "venue": None}) == bare
    assert paper({"id": "a", "title": "A", "abstract": " ", "venue": "", "fields": []}) == bare
    assert paper({"id": "a", "title": "A", "year": 1999.0}).year == 1999  # with missing years


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": None}, "id is missing"),
        ({"id": " "}, "id is empty"),
        ({"id": 7}, "id must be text, not a number"),
        ({"id": "x" * 1_001}, "id is longer than 1,000 characters"),
        ({"title": None}, "title is missing"),
        ({"title": ""}, "title is empty"),
        ({"title": ["A"]}, "title must be text, not a list"),
        ({"abstract": {}}, "abstract must be text, not an object"),
        ({"year": "1999"}, 'year must be an integer, not "1999"'),
        ({"year": 1999.5}, "year must be an integer, not 1999.5"),
        ({"year": True}, "year must be an integer, not true"),
        ({"year": 0}, "year 0 is not between 1000 and 2100"),
        ({"year": 19999}, "year 19999 is not between 1000 and 2100"),
        ({"authors": "A. Uthor"}, "authors must be a list of texts, not text"),
        ({"authors": ["A", {"name": "B"}]}, "authors must hold texts, but entry 2 is an object"),
        ({"references": [1]}, "references must hold texts, but entry 1 is a number"),
        ({"references": ["x" * 1_001]}, "entry 1 of references is longer than 1,000 characters"),
        ({"venue": False}, "venue must be text, not true or false"),
        ({"retracted": "no"}, "retracted must be true or false, not text"),
    ],
)
def test_an_invalid_record_is_rejected_with_a_reason(change: dict[str, Any], reason: str):
    with pytest.raises(RecordError) as error:
        paper({"id": "a", "title": "A"} | change)
    assert str(error.value) == reason
    assert error.value.id == (None if "id" in change else "a")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": "a"', "the line is not JSON"),
        (b'{"id": "\xff"}', "the line is not UTF-8 (byte 9)"),
        (b"[]", "the line is a list, not a JSON object"),
        (b'"a"', "the line is text, not a JSON object"),
        (b"NaN", "the line is null, not a JSON object"),
        (b'{"year": Infinity}', "the line is not JSON"),
        (b'{"id": "\\ud800", "title": "A"}', "the line is not JSON"),
        (b"[" * 5_000 + b"]" * 5_000, "the line is not JSON"),
    ],
)
def test_a_line_that_is_no_object_is_rejected_with_a_reason(line: bytes, reason: str):
    with pytest.raises(RecordError) as error:
        parse_object(line)
    assert reason in str(error.value)


def test_nan_is_a_missing_value_as_in_rows_of_pandas():
    row = {"id": "a", "title": "NaN ", "abstract": math.nan, "year": math.nan, "venue": "V"}
    [item] = items_of(json.dumps(row).encode())
    assert (item.title, item.abstract, item.year, item.venue.name) == ("NaN", None, None, "V")


@given(st.dictionaries(st.sampled_from(["id", "title", "year", "authors", "references"]), JSON))
def test_any_object_is_a_paper_with_id_and_title_or_a_reasoned_reject(record: dict[str, Any]):
    *repaired, item = items_of(json.dumps(record).encode())
    assert all(isinstance(problem, RecordIssue) and problem.repaired for problem in repaired)
    assert item.reason if isinstance(item, RecordIssue) else item.id and item.title


@given(st.binary(min_size=1, max_size=60).filter(lambda line: line.strip() and b"\n" not in line))
def test_any_bytes_are_a_reasoned_reject(line: bytes):
    [item] = items_of(b" " + line)
    assert isinstance(item, RecordIssue)
    assert item.reason
    assert not item.repaired


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("doi", "see the publisher", "doi see the publisher is not a DOI: left out"),
        ("identifiers", ["10.1234/x"], "10.1234/x is not an identifier with its scheme: left out"),
        ("identifiers", ["doi:x"], "doi:x is not an identifier with its scheme: left out"),
    ],
)
def test_an_invalid_identifier_is_ignored(key: str, value: object, reason: str):
    problem, result = convert({"id": "a", "title": "A", key: value})
    assert problem == RecordIssue(reason, "a", repaired=True)
    assert result == Paper("a", "A")


@pytest.mark.parametrize(
    "record",
    [
        {"doi": "https://doi.org/10.48550/arXiv.1901.01234"},
        {"identifiers": ["doi:10.48550/arXiv.1901.01234"]},
        {"doi": "10.48550/arXiv.1901.01234", "identifiers": ["arxiv:1901.01234"]},
    ],
)
def test_a_doi_that_arxiv_gave_is_an_arxiv_id_too(record: dict[str, Any]):
    assert paper({"id": "a", "title": "A"} | record).identifiers == (
        Identifier("doi", "10.48550/arxiv.1901.01234"),
        Identifier("arxiv", "1901.01234"),
    )


def test_nul_characters_are_removed():
    problem, result = items_of(b'{"id": "a\\u0000", "title": "A\\u0000b", "fields": ["\\u0000f"]}')
    assert problem == RecordIssue("NUL characters left out", repaired=True)
    assert result == Paper("a", "Ab", fields=(Field("keyword", "f", "f"),))


def test_reading_continues_after_an_invalid_record(tmp_path: Path):
    path = write(
        tmp_path / "papers.jsonl",
        b'\xef\xbb\xbf{"id": "a", "title": "A"}\r',
        "",
        "no json",
        {"id": "b", "title": "B", "pages": 7, "keywords": 1},
        {"id": "c", "title": "", "colour": 1},
        {"id": "d", "title": "D", "pages": 9},
    )
    result = list(read_jsonl(path))
    assert [(line, item.id) for line, item in result if isinstance(item, Paper)] == [
        (1, "a"),
        (4, "b"),
        (6, "d"),
    ]
    assert [(line, item.key) for line, item in result if isinstance(item, UnknownField)] == [
        (4, "keywords"),
        (4, "pages"),
    ]
    (first, no_json), (second, empty) = (f for f in result if isinstance(f[1], RecordIssue))
    assert isinstance(no_json, RecordIssue)
    assert isinstance(empty, RecordIssue)
    assert (first, no_json.id, no_json.record) == (3, None, "no json")
    assert (second, empty.id, empty.reason) == (5, "c", "title is empty")
    assert json.loads(empty.record)["colour"] == 1


def test_a_damaged_file_ends_with_a_problem(tmp_path: Path):
    path = tmp_path / "papers.jsonl.gz"
    path.write_bytes(b"\x1f\x8bnot compressed")
    [(line, problem)] = read_jsonl(path)
    assert line == 1
    assert isinstance(problem, RecordIssue)
    assert problem.reason.startswith("the gzip data is damaged")
    assert problem.reason.endswith("the rest of the file is not loaded")


LONG = b'{"id": "a", "title": "A", "body": "%s", "year": 1999}' % (b"{long} " * 20_000)


@pytest.mark.parametrize(
    "contents",
    [b'\xef\xbb\xbf{"id": "a", "title": "A"}', b'\n\r\n{"id": "a", "title": "A"}\n', LONG],
    ids=["byte order mark", "blank lines", "long line"],
)
def test_a_file_is_recognized_by_its_first_record(tmp_path: Path, contents: bytes):
    path = tmp_path / "papers"
    path.write_bytes(contents)
    form, _ = detect_format(path)
    assert form.name == "jsonl"


@pytest.mark.parametrize("line", [b"{", b"[1]", b'{"id": "a", "title": "A", "colour": 1}'])
def test_a_file_without_records_is_not_recognized(tmp_path: Path, line: bytes):
    path = tmp_path / "papers"
    path.write_bytes(line + b'\n{"id": "a", "title": "A"}')
    with pytest.raises(InputError, match=r"the format of .* was not detected"):
        detect_format(path)


def test_a_missing_file_or_an_unknown_format_is_an_immediate_error(tmp_path: Path):
    with pytest.raises(InputError, match="file not found"):
        open_corpus("jsonl", write(tmp_path / "a.jsonl", ""), tmp_path / "b.jsonl")
    with pytest.raises(InputError, match="unknown format 'abc'"):
        open_corpus("abc", tmp_path / "a.jsonl")


@pytest.mark.parametrize("kind", [str, Path])
def test_the_format_of_a_path_without_a_format_is_detected(tmp_path: Path, kind: type):
    first = write(tmp_path / "a.jsonl", '{"id": "a", "title": "A"}')
    second = write(tmp_path / "b.jsonl", '{"id": "b", "title": "B"}')
    papers = [item.id for item in open_corpus(kind(first), second) if isinstance(item, Paper)]
    assert papers == ["a", "b"]


@needs_real_data
def test_hepph_has_the_counts_of_its_source():
    *papers, end = open_corpus("jsonl", REAL_DATA / "hepph.jsonl.gz")
    assert isinstance(end, EndOfFile)
    assert all(isinstance(item, Paper) for item in papers)
    assert len(papers) == 9_300
    assert papers[0].id == "hep-ph/0001001"
    assert sum(len(item.references) for item in papers) == 67_967 + 53_859
