"""`specter-graph similar`, `search` and `query`, as typed."""

import json

import pytest
from click.testing import CliRunner

from specter_graph.cli import query as asking
from specter_graph.cli import searching
from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import library
from specter_graph.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Paper
from tests.graph.small_corpus import load_small_corpus, write_places


@pytest.fixture
def typed(graph, server):
    """Run a command on the small corpus."""
    load_small_corpus(graph)
    write_places(graph, "specter", 1)

    def run(command, *words):
        return CliRunner().invoke(command, words)

    return run


def test_similar_prints_a_table_or_json_alone(typed):
    assert "On later" in typed(searching.similar, "q").stdout
    hits = json.loads(typed(searching.similar, "q", "-k", "2", "--format", "json").stdout)
    assert [hit["id"] for hit in hits] == ["later", "c"]
    assert {"id", "title", "year", "score", "distance", "authors"} <= set(hits[0])


def test_an_unknown_paper_is_an_error_and_nothing_is_printed(typed):
    result = typed(searching.similar, "nowhere")
    assert isinstance(result.exception, GraphError)
    assert result.stdout == ""


def test_search_embeds_the_text_with_the_model_of_the_space(typed, graph):
    load_papers(
        graph,
        [Paper("sun", "Neutrinos from the sun"), Paper("jet", "Jets of quarks and gluons")],
    )
    embed(graph, Encoder.base(), "base")
    words = (
        "solar neutrinos",
        "--space",
        "base",
        "-k",
        "1",
        "--mode",
        "vector",
        "--format",
        "json",
    )
    hits = json.loads(typed(searching.search, *words).stdout)["hits"]
    assert [hit["id"] for hit in hits] == ["sun"]


def test_search_refuses_a_model_that_did_not_make_the_space(typed, graph):
    graph.write("MATCH (s:EmbeddingSpace) SET s.model = $name", name=Encoder.base().name)
    result = typed(searching.search, "solar neutrinos")
    assert isinstance(result.exception, GraphError)
    assert "not the model that made" in result.exception.message


def test_query_runs_by_name_with_parameters(typed):
    words = ("missing_references", "-p", "id=q", "-p", "k=1")
    assert [
        row["id"]
        for row in json.loads(typed(asking.query, "run", *words, "--format", "json").stdout)
    ] == ["m"]
    assert "On m" in typed(asking.query, "run", *words).stdout
    path = typed(asking.query, "run", "citation_path", "-p", "from=q", "-p", "to=n")
    assert "cited by" in path.stdout


def test_a_query_without_rows_says_so_apart_from_the_results(typed):
    result = typed(asking.query, "run", "citation_path", "-p", "from=q", "-p", "to=far")
    assert result.stderr == "no rows\n"


def test_a_parameter_without_a_value_is_refused(typed):
    assert isinstance(
        typed(asking.query, "run", "citation_path", "-p", "from").exception, InputError
    )


def test_every_query_is_listed_without_a_server():
    listed = CliRunner().invoke(asking.query, ["list"]).stdout
    for query in library():
        assert query.name.removeprefix("library/") in listed
        assert query.summary in listed


def test_one_query_is_told_of_in_full():
    told = CliRunner().invoke(asking.query, ["show", "citation_path"]).stdout
    assert "-p hops INTEGER = 6: the longest path, at most 8" in told
    assert "returns weakest FLOAT: the least of them" in told
    assert "disagreement" not in told
