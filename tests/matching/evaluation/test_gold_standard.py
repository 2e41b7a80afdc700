"""Read the files of rated expertise leniently if possible, or refuse them with the line."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.loaders.records import PaperText
from specter_graph.matching import evaluation


@pytest.fixture
def evaluations(tmp_path):
    def write(text):
        path = tmp_path / "evaluations.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_missing_ratings_are_left_out_and_header_and_names_are_read_leniently(evaluations):
    path = evaluations(
        "\ufeffparticipantid \tPAPER1\tPaper 2\tPaper3\t expertise1\tExpertise2\tExpertise3\r\n"
        " ~Ann_Lee1\ta\tb\t\t 4.5 \t\t\r\n\r\n"
        "77\tc\td\te\t1\tNaN\t3\r\n"
        "78\tc\r\n"
    )
    assert evaluation.read_evaluations(path) == {
        "Ann_Lee1": {"a": 4.5},
        "77": {"c": 1, "e": 3},
        "78": {},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ParticipantID,Paper1,Expertise1\n", "line 1: the header lacks"),
        ("ParticipantID\tPaper1\tPaper2\tExpertise1\n", "line 1: the header lacks"),
        ("", "line 1: the header lacks"),
        ("ParticipantID\tPaper1\tExpertise1\n", "the file has no evaluations"),
        ("ParticipantID\tPaper1\tExpertise1\nx\ta\t5\n\ny\tb\thigh\n", "line 4: Expertise1 is 'hi"),
        ("ParticipantID\tPaper1\tExpertise1\nx\ta\t50\n", "line 2: Expertise1 is '50'"),
        ("ParticipantID\tPaper1\tExpertise1\n \ta\t5\n", "line 2: ParticipantID is empty"),
        ("ParticipantID\tPaper1\tExpertise1\nx\ta\t5\nx\ta\t4\n", "line 3: x rates the paper a tw"),
        ('ParticipantID\tPaper1\tExpertise1\nx\t"a\t5\ny\tb\t4\n', "line 3: unexpected end"),
        (b"ParticipantID\tPaper1\tExpertise1\nx\t\xff\t5\n", "is not UTF-8 (byte 35)"),
    ],
)
def test_invalid_ratings_are_refused_with_their_line(evaluations, text, message):
    path = evaluations(text)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        evaluation.read_evaluations(path)
    assert "evaluations.csv" in caught.value.message


names = st.text("abcXYZ_é1", min_size=1, max_size=6)
ids = st.text("0123456789abcdef", min_size=4, max_size=8)
scales = st.integers(4, 20).map(lambda quarter: quarter / 4)


def table(ratings):
    """Return the text of a file of ratings."""
    width = max(map(len, ratings.values()))
    columns = [f"{kind}{n}" for kind in ("Paper", "Expertise") for n in range(1, width + 1)]
    rows = [["ParticipantID", *columns]]
    for name, own in ratings.items():
        blank = [""] * (width - len(own))
        rows.append([name, *own, *blank, *map(str, own.values()), *blank])
    return "".join("\t".join(row) + "\n" for row in rows)


@given(st.dictionaries(names, st.dictionaries(ids, scales, min_size=1, max_size=12), min_size=1))
def test_written_ratings_are_read_again(ratings):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "evaluations.csv"
        path.write_text(table(ratings), "utf-8")
        assert evaluation.read_evaluations(path) == ratings
        evaluation.write_predictions(ratings, path)
        assert evaluation.read_predictions(path) == ratings


def note(id_, title, abstract=None):
    return {"id": id_, "content": {"title": title, "abstract": abstract}}


def dataset(folder, submissions, archives):
    (folder / "archives").mkdir()
    if isinstance(submissions, dict):
        (folder / "submissions.json").write_text(json.dumps(submissions))
    else:
        (folder / "submissions").mkdir()
        for one in submissions:
            (folder / "submissions" / f"{one['id']}.jsonl").write_text(json.dumps(one) + "\n")
    for name, notes in archives.items():
        path = folder / "archives" / f"{name}.jsonl"
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in notes))
    return folder


def test_submissions_may_be_in_one_or_several_files_with_plain_or_wrapped_values(tmp_path):
    expected, parts = tmp_path / "whole", tmp_path / "parts"
    expected.mkdir()
    parts.mkdir()
    wrapped = {"id": "s", "content": {"title": {"value": "A title"}, "abstract": {"value": "Of"}}}
    archives = {"~Ann": [note("p", " One ", float("nan")), note("p", "One"), note("q", "", None)]}
    for folder in (
        dataset(expected, {"s": wrapped}, archives),
        dataset(parts, [note("s", "A title", "Of")], archives),
    ):
        result = evaluation.read_gold_papers(folder)
        assert result.submissions == {"s": PaperText("s", "A title", "Of")}
        assert result.archives == {"Ann": (PaperText("p", "One"),)}


def test_an_abstract_of_a_submission_may_be_the_nan_of_pandas(tmp_path):
    folder = dataset(tmp_path, {"s": note("s", "Title", float("nan"))}, {"~Ann": []})
    assert evaluation.read_gold_papers(folder).submissions == {"s": PaperText("s", "Title")}


def test_archives_may_be_empty_and_abstracts_may_have_line_separators(tmp_path):
    archives = {"~Ann": [note("p", "Ünder", "Two\u2028lines")], "~Bob": []}
    assert evaluation.read_gold_papers(
        dataset(tmp_path, {"s": note("s", "Title")}, archives)
    ).archives == {
        "Ann": (PaperText("p", "Ünder", "Two\u2028lines"),),
        "Bob": (),
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: the line is not JSON"),
        ("[]", "line 2: the line is a list, not a JSON object"),
        ('{"id": "x"}', "line 2, 'x': content must be an object, not null"),
        ('{"id": "x", "content": {"title": 5}}', "line 2, 'x': title must be text"),
        ('{"content": {"title": "x"}}', "line 2: id is missing"),
    ],
)
def test_a_bad_line_of_an_archive_is_named(tmp_path, line, message):
    folder = dataset(tmp_path, {"s": note("s", "T")}, {"~Ann": [note("p", "One")]})
    with (folder / "archives" / "~Ann.jsonl").open("a") as file:
        file.write(line)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        evaluation.read_gold_papers(folder)
    assert "~Ann.jsonl" in caught.value.message


def test_an_incomplete_folder_is_refused_with_the_missing_files(tmp_path):
    with pytest.raises(InputError, match="folder `archives` is missing"):
        evaluation.read_gold_papers(tmp_path)
    (tmp_path / "archives").mkdir()
    with pytest.raises(InputError, match=r"no file ~NAME\.jsonl"):
        evaluation.read_gold_papers(tmp_path)
    (tmp_path / "archives" / "~Ann.jsonl").touch()
    with pytest.raises(InputError, match=r"neither submissions\.json nor"):
        evaluation.read_gold_papers(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["[]", '{"a": 1}', '{"a": {"p": "high"}}', '{"a": {"p": true}}', '{"a": {"p": NaN}}', "{"],
)
def test_predictions_that_are_not_scores_are_refused(tmp_path, text):
    path = tmp_path / "scores.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"scores\.json"):
        evaluation.read_predictions(path)
