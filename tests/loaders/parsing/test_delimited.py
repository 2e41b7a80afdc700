"""Read rows of comma-, tab- and semicolon-separated files."""

import csv
import gzip
import io
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders import corpus_files
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue, UnknownField
from specter_graph.loaders.parsing import delimited
from specter_graph.loaders.parsing.delimited import (
    Row,
    escape_formula,
    read_header,
    read_rows,
)
from specter_graph.loaders.parsing.plain_text import NOT_UTF8
from specter_graph.loaders.records import Abstract

COLUMNS = frozenset({"id", "text"})


def convert(row: Row) -> Iterator[ParseResult]:
    if not row["id"]:
        raise RecordError("id is missing")
    yield Abstract(row["id"], row["text"])


def read(contents: bytes | str) -> list[tuple[int, ParseResult]]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return list(read_rows(path, lambda size: None, convert, COLUMNS))


def reasons(result: list[tuple[int, ParseResult]]) -> list[tuple[int, str]]:
    return [(line, item.reason) for line, item in result if isinstance(item, RecordIssue)]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_come_with_their_first_line(delimiter: str, end: str):
    lines = ["\ufeffID,Text", "a, one ", "", 'b,"two, or\nmore ""lines"""', "c,"]
    contents = end.join(line.replace(",", delimiter, 1) for line in lines)
    assert read(contents) == [
        (2, Abstract("a", "one")),
        (4, Abstract("b", 'two, or\nmore "lines"')),
        (6, Abstract("c", "")),
    ]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "\ufeffsep=;"])
def test_the_line_of_excel_with_the_delimiter_is_skipped(first: str):
    contents = f"{first}\nid;text\na;one\n"
    assert read(contents) == [(3, Abstract("a", "one"))]
    assert read_header(contents.removeprefix("\ufeff").encode()) == ["id", "text"]


def test_the_delimiter_is_the_one_that_gives_the_columns():
    assert read("text;id;a,b,c,d\none;a;x") == [
        (1, UnknownField("a,b,c,d")),
        (2, Abstract("a", "one")),
    ]


def test_unknown_repeated_and_empty_columns_are_reported_and_ignored():
    assert read(",id,text,text,Score\n0,a,one,two,9") == [
        (1, UnknownField("column 1")),
        (1, UnknownField("text")),
        (1, UnknownField("score")),
        (2, Abstract("a", "one")),
    ]


def test_rows_of_another_length_are_rejected_with_their_text():
    assert read("id,text\na\nb,two,more\n,none\nd,four") == [
        (2, RecordIssue("the row has 1 column, the header 2", record="a\n")),
        (3, RecordIssue("the row has 3 columns, the header 2", record="b,two,more\n")),
        (4, RecordIssue("id is missing", record=",none\n")),
        (5, Abstract("d", "four")),
    ]


