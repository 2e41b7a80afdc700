"""Read files of organizers and of OpenReview in every form, and report errors."""

import gzip
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.loaders.review_records import Bid, Conflict, Quota, Reviewer, Submission
from specter_graph.matching.io.lists import (
    BIDS,
    read_bids,
    read_conflicts,
    read_institutions,
    read_memberships,
    read_quotas,
    read_reviewers,
    with_quotas,
)
from specter_graph.matching.io.openreview import read_archives
from specter_graph.matching.io.rows import ReadReport
from specter_graph.matching.io.submissions import read_submission_conflicts, read_submissions

ONE = Submission("1", "A title", "Text, with commas.", ("A1", "~B_C1"), ("W1",), ("ML", "IR"))
TWO = Submission("2", "Another")
NOTES = {
    "1": {
        "id": "1",
        "content": {
            "title": {"value": "A title"},
            "abstract": {"value": "Text, with commas."},
            "authors": {"value": ["Ann", "B C"]},
            "authorids": {"value": ["https://openalex.org/a1", "~B_C1"]},
            "keywords": {"value": ["ML", "IR"]},
            "references": ["W1"],
        },
        "cdate": 1,
    },
    "2": {"content": {"title": "Another", "abstract": None, "authors": ["Anonymous"]}},
}


def written(folder: Path, name: str, contents: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return path


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def folder_of_notes(folder: Path) -> Path:
    for key, note in NOTES.items():
        written(folder, f"{key}.jsonl", lines(note))
    return folder


CSV = (
    "id,title,abstract,authors,references,topics,email\n"
    '1,A title,"Text, with commas.",A1; ~B_C1 ,W1,ML;IR;ML,a@b.c\n'
    "2,Another,,,,,\n"
)
ROW = {
    "id": 1,
    "title": "A title",
    "abstract": "Text, with commas.",
    "authors": ["A1", "~B_C1"],
    "references": ["W1"],
    "topics": ["ML", "IR"],
}
FORMS: dict[str, Callable[[Path], Path]] = {
    "csv": lambda at: written(at, "s.csv", CSV),
    "csv.gz": lambda at: written(at, "s.csv.gz", gzip.compress(CSV.encode())),
    "csv of excel": lambda at: written(at, "s.csv", "sep=,\n" + CSV),
    "tsv": lambda at: written(
        at,
        "s.tsv",
        "id\ttitle\tabstract\tauthors\treferences\ttopics\n"
        "1\tA title\tText, with commas.\tA1;~B_C1\tW1\tML;IR\n2\tAnother\t\t\t\t\n",
    ),
    "rows": lambda at: written(at, "s.jsonl", lines(ROW, {"id": "2", "title": "Another"})),
    "notes": lambda at: written(at, "s.jsonl", lines(NOTES["1"], {"id": "2"} | NOTES["2"])),
    "object": lambda at: written(at, "submissions.json", json.dumps(NOTES, indent=1)),
    "folder": lambda at: folder_of_notes(at / "submissions"),
}


@pytest.mark.parametrize("form", FORMS)
def test_submissions_are_read_in_every_form(tmp_path: Path, form: str):
    assert read_submissions(FORMS[form](tmp_path)) == [ONE, TWO]


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("s.csv", "id,name\n1,T\n", "line 1: the header has no column title"),
        ("s.csv", "id,title\n1,T\n\n1,U\n", "line 4, '1': the id occurs twice"),
        ("s.csv", "id,title\n7,\n", "line 2, '7': title is empty"),
        ("s.csv", "id,title\n,T\n", "line 2: id is missing"),
        ("s.csv", "id,title,author\n1,T,A\n", "the column 'author' is unknown"),
        ("s.jsonl", '{"id": "1", "title": "T"}\n{"id"', "line 2: the line is not JSON"),
        ("s.jsonl", '{"id": "1", "title": "T", "authors": [1]}', "must hold texts, but entry 1"),
        ("s.jsonl", '{"id": "1", "content": []}', "'1': content must be an object, not a list"),
        ("s.json", '{\n "a": {"content": {"title": "T"}},\n "b": []}', "line 3, 'b': the note"),
        ("s.json", '{"a": {"content": {}}}', "line 1, 'a': title is missing"),
        ("s.json", '{\n"a"', "line 2: this is not JSON"),
        ("s.json", "3", "this is a number, not an object"),
        ("s.json", "[3]", "not a paper of HotCRP"),
        ("s.json", '[{"pid": 7, "title": "T", "authors": ["Ann"]}]', "'7': authors must be a list"),
        ("s.json", '[{"pid": 7, "title": "T", "status": ["draft"]}]', "'7': status must be text"),
        ("s.json", "{}", "has no submissions"),
        ("s.doc", "", "has an unknown ending"),
        ("s.csv.gz", gzip.compress(CSV.encode())[:-9], "cut off"),
        ("submissions/7.jsonl", "", "'7': the file is empty"),
    ],
)
def test_an_invalid_submission_is_named_with_its_line(
    tmp_path: Path, name: str, contents: str | bytes, message: str
):
    path = written(tmp_path, name, contents)
    with pytest.raises(InputError) as refused:
        read_submissions(path if path.parent == tmp_path else path.parent)
    assert message in refused.value.message
    assert str(path) in refused.value.message
    assert refused.value.hint


