"""Run `specter-graph similar`, `search` and `query`."""

import json

import pytest
from click.testing import CliRunner

from specter_graph.cli import searching
from specter_graph.cli.query import query
from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import library
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.spaces import delete_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import delete_papers
from specter_graph.loaders.records import Paper
from tests.graph.small_corpus import load_small_corpus, write_places


@pytest.fixture(scope="module")
def corpus(fresh_server):
    """Load the small corpus; a test that changes it restores it."""
    load_small_corpus(fresh_server)
    write_places(fresh_server, "specter", 1)
    return fresh_server


def run(command, *arguments):
    return CliRunner().invoke(command, arguments)


@pytest.mark.usefixtures("corpus")
def test_similar_prints_only_a_table_or_json():
    assert "On later" in run(searching.similar, "q").stdout
    hits = json.loads(run(searching.similar, "q", "-k", "2", "--format", "json").stdout)
    assert [hit["id"] for hit in hits] == ["later", "c"]
    assert {"id", "title", "year", "score", "distance", "authors"} <= set(hits[0])


def test_search_embeds_the_text_with_the_model_of_the_space(corpus):
    papers = [Paper("sun", "Neutrinos from the sun"), Paper("jet", "Jets of quarks and gluons")]
    load_papers(corpus, papers)
    embed(corpus, Encoder.base(), "base")
    options = ["--space", "base", "-k", "1", "--mode", "vector", "--format", "json"]
    hits = json.loads(run(searching.search, "solar neutrinos", *options).stdout)["hits"]
    assert [hit["id"] for hit in hits] == ["sun"]
    delete_space(corpus, "base")
    delete_papers(corpus, ["sun", "jet"])


def test_search_refuses_a_model_that_did_not_make_the_space(corpus):
    corpus.write("MATCH (s:EmbeddingSpace) SET s.model = $name", name=Encoder.base().name)
    result = run(searching.search, "solar neutrinos")
    write_places(corpus, "specter", 1)
    assert isinstance(result.exception, GraphError)
    assert "not the model that made" in result.exception.message


@pytest.mark.usefixtures("corpus")
def test_query_runs_by_name_with_parameters():
    arguments = ("missing_references", "-p", "id=q", "-p", "k=1")
    assert [
        row["id"] for row in json.loads(run(query, "run", *arguments, "--format", "json").stdout)
    ] == ["m"]
    assert "On m" in run(query, "run", *arguments).stdout
    path = run(query, "run", "citation_path", "-p", "from=q", "-p", "to=n")
    assert "cited by" in path.stdout


@pytest.mark.usefixtures("corpus")
def test_a_query_without_rows_reports_it_on_stderr():
    result = run(query, "run", "citation_path", "-p", "from=q", "-p", "to=far")
    assert result.stderr == "no rows\n"


@pytest.mark.usefixtures("corpus")
def test_a_parameter_without_a_value_is_refused():
    assert isinstance(run(query, "run", "citation_path", "-p", "from").exception, InputError)
    twice = run(query, "run", "citation_path", "-p", "from=q", "-p", "from=n", "-p", "to=n")
    assert twice.exception.message == "from is given more than once"


def test_every_query_is_listed_without_a_server():
    listed = CliRunner().invoke(query, ["list"]).stdout
    for each in library():
        assert each.name.removeprefix("library/") in listed
        assert each.summary in listed


def test_one_query_is_described_in_full():
    output = CliRunner().invoke(query, ["show", "citation_path"]).stdout
    assert "-p hops INTEGER = 6: the longest path, at most 8" in output
    assert "returns weakest FLOAT: the least of them" in output
    assert "disagreement" not in output
