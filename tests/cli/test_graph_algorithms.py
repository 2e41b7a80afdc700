"""Run `specter-graph algorithms` and `specter-graph topics`."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli.graph_algorithms import algorithms, topics
from specter_graph.core.errors import GraphError
from tests.graph.algorithms.small_graphs import load_references, write_vectors_of

IDS = [f"p{i}" for i in range(24)]


@pytest.fixture
def corpus(server):
    load_references(
        server,
        {paper: IDS[max(0, i - 3) : i] for i, paper in enumerate(IDS)},
        years={paper: 1990 + i % 4 for i, paper in enumerate(IDS)},
    )
    vectors = np.random.default_rng(0).normal(size=(len(IDS), 4))
    write_vectors_of(server, "base", dict(zip(IDS, vectors, strict=True)))
    return server


def run_command(command, *arguments):
    result = CliRunner().invoke(command, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["pagerank"], "name pagerank papers 24"),
        (["communities"], "papers 24"),
        (["knn", "--space", "base", "-k", "2"], "name base papers 24 count 48"),
        (["knn", "--space", "base", "--exact"], "papers 24 count 240"),
        (["similarity", "--measure", "coupling"], "name coupling papers"),
        (["fastrp", "--output-dimension", "8"], "name fastrp kind fastrp dimension 8"),
        (["fastrp", "--no-features"], "dimension 384"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_command_reports_what_it_wrote(corpus, arguments, expected):
    assert expected in " ".join(run_command(algorithms, *arguments).stdout.split())


def test_stdout_has_only_json(corpus):
    ranked = json.loads(run_command(algorithms, "pagerank", "--format", "json").stdout)
    assert (ranked["name"], ranked["papers"], len(ranked["first"])) == ("pagerank", 24, 5)
    space = json.loads(run_command(algorithms, "fastrp", "--format", "json").stdout)
    assert (space["kind"], space["sees_edges"], space["base"]) == ("fastrp", True, "m")


def test_topics_are_created_and_listed(corpus):
    arguments = (
        "find",
        "--space",
        "base",
        "--min-size",
        "2",
        "--resolution",
        "0.5",
        "--format",
        "json",
    )
    created = json.loads(run_command(topics, *arguments).stdout)
    assert sum(topic["size"] for topic in created) == 24
    assert json.loads(run_command(topics, "list", "--format", "json").stdout) == created
    line = run_command(topics, "list").stdout.splitlines()[0]
    assert line.startswith("base:0")
    assert "1990-1993" in line
    with pytest.raises(GraphError, match="no embedding space 'other'"):
        run_command(topics, "list", "--space", "other")


def test_a_missing_space_is_an_error(corpus):
    with pytest.raises(GraphError, match="no embedding space 'nowhere'"):
        run_command(algorithms, "knn", "--space", "nowhere")