def test_a_table_in_another_encoding_says_how_to_save_it(tmp_path: Path):
    table = "id;title;abstract\n1;€;\n"
    assert read_submissions(written(tmp_path, "s.csv", table.encode("utf-16")))[0].title == "€"
    path = written(tmp_path, "s.csv", table.encode("cp1252"))
    with pytest.raises(InputError, match="not UTF-8") as refused:
        read_submissions(path)
    assert refused.value.hint == "save the file again with the encoding UTF-8 (in Excel: CSV UTF-8)"


def test_empty_rows_of_a_spreadsheet_are_skipped_and_counted(tmp_path: Path):
    path = written(tmp_path, "s.csv", "id,title,demand\n,,\n1,A,4\n ,,\n")
    report = ReadReport()
    assert [each.id for each in read_submissions(path, report)] == ["1"]
    assert report.ignored == ["s.csv: empty (rows: 2)"]


def test_addresses_of_authors_are_read_from_their_cells(tmp_path: Path):
    cell = '"Ann Smith <ann@x.org>, bob@y.org;~Cy_Day1; Dan Ray (dan@z.org)"'
    [paper] = read_submissions(written(tmp_path, "s.csv", f"id,title,authors\n1,T,{cell}\n"))
    assert paper.authors == ("ann@x.org", "bob@y.org", "~Cy_Day1", "dan@z.org")


def test_a_submission_can_have_a_demand(tmp_path: Path):
    path = written(tmp_path, "s.csv", "id,title,demand\n1,A,4\n2,B,\n")
    assert [each.demand for each in read_submissions(path)] == [4, None]
    with pytest.raises(InputError, match="line 2, '1': demand must be an integer, not many"):
        read_submissions(written(tmp_path, "s.csv", "id,title,demand\n1,A,many\n"))


def test_the_submissions_of_openreview_expertise_have_no_header(tmp_path: Path):
    text = '17,"A title, long","An\nabstract"\n18,Another,\n'
    path = written(tmp_path, "csv_submissions.csv", text)
    assert read_submissions(path) == [
        Submission("17", "A title, long", "An\nabstract"),
        Submission("18", "Another"),
    ]
    for row, message in (("17,Again,x", "line 4, '17': the id occurs twice"), ("1,x", "line 4")):
        with pytest.raises(InputError, match=message):
            read_submissions(written(tmp_path, "csv_submissions.csv", f"{text}{row}\n"))


def test_a_missing_file_is_an_error(tmp_path: Path):
    for read in (read_submissions, read_reviewers, read_bids, read_conflicts, read_quotas):
        with pytest.raises(InputError, match="file not found"):
            read(tmp_path / "x.csv")


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path: Path):
    folder = tmp_path / "lists.csv"
    folder.mkdir()
    (folder / "reviewers.csv").write_text("id\na\n")
    for read in (read_reviewers, read_bids, read_conflicts, read_quotas):
        with pytest.raises(InputError, match=r"lists\.csv is a folder") as caught:
            read(folder)
        assert caught.value.hint == "name a file in it"


def test_reviewers_are_identified_by_any_of_their_addresses(tmp_path: Path):
    orcid = "0000-0002-1825-009X"
    text = (
        "id,minimum,maximum,senior\n"
        f"https://orcid.org/{orcid.lower()},1,3,yes\nhttps://openalex.org/A5,,,\n"
        "https://openreview.net/profile?id=~Ann_B1,0,2,0\nAnn Smith,,4.5,no\n"
    )
    with pytest.raises(InputError, match=r"line 5, 'Ann Smith': maximum must be an integer"):
        read_reviewers(written(tmp_path, "r.csv", text))
    assert read_reviewers(written(tmp_path, "r.csv", text.replace("4.5", "4.0"))) == [
        Reviewer(orcid, 1, 3, senior=True),
        Reviewer("A5"),
        Reviewer("~Ann_B1", 0, 2),
        Reviewer("Ann Smith", None, 4),
    ]
    rows = lines({"id": "A5", "maximum": 3, "senior": True}, {"id": "A6", "minimum": 2})
    assert read_reviewers(written(tmp_path, "r.jsonl", rows)) == [
        Reviewer("A5", None, 3, senior=True),
        Reviewer("A6", 2),
    ]