def test_a_row_that_is_not_utf_8_is_read_as_excel_writes_it():
    assert read("id;text;Año\na;Müller: “x”;1\nb;two;2".encode("cp1252")) == [
        (1, NOT_UTF8),
        (1, UnknownField("año")),
        (2, NOT_UTF8),
        (2, Abstract("a", "Müller: “x”")),
        (3, Abstract("b", "two")),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_tables_of_excel_and_web_of_science_are_read(encoding: str, end: str):
    rows = ['a\t"Big data" in Zürich\t', 'b\t"in quotes, ""twice"""', 'c\t5" disks\t\t']
    contents = end.join(["id\ttext", *rows, ""]).encode(encoding)
    assert read(contents) == [
        (2, Abstract("a", '"Big data" in Zürich')),
        (3, Abstract("b", 'in quotes, "twice"')),
        (4, Abstract("c", '5" disks')),
    ]


def test_quotation_marks_that_begin_and_end_in_other_rows_of_tabs_are_text():
    assert read('id\ttext\na\t"one\nb\ttwo\nc"\tthree\n') == [
        (2, Abstract("a", '"one')),
        (3, Abstract("b", "two")),
        (4, Abstract('c"', "three")),
    ]


def test_nul_characters_are_removed():
    assert read("id,text\na,o\0ne\n") == [
        (2, RecordIssue("NUL characters left out", repaired=True)),
        (2, Abstract("a", "one")),
    ]


def test_an_unclosed_quote_rejects_only_its_line():
    result = read('id,text\na,"one\nb,two\nc,three\n')
    assert result == [
        (2, RecordIssue("the row is not CSV: unexpected end of data", record='a,"one\n')),
        (3, Abstract("b", "two")),
        (4, Abstract("c", "three")),
    ]


def test_a_quote_inside_quotes_rejects_only_its_line():
    result = read('id,text\na,"one "1""\nb,"two"\n')
    assert reasons(result) == [(2, "the row is not CSV: ',' expected after '\"'")]
    assert result[1:] == [(3, Abstract("b", "two"))]


def test_a_row_without_an_end_is_rejected(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(delimited, "MAX_ROW_LENGTH", 100)
    rest = "".join(f"{number},x\n" for number in range(100))
    result = read(f'id,text\na,"one\n{rest}')
    assert reasons(result) == [(2, "the row is not CSV: a quote is not closed")]
    assert result[1:] == [(n + 3, Abstract(str(n), "x")) for n in range(100)]


def test_an_unclosed_quote_on_every_line_takes_linear_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(delimited, "MAX_ROW_LENGTH", 2_000_000)
    result = read("id,text\n" + ',"y\nx"' * 200_000)
    assert len(result) >= 1


def test_a_field_may_be_longer_than_the_limit_of_the_csv_module():
    long = "x" * 1_000_000
    assert read(f"id,text\na,{long}\n") == [(2, Abstract("a", long))]


def test_an_endless_line_is_rejected(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(corpus_files, "MAX_LINE_BYTES", 1_000)
    result = read(f'id,text\na,{"x" * 2_000}\nb,"two\n{"y" * 2_000}\n"\nc,three\n')
    assert [line for line, item in result if isinstance(item, RecordIssue)] == [2, 3, 5]
    assert result[-1] == (6, Abstract("c", "three"))


def test_a_file_without_a_readable_header_is_one_problem():
    ((line, problem),) = read(b'"id,text\na,one\n')
    assert line == 1
    assert isinstance(problem, RecordIssue)
    assert "the header cannot be read" in problem.reason


def test_a_file_without_a_required_column_is_one_problem(tmp_path: Path):
    path = tmp_path / "rows.csv"
    path.write_text("id,words\na,one\n")
    required = frozenset({"id", "text"})
    assert list(read_rows(path, lambda size: None, convert, COLUMNS, required)) == [
        (
            1,
            RecordIssue(
                "the header has no column text: the file is not loaded", record="id,words\n"
            ),
        )
    ]


def test_a_truncated_row_is_reported_with_any_bytes():
    words = random.Random(0).randbytes(100_000).hex().encode()
    expected = gzip.compress(b'id,text\na,"\xff\n' + words)
    *_, (_, cut), (_, damage) = read(expected[:-1_000])
    assert isinstance(cut, RecordIssue)
    assert cut.reason == "the row is cut off"
    assert cut.record.startswith('a,"ÿ\n')
    assert isinstance(damage, RecordIssue)
    assert "the rest of the file is not loaded" in damage.reason


@pytest.mark.parametrize("contents", ["", "\n\n", "id,text\n"])
def test_an_empty_file_has_no_rows(contents: str):
    assert read(contents) == []


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)


@given(st.lists(st.tuples(CELLS.filter(str.strip), CELLS), max_size=10), st.sampled_from(",\t;"))
def test_rows_of_a_csv_writer_are_read_unchanged(rows: list[tuple[str, str]], delimiter: str):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(("id", "text"))
    writer.writerows([[escape_formula(cell.strip()) for cell in row] for row in rows])
    result = [item for _, item in read(file.getvalue())]
    assert result == [Abstract(name.strip(), text.strip()) for name, text in rows]


@given(st.lists(st.sampled_from([b"a", b'"', b",", b"\n", b"\r", b"\0", b"\xff", b" "])))
def test_any_bytes_are_read_without_an_error(pieces: list[bytes]):
    contents = b"id,text\n" + b"".join(pieces)
    result = read(contents)
    lines = [line for line, _ in result]
    assert lines == sorted(lines)
    count = sum(isinstance(item, Abstract) or not item.repaired for _, item in result)  # type: ignore[union-attr]
    assert bool(count) == bool(contents[8:].strip(b"\r\n\0"))


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        (b"ID,Title\nx", ["id", "title"]),
        (b"\nid;text;more,x\r\na", ["id", "text", "more,x"]),
        (b'"id', []),
        (b"T\xedtulo\nx", ["título"]),
        (b"", []),
    ],
)
def test_the_header_can_be_read_from_the_head_of_a_file(head: bytes, columns: list[str]):
    assert read_header(head) == columns
