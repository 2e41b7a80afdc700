"""Read logs of views, and libraries of readers."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.corpus import detect_format
from specter_graph.loaders.format_api import ParseResult, RecordIssue
from specter_graph.loaders.formats.readers import read_readers
from specter_graph.loaders.records import Reading
from tests.real_data import REAL_DATA, needs_real_data

SAMPLES = Path(__file__).parent / "samples"


def read(folder: Path, text: str) -> list[tuple[int, ParseResult]]:
    path = folder / "readers"
    path.write_text(text)
    return list(read_readers(path))


def test_every_column_of_a_log_is_read():
    assert list(read_readers(SAMPLES / "readers.log.csv")) == [
        (2, Reading("ann", "p1", "VIEWED", "2020-01-01T10:00:00Z", "s1")),
        (3, Reading("ann", "p2", "VIEWED", "2020-01-01T10:01:00Z", "s1")),
        (4, Reading("bob", "p1", "SAVED")),
    ]


def test_a_line_of_json_is_a_reading_or_a_library():
    assert list(read_readers(SAMPLES / "readers.jsonl")) == [
        (1, Reading("0", "1631", "SAVED")),
        (1, Reading("0", "4871", "SAVED")),
        (3, Reading("3", "p1", "VIEWED", "1577872800")),
    ]


@pytest.mark.parametrize("time", [1577872800, 1577872800.25])
def test_a_time_may_be_any_number(tmp_path: Path, time: float):
    text = json.dumps({"user": "r", "item": 7, "timestamp": time})
    assert read(tmp_path, text) == [(1, Reading("r", "7", "VIEWED", str(time)))]


@pytest.mark.parametrize("reader", ["reader", "user", "user_id", "userid", "Reader"])
@pytest.mark.parametrize("paper", ["paper", "item", "item_id", "article", "document"])
def test_columns_of_readers_and_papers_have_several_names(tmp_path: Path, reader: str, paper: str):
    assert read(tmp_path, f"{paper}\t{reader}\np\tr\n") == [(2, Reading("r", "p", "SAVED"))]


@pytest.mark.parametrize(
    ("header", "row", "kind"),
    [
        ("reader,paper,kind", "r,p,click", "VIEWED"),
        ("reader,paper,event", "r,p,VIEW", "VIEWED"),
        ("reader,paper,action", "r,p,bookmark", "SAVED"),
        ("reader,paper", "r,p", "SAVED"),
        ("reader,paper,session", "r,p,", "VIEWED"),
        ("reader,paper,time", "r,p,", "VIEWED"),
        ("reader,paper,time,kind", "r,p,,saved", "SAVED"),
    ],
)
def test_without_a_kind_a_log_has_views_and_a_library_has_saves(
    tmp_path: Path, header: str, row: str, kind: str
):
    assert read(tmp_path, f"{header}\n{row}\n") == [(2, Reading("r", "p", kind))]


@pytest.mark.parametrize(
    "contents",
    [
        '\ufeff{"paper": "p", "reader": "r"}',
        '\n\n{"paper": "p", "reader": "r"}',
        '{"reader": "r", "kind": "read", "papers": ["%s"]}' % ('p", "' * 20_000),
    ],
    ids=["byte order mark", "blank lines", "long line"],
)
def test_a_file_of_json_is_recognized_by_its_first_line(tmp_path: Path, contents: str):
    path = tmp_path / "log"
    path.write_text(contents)
    form, _ = detect_format(path)
    assert form.name == "readers"


def test_problems_are_reported_and_the_rest_is_read():
    result = list(read_readers(SAMPLES / "readers.malformed.csv"))
    assert result[3:] == [(5, Reading("ann", "p2", "VIEWED"))]
    assert [(line, i.id, i.reason) for line, i in result[:3] if isinstance(i, RecordIssue)] == [
        (2, "ann", "the paper is missing"),
        (3, None, "the reader is missing"),
        (4, "ann", "the kind eaten is unknown"),
    ]
    result = list(read_readers(SAMPLES / "readers.malformed.jsonl"))
    assert [item for _, item in result if isinstance(item, Reading)] == [
        Reading("0", "1", "SAVED"),
        Reading("1", "2", "SAVED"),
    ]
    assert [(line, i.reason, i.repaired) for line, i in result if isinstance(i, RecordIssue)] == [
        (1, "left out: entry 2 of papers is not an id", True),
        (1, "left out: entry 3 of papers is not an id", True),
        (2, "the reader is missing", False),
        (3, "papers must be a list, not text", False),
        (4, "user must be text or a number, not a list", False),
    ]


def test_a_table_without_readers_is_not_loaded(tmp_path: Path):
    [(_, problem)] = read(tmp_path, "paper,time\np,1\n")
    assert isinstance(problem, RecordIssue)
    assert problem.record == "paper, time"


@needs_real_data
def test_the_libraries_of_citeulike_are_loaded():
    result = list(read_readers(REAL_DATA / "citeulike-users.jsonl.gz"))
    assert all(isinstance(item, Reading) and item.kind == "SAVED" for _, item in result)
    assert len({item.reader for _, item in result if isinstance(item, Reading)}) == 3_837
    assert result[0] == (1, Reading("0", "1631", "SAVED"))


VALUES = (
    st.none() | st.integers() | st.text("aé;", max_size=4) | st.lists(st.integers() | st.none())
)


@settings(max_examples=50)
@given(st.lists(st.dictionaries(st.sampled_from(["user", "paper", "time", "kind"]), VALUES)))
def test_every_object_is_a_reading_or_a_reasoned_reject(records: list[dict[str, Any]]):
    with TemporaryDirectory() as folder:
        result = [i for _, i in read(Path(folder), "\n".join(map(json.dumps, [{}, *records])))]
    assert len(result) == len(records) + 1
    assert all(i.reason for i in result if isinstance(i, RecordIssue))
    assert all(i.reader and i.paper for i in result if isinstance(i, Reading))
