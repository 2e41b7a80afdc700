"""Predict scores of rated pairs, from texts of a data set to the metrics, with the real base."""

import numpy as np
import pytest

from specter_graph.encoder.encoder import Encoder
from specter_graph.loaders.records import PaperText
from specter_graph.matching.evaluation import (
    GoldPapers,
    evaluate_expertise,
    predict,
    predict_expertise,
)

SUBJECTS = {
    "parsing": ["Dependency parsing of free word order", "A grammar for spoken questions"],
    "vision": ["Detecting pedestrians in video", "Segmenting images of streets"],
    "proofs": ["Checking proofs by machine", "Type theory with inductive families"],
}


def data_set():
    """Return a data set with two papers per reviewer: one shares them, and one has none."""
    archives = {
        name: tuple(PaperText(f"{name}{n}", title) for n, title in enumerate(titles))
        for name, titles in SUBJECTS.items()
    }
    archives["both"] = (archives["parsing"][0], archives["vision"][0])
    submissions = {
        "s1": PaperText("s1", "Parsing sentences with a neural grammar", "We parse questions."),
        "s2": PaperText("s2", "Finding cars in images", "A detector for video of streets."),
        "s3": PaperText("s3", "Verified proofs in type theory"),
    }
    return GoldPapers(submissions, archives | {"nobody": ()})


class Counting:
    """Offline base that counts the texts it encodes."""

    def __init__(self):
        self.encoder, self.texts = Encoder.base(), []

    def encode(self, texts, progress):
        self.texts += [(paper.title, paper.abstract) for paper in texts]
        return self.encoder.encode(texts, progress=progress)


@pytest.fixture(scope="module")
def predicted():
    encoder = Counting()
    return predict_expertise(data_set(), encoder), encoder.texts


def test_each_reviewer_has_the_highest_score_for_the_submission_nearest_to_their_papers(predicted):
    scores, _ = predicted
    ratings = {
        "parsing": {"s1": 5, "s2": 1, "s3": 1},
        "vision": {"s1": 1, "s2": 5, "s3": 1},
        "proofs": {"s1": 1, "s2": 1, "s3": 5},
        "both": {"s1": 4, "s2": 4, "s3": 1},
    }
    result = evaluate_expertise(ratings, scores)
    assert (result.loss.value, result.easy.value) == (0, 1)
    assert result.coverage.ratings_scored == 12


def test_each_distinct_text_is_encoded_once_and_an_empty_archive_has_no_scores(predicted):
    scores, texts = predicted
    assert len(texts) == len(set(texts)) == 9
    assert set(scores) == {"parsing", "vision", "proofs", "both"}
    assert all(set(own) == {"s1", "s2", "s3"} for own in scores.values())


def test_a_score_does_not_depend_on_other_ratings():
    vectors = np.random.default_rng(0).normal(0.5, 1, (40, 8)).astype(np.float32)
    rows = {"a": 0, "b": 1, "c": 2}
    expected = predict(rows, {"x": [5, 6, 7], "y": [7, 8]}, vectors)
    alone = predict({"b": 1}, {"x": [5, 6, 7]}, vectors)
    assert alone["x"]["b"] == pytest.approx(expected["x"]["b"], abs=1e-6)


def test_a_data_set_without_papers_or_submissions_has_no_predictions():
    vectors = np.ones((2, 3), np.float32)
    assert predict({"a": 0}, {"x": []}, vectors) == {}
    assert predict({}, {"x": [0]}, vectors) == {}
