"""The arXiv protocol and the structure, of the spaces of a real graph, as typed."""

import json
import random

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli import relating
from specter_graph.errors import GraphError, LeakError
from specter_graph.evaluation.space_reports import structure_of_spaces
from specter_graph.graph.holdout import hold_out
from specter_graph.graph.load import load_papers
from specter_graph.graph.spaces import EmbeddingSpace, record_space, write_vectors
from specter_graph.loaders.records import Field, Paper

IDS = [f"p{i}" for i in range(120)]


@pytest.fixture(scope="module")
def loaded(fresh_graph):
    """Papers of two groups that cite within them; one space knows the groups, one nothing."""
    chance = random.Random(3)
    papers = [
        Paper(
            p,
            p,
            references=tuple(chance.sample(IDS[i % 2 :: 2], 8)),
            fields=(Field("keyword", f"k{i % 2}", "k"),),
        )
        for i, p in enumerate(IDS)
    ]
    load_papers(fresh_graph, papers)
    hold_out(fresh_graph, 0.05)
    rng = np.random.default_rng(0)
    knowing = 9 * np.eye(4)[[i % 2 for i in range(120)]] + rng.normal(size=(120, 4))
    for name, vectors in (("knowing", knowing), ("noise", rng.normal(size=(120, 4)))):
        write_vectors(fresh_graph, name, IDS, vectors.astype(np.float32))
        record_space(fresh_graph, EmbeddingSpace(name, "base", 4, "m", "m", "d", sees_edges=False))
    return fresh_graph


@pytest.fixture
def typed(loaded, local_instance, monkeypatch):
    with local_instance.lease() as endpoint:
        monkeypatch.setenv("NEO4J_URI", endpoint.uri)
        monkeypatch.setenv("NEO4J_USERNAME", endpoint.username)
        monkeypatch.setenv("NEO4J_PASSWORD", endpoint.password)
        yield lambda command, *words: CliRunner().invoke(command, words)


def test_a_space_that_knows_beats_chance_by_every_distance(typed):
    rows = json.loads(typed(relating.arxiv, "--json", "-k", "20").stdout)
    assert (rows[0]["space"], rows[0]["distance"]) == ("(random)", "-")
    assert len(rows) == 1 + 2 * 3
    chance = rows[0]
    for row in rows:
        if row["space"] == "knowing":
            assert row["accuracy"] > chance["accuracy"] + 0.1
            assert row["recall@20"] > chance["recall@20"]
            assert row["mvdd"] > 0
    text = typed(relating.arxiv, "--markdown").stdout
    assert "| knowing | cosine |" in text


def test_classes_that_are_known_lie_apart(typed):
    found = json.loads(typed(relating.structure, "--json").stdout)
    assert found["knowing"]["homogeneity"] > found["noise"]["homogeneity"] + 0.3
    assert found["knowing"]["alignment"] < found["noise"]["alignment"]
    assert found["knowing"]["papers"] == 120


def test_a_scheme_that_nobody_has_is_refused(loaded):
    with pytest.raises(GraphError, match="no paper has a label of 'mag'"):
        structure_of_spaces(loaded, scheme="mag")


def test_a_space_that_has_seen_hidden_citations_is_refused(typed, loaded):
    write_vectors(loaded, "tainted", IDS, np.ones((len(IDS), 2), np.float32))
    record_space(loaded, EmbeddingSpace("tainted", "head", 2, "m", "m", "d", holdout_digest="x"))
    try:
        result = typed(relating.arxiv, "--space", "tainted")
        assert isinstance(result.exception, LeakError)
    finally:
        loaded.write("MATCH (s:EmbeddingSpace {property: 'tainted'}) DELETE s")
