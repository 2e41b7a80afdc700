"""`specter-graph similar`, `search` and `vectors`, as typed."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli import searching, vectors
from specter_graph.errors import GraphError, InputError
from specter_graph.searching import search
from tests.graph.search.corpus import load_line


@pytest.fixture
def typed(graph, server):
    """Run a command on the papers on a line."""
    load_line(graph)

    def run(command, *words):
        return CliRunner().invoke(command, words)

    return run


def ids(result):
    assert result.exception is None, result.exception
    return [hit["id"] for hit in json.loads(result.stdout)]


def test_similar_and_search_keep_to_the_filters(typed):
    words = ("p150", "--space", "line", "-k", "3", "--json")
    assert ids(typed(searching.similar, *words, "--field", "Quark")) == ["p147", "p153", "p144"]
    words = ("place", "--venue", "RARE", "--until", "2000", "--json")
    assert ids(typed(searching.search, *words)) == ["p5"]
    assert "On the quark of place 147" in typed(searching.similar, "p150", "--space", "line").stdout


def test_search_tells_why_in_json_and_in_words(typed):
    words = ("--like", "p150", "--unlike", "p10", "--uncited", "--space", "line", "-k", "2")
    hits = json.loads(typed(searching.search, *words, "--json").stdout)
    assert {"id", "title", "year", "score", "distance", "reasons", "snippet"} <= set(hits[0])
    assert {"signal", "rank", "share", "path"} == set(hits[0]["reasons"][0])
    told = typed(searching.search, *words).stdout
    assert "same references" in told
    assert "citing p1" in told
    assert "We study quarks here" in told


def test_one_signal_alone_gives_no_other_reasons(typed):
    for signal, words in (("text", ("quark",)), ("vector", ("--like", "p150"))):
        result = typed(
            searching.search, *words, "--signal", signal, "--space", "line", "--json", "-k", "5"
        )
        assert len(ids(result)) == 5
        for hit in json.loads(result.stdout):
            assert [reason["signal"] for reason in hit["reasons"]] == [signal]


def test_a_bibliography_is_searched_with_and_what_is_not_there_is_told(typed, graph, tmp_path):
    file = tmp_path / "mine.bib"
    file.write_text(
        "@article{one, title={On the quark of place 150}}\n"
        "@article{two, title={Something that nobody has}}\n"
    )
    result = typed(searching.search, "--bib", str(file), "--space", "line", "-k", "3", "--json")
    assert "p150" not in ids(result)
    assert "not in the graph: two: Something that nobody has" in result.stderr
    assert "1 of 2 papers are in the graph" in result.stderr
    graph.write("CREATE (:Paper:Stub {id: 'doi:10.1000/x', draw: 1})")
    with file.open("a") as more:
        more.write(
            "@article{three, title={A stub}, doi={10.1000/x}}\n@article{four, year={2001}}\n"
        )
    with_a_stub = typed(
        searching.search, "--bib", str(file), "--space", "line", "-k", "3", "--json"
    )
    assert with_a_stub.stdout == result.stdout
    assert "skipped, the graph has only its id: three: A stub" in with_a_stub.stderr
    assert "skipped, it cannot be used: four: title is missing" in with_a_stub.stderr
    assert "1 of 4 papers are in the graph" in with_a_stub.stderr
    file.write_text("@article{two, title={Something that nobody has}}\n")
    alone = typed(searching.search, "--bib", str(file), "--space", "line")
    assert str(alone.exception) == f"no paper of {file} is in the graph"
    assert len(ids(typed(searching.search, "quark", "--bib", str(file), "--json"))) == 10


@pytest.mark.parametrize("signal", [(), ("--signal", "text")], ids=["hybrid", "text"])
def test_a_space_that_is_not_there_is_never_passed_over(typed, signal):
    result = typed(searching.search, "quark", "--space", "nowhere", *signal)
    assert isinstance(result.exception, GraphError)
    assert "no embedding space 'nowhere'; there are line" in str(result.exception)


def test_nothing_and_an_unknown_paper_cannot_be_looked_for(typed):
    assert isinstance(typed(searching.search, "  ").exception, InputError)
    result = typed(searching.search, "--like", "p1500")
    assert isinstance(result.exception, GraphError)
    assert result.stdout == ""


def test_vectors_are_checked_and_dropped(typed, graph):
    told = typed(vectors.check, "--queries", "5").stdout
    assert "line: 300 vectors of 2 dimensions, recall@10" in told
    assert json.loads(typed(vectors.check, "--queries", "5", "--json").stdout)[0]["missing"] == 0
    assert typed(vectors.drop, "line", "--yes").exception is None
    assert graph.read("MATCH (p:Paper) WHERE p.line IS NOT NULL RETURN p.id") == []
    assert isinstance(typed(vectors.drop, "line", "--yes").exception, GraphError)


def test_weights_are_learnt_and_used(typed, graph):
    words = ("--space", "line", "--holdout", "0", "--queries", "8", "--json")
    learnt = json.loads(typed(vectors.weigh, *words).stdout)
    assert learnt["queries"] == 8
    weight = dict(zip(learnt["signals"], learnt["coefficients"], strict=True))
    hits = search(
        graph,
        lambda *_: np.array([150, 0], dtype=np.float32),
        "the quark of place 150",
        space="line",
    )
    for reason in hits[0].reasons:
        counts = 60 / (60 + reason.rank)
        assert reason.share == pytest.approx(counts * weight[reason.signal])