def test_roles_are_read_without_case(tmp_path: Path):
    path = written(tmp_path, "r.csv", "id,role\na,Area  Chair\nb,Reviewer\nc,\n")
    assert [each.role for each in read_reviewers(path)] == ["area chair", "reviewer", "reviewer"]


def test_reviewers_without_an_id_are_identified_by_their_addresses(tmp_path: Path):
    text = "name,email,affiliation\nZoë Ångström,Zoe@Example.org,X\n"
    report = ReadReport()
    assert read_reviewers(written(tmp_path, "r.csv", text), report) == [
        Reviewer("zoe@example.org", email="Zoe@Example.org", name="Zoë Ångström")
    ]
    assert report.ignored == ["r.csv: affiliation"]
    with pytest.raises(InputError, match="line 2: id and email are missing"):
        read_reviewers(written(tmp_path, "r.csv", "name,email\nZoë,\n"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,5,2,", "minimum 5 is above maximum 2"),
        ("a,-1,,", "minimum -1 is not between"),
        ("a,,,perhaps", "senior must be true or false"),
        ("A1,,,\nhttps://openalex.org/A1,,,", "line 3, 'A1': the id occurs twice"),
    ],
)
def test_an_invalid_reviewer_is_named(tmp_path: Path, row: str, message: str):
    with pytest.raises(InputError, match=message):
        read_reviewers(written(tmp_path, "r.csv", f"id,minimum,maximum,senior\n{row}\n"))


def test_a_column_similar_to_a_known_one_is_reported(tmp_path: Path):
    with pytest.raises(InputError, match="'max' is unknown") as refused:
        read_reviewers(written(tmp_path, "r.csv", "id,max\na,2\n"))
    assert "'maximum'" in refused.value.hint


def test_unknown_columns_are_named(tmp_path: Path):
    report = ReadReport()
    read_reviewers(written(tmp_path, "r.csv", "id,homepage,email\na,A,a@x.org\n"), report)
    read_submissions(
        written(tmp_path, "s.jsonl", lines({"id": "1", "title": "T", "pages": 8})), report
    )
    note = {"id": "1", "forum": "1", "content": {"title": "T"}}
    read_submissions(written(tmp_path, "n.jsonl", lines(note)), report)
    assert report.ignored == ["r.csv: homepage", "s.jsonl: pages"]


@pytest.mark.parametrize(
    ("read", "column", "hint"),
    [
        (read_submissions, "Primary Area", "'track'"),
        (read_reviewers, "subject_area", "'tracks'"),
        (read_submissions, "reviews_needed", "'demand'"),
        (read_reviewers, "max_load", "'maximum'"),
    ],
)
def test_a_column_that_would_change_the_matching_is_refused(
    tmp_path: Path, read: Callable[..., object], column: str, hint: str
):
    path = written(tmp_path, "l.csv", f"id,title,{column}\n1,T,2\n")
    with pytest.raises(InputError, match=f"the column '{column.lower()}' is unknown") as refused:
        read(path, ReadReport())
    assert hint in refused.value.hint


def test_quotas_change_the_bounds_of_reviewers(tmp_path: Path):
    path = written(tmp_path, "q.csv", "reviewer,minimum,maximum\na,,2\nb,1,\n")
    quotas = read_quotas(path)
    assert quotas == [Quota("a", None, 2), Quota("b", 1, None)]
    reviewers = [Reviewer("a", 1, 9), Reviewer("b", 0, 9, senior=True), Reviewer("c")]
    assert with_quotas(reviewers, quotas, {}) == [
        Reviewer("a", 1, 2),
        Reviewer("b", 1, 9, senior=True),
        Reviewer("c"),
    ]
    with pytest.raises(InputError, match="the quota of 'z' has no reviewer"):
        with_quotas(reviewers, [Quota("z")], {})
    with pytest.raises(InputError, match="the minimum load 1 of 'a' is above the maximum 0"):
        with_quotas(reviewers, [Quota("a", maximum=0)], {})


