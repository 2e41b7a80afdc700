"""Commands on a graph without papers or citations report it, name the graph, and say what to do."""

import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.core.errors import GraphError, ModelError
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import list_spaces
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Paper


@pytest.mark.parametrize(
    "arguments",
    [
        "search neutrino",
        "search neutrino --mode text",
        "search neutrino --venue PhysRevD",
        "search --like hep-ph/9901001",
        "similar hep-ph/9901001",
        "missing-references --cites hep-ph/9901001",
        "query run missing_references -p id=hep-ph/9901001",
        "query run most_cited_stubs",
        "triplets -o triplets.parquet",
        "train -o model",
        "embed",
        "sgc",
        "baseline run tfidf",
        "evaluate held-out",
        "evaluate tasks",
        "report -o report",
    ],
)
def test_a_command_that_needs_papers_names_the_empty_database(
    server, tmp_path, monkeypatch, arguments
):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, arguments.split())
    assert isinstance(result.exception, GraphError), result.exception
    assert "has no papers" in result.exception.message
    assert result.exception.message.startswith("the database at bolt://")
    assert result.exception.hint == "specter-graph load auto FILE"


def test_no_server_is_started_for_a_local_graph_that_does_not_exist(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
    monkeypatch.delenv("NEO4J_URI", raising=False)
    (tmp_path / "instances" / "physics" / "data").mkdir(parents=True)
    for arguments, name in (("stats --instance chemistry", "chemistry"), ("lists list", "default")):
        result = CliRunner().invoke(cli, arguments.split())
        assert isinstance(result.exception, GraphError), result.exception
        assert result.exception.message == f"the instance {name!r} does not exist"
        assert result.exception.hint.endswith("; other instances: physics")
    assert [path.name for path in (tmp_path / "instances").iterdir()] == ["physics"]


def test_what_learns_from_citations_fails_at_once_without_them(
    server, graph, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    load_papers(graph, [Paper(id="a", title="A title"), Paper(id="b", title="Another")])
    result = CliRunner().invoke(cli, ["train", "-o", "model"])
    assert isinstance(result.exception, ModelError), result.exception
    assert "no paper cites another" in result.exception.message
    assert "specter-graph enrich" in result.exception.hint
    assert not list_spaces(graph)
    assert CliRunner().invoke(cli, ["embed", "--model", "static"]).exit_code == 0
    result = CliRunner().invoke(cli, ["sgc", "--space", "static"])
    assert isinstance(result.exception, GraphError), result.exception
    assert "SGC would change nothing" in result.exception.message


def test_the_error_of_a_local_server_names_the_instance_and_the_others(graph):
    empty = Database(
        graph.driver, place="the instance 'trial'", instance="trial", others=("default", "demo")
    )
    with pytest.raises(GraphError, match=r"^the instance 'trial' has no papers") as error:
        require_papers(empty)
    assert error.value.hint == (
        "specter-graph load auto FILE --instance trial; other instances: default, demo"
    )
