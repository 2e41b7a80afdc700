"""`specter-graph baseline`, as typed, on a real graph."""

import json
import random

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli.baselines import baseline
from specter_graph.cli.judging import evaluate
from specter_graph.errors import InputError
from specter_graph.graph.holdout import hold_out
from specter_graph.graph.load import load_papers
from specter_graph.graph.spaces import read_vectors, space
from specter_graph.loaders.records import Paper

IDS = [f"p{i}" for i in range(160)]


@pytest.fixture
def typed(server):
    """Papers of two subjects, with words and citations of their own."""
    chance = random.Random(0)
    words = [[f"{name}word{chr(97 + i)}" for i in range(12)] for name in ("red", "blue")]
    papers = [
        Paper(
            p,
            " ".join(chance.choices(words[i % 2], k=20)),
            references=tuple(chance.sample(IDS[i % 2 :: 2], 8)),
        )
        for i, p in enumerate(IDS)
    ]
    load_papers(server, papers)
    hold_out(server, 0.1)
    return lambda command, *told: CliRunner().invoke(command, told)


def test_a_tuned_baseline_is_a_space_that_evaluate_scores(typed, server):
    made = json.loads(typed(baseline, "tfidf", "--tune", "--json").stdout)
    assert len(made["tried"]) == 9
    best = max(value for _, value in made["tried"])
    assert [made["settings"], best] in made["tried"]
    record = space(server, "tfidf")
    assert json.loads(record.sources)["settings"] == made["settings"]
    assert not record.sees_edges
    ids, _ = read_vectors(server, "tfidf")
    assert sorted(ids) == sorted(IDS)
    typed(baseline, "random")
    spaces = json.loads(typed(evaluate, "--json").stdout)["spaces"]
    assert set(spaces) == {"tfidf", "random"}
    assert spaces["tfidf"]["cite"]["map"]["value"] > spaces["random"]["cite"]["map"]["value"] + 0.1


@pytest.mark.parametrize("name", ["sif", "fasttext-sum", "doc2vec"])
def test_baselines_of_word_vectors_make_spaces(typed, server, name):
    result = typed(baseline, name, "--min-count", "2")
    assert result.exit_code == 0, result.output
    _, vectors = read_vectors(server, name.replace("-", "_"))
    assert vectors.shape == (160, 300)
    assert np.isfinite(vectors).all()


def test_rankers_are_scored_and_not_asked_what_they_are_told(typed):
    for name in ("bm25", "coupling", "cocitation"):
        found = json.loads(typed(baseline, name, "--json").stdout)
        assert ("cocite" in found["scores"]) == (name != "cocitation")
        assert found["scores"]["cite"]["map"]["value"] > 0.3
    assert "retrieval mrr" in typed(baseline, "bm25").stdout


def test_a_space_of_something_else_is_not_overwritten(typed):
    typed(baseline, "random")
    refused = typed(baseline, "tfidf", "--space", "random")
    assert isinstance(refused.exception, InputError)
    assert typed(baseline, "random", "--seed", "1").exit_code == 0


def test_all_are_listed_and_an_unknown_one_is_refused(typed):
    listed = typed(baseline, "--list").stdout
    assert [line.split()[0] for line in listed.splitlines()] == [
        "random", "tfidf", "fasttext-sum", "sif", "doc2vec", "bm25", "coupling", "cocitation",
    ]  # fmt: skip
    assert isinstance(typed(baseline, "elmo").exception, InputError)