def test_bids_are_numbers_or_the_words_of_openreview(tmp_path: Path):
    words = "".join(f"A1,{n},{word.title()}\n" for n, word in enumerate(BIDS))
    path = written(tmp_path, "b.csv", f"reviewer,submission,value\n{words}~A1,x,-0.25\nq,x,no bid")
    assert read_bids(path) == [
        *(Bid("A1", str(n), value) for n, value in enumerate([1, 0.5, 0, -0.5, -1])),
        Bid("~A1", "x", -0.25),
    ]
    path = written(tmp_path, "b.csv", "reviewer;submission;value\nA1;1;0,5\n")
    assert read_bids(path) == [Bid("A1", "1", 0.5)]
    row = {"reviewer": "A1", "submission": 7, "value": 1}
    assert read_bids(written(tmp_path, "b.jsonl", lines(row, row))) == [Bid("A1", "7", 1)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"Keen"', "the bid Keen is neither"),
        ("1.01", "the bid 1.01 is neither"),
        ('"nan"', "the bid nan is neither"),
        ("true", "the bid True is neither"),
        ("null", "the bid None is neither"),
        ("0", "bids both 1 and 0 on 's'"),
    ],
)
def test_an_invalid_bid_is_named(tmp_path: Path, value: str, message: str):
    first = '{"reviewer": "r", "submission": "s", "value": 1}\n'
    path = written(tmp_path, "b.jsonl", first + first.replace("1", value))
    with pytest.raises(InputError, match=f"line 2, 'r': {message}"):
        read_bids(path)


@pytest.mark.parametrize("read", [read_bids, read_conflicts, read_quotas, read_memberships])
def test_a_file_without_a_header_does_not_empty_a_list(
    tmp_path: Path, read: Callable[[Path], Sequence[object]]
):
    path = tmp_path / "list.csv"
    path.write_text("\n")
    with pytest.raises(InputError, match=r"list\.csv is empty, or its first line is not a header"):
        read(path)
    path.write_text("reviewer,submission,value,minimum,person,institution\n")
    assert read(path) == []


def test_declared_conflicts_may_have_reasons(tmp_path: Path):
    path = written(
        tmp_path, "c.csv", "reviewer,submission,reason\nhttps://openalex.org/A1,1,\nb,2,we talked\n"
    )
    assert read_conflicts(path) == [
        Conflict("A1", "1", "declared", "declared"),
        Conflict("b", "2", "declared", "we talked"),
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["value", "fullname", "email", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)
WORDS = """
id title abstract authors references topics content minimum maximum senior reviewer submission value
reason pdate cdate
"""
KEYS = st.sampled_from(WORDS.split())
WORDS_OF_NOTES = "title abstract authors authorids keywords venue year html doi references"
CONTENT = st.dictionaries(st.sampled_from(WORDS_OF_NOTES.split()), VALUES, max_size=5)
OBJECTS = st.dictionaries(KEYS, VALUES | CONTENT, max_size=8)
NOTE = st.builds(
    lambda content, other: other | {"id": "n", "content": {"title": "T"} | content},
    CONTENT,
    OBJECTS,
)
PAPER = st.dictionaries(
    st.sampled_from(["authors", "status", "topics", "pc_conflicts"]), VALUES, max_size=4
)
ROR = st.fixed_dictionaries(
    {"id": st.just("https://ror.org/02nr0ka47")},
    optional=dict.fromkeys(("domains", "links", "relationships"), VALUES),
)
CONTENTS = (
    st.binary(max_size=200)
    | st.text(alphabet='id,title\n";\t reviewer', max_size=100).map(str.encode)
    | st.lists(OBJECTS | NOTE, max_size=3).map(lambda rows: lines(*rows).encode())
    | NOTE.map(lambda note: json.dumps({"a": note}).encode())
    | PAPER.map(lambda paper: json.dumps([{"pid": 1, "title": "T"} | paper]).encode())
    | ROR.map(lambda record: json.dumps([record]).encode())
    | st.lists(st.text(max_size=6), max_size=12).map(
        lambda cells: (
            b"id,reviewer,submission,title,value,minimum\n"
            + ",".join(cells).encode(errors="replace")
        )
    )
)


@settings(max_examples=300)
@given(contents=CONTENTS, ending=st.sampled_from([".csv", ".jsonl", ".json", ".jsonl.gz"]))
def test_any_file_raises_only_input_errors(contents: bytes, ending: str):
    with TemporaryDirectory() as folder:
        path = written(Path(folder), f"archives/~A_B1{ending}", contents)
        readers = (
            *(read_submissions, read_submission_conflicts, read_reviewers, read_bids),
            *(read_conflicts, read_quotas, read_memberships, read_institutions),
        )
        for read, at in [*((read, path) for read in readers), (read_archives, path.parent)]:
            with suppress(InputError):
                read(at)
