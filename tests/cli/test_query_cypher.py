"""Run `specter-graph query` with Cypher of the user."""

import csv
import io
import json
import sys

import pytest
from click.testing import CliRunner

from specter_graph.cli.query import query
from specter_graph.core.errors import InputError
from specter_graph.groups.spaces import Spaces
from tests.graph.small_corpus import load_small_corpus, write_places

CITED = """MATCH (:Paper {id: $id})-[:CITES]->(c:Paper&!Stub)
RETURN c.id AS id, c.year AS year ORDER BY id;"""


@pytest.fixture(scope="module")
def corpus(fresh_server):
    """Load the small corpus; the tests of this module do not change it."""
    load_small_corpus(fresh_server)
    write_places(fresh_server, "specter", 1)
    return fresh_server


@pytest.fixture
def folder(corpus, monkeypatch, tmp_path):
    """Point the commands to a folder for user data."""
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
    return tmp_path


def run(*arguments, stdin=None):
    return CliRunner().invoke(query, arguments, input=stdin)


def test_cypher_from_stdin_prints_a_table(folder):
    lines = run("cypher", "-", "-p", "id=q", stdin=CITED).stdout.splitlines()
    assert [line.split() for line in lines] == [["id", "year"], ["a", "2000"], ["b", "2001"]]


def test_cypher_may_be_the_argument_itself(folder):
    assert (
        run("cypher", CITED, "-p", "id=q").stdout
        == run("cypher", "-", "-p", "id=q", stdin=CITED).stdout
    )
    result = run("run", CITED)
    assert "query cypher" in result.exception.hint


def test_an_unknown_label_is_a_warning(folder):
    result = run("cypher", "MATCH (p:Papr) RETURN p.title")
    assert "warning: label does not exist. The label `Papr`" in result.stderr


def test_cypher_from_a_file_prints_only_json_or_csv(folder):
    file = folder / "cited.cypher"
    file.write_text(CITED, "utf-8-sig")  # as Windows writes it
    output = run("cypher", str(file), "-p", "id=q", "--format", "json").stdout
    assert json.loads(output) == [{"id": "a", "year": 2000}, {"id": "b", "year": 2001}]
    assert (
        run("cypher", str(file), "-p", "id=q", "--format", "csv").stdout
        == "id,year\na,2000\nb,2001\n"
    )


def test_a_numbered_submission_and_a_year_match_typed_values(folder, corpus):
    corpus.write("CREATE (:Submission {id: 'V/17', key: '17', section: 17})")
    try:
        for text, given in (
            ("MATCH (s:Submission {key: $key}) RETURN s.id AS id", "key=17"),
            ("MATCH (s:Submission) WHERE s.section = $section RETURN s.id AS id", "section=17"),
        ):
            results = run("cypher", "-", "-p", given, "--format", "json", stdin=text)
            assert "V/17" in results.stdout
    finally:
        corpus.write("MATCH (s:Submission) DELETE s")


def test_csv_holds_lists_as_json_and_quotes(folder):
    output = run(
        "cypher",
        "-",
        "--format",
        "csv",
        stdin="RETURN ['a', null] AS list, 'x,\"y' AS text, null AS none",
    ).stdout
    assert list(csv.reader(io.StringIO(output)))[1] == ['["a",null]', 'x,"y', ""]


def test_csv_escapes_what_a_spreadsheet_would_run(folder):
    text = "RETURN '=1+1' AS formula, -1 AS number, '-0.5' AS text, 'a' AS `@name`"
    assert (
        run("cypher", "-", "--format", "csv", stdin=text).stdout
        == "formula,number,text,'@name\n'=1+1,-1,-0.5,a\n"
    )


def test_a_library_query_prints_csv_too(folder):
    output = run("run", "missing_references", "-p", "id=q", "-p", "k=1", "--format", "csv").stdout
    assert output.splitlines()[1].startswith("m,On m,2002,")


def test_a_text_is_embedded_on_the_fly(folder, monkeypatch):
    import numpy as np

    places = {"on m": np.array([2, 0], np.float32)}
    monkeypatch.setattr(Spaces, "embed_text", lambda _, text, space: places[text])
    cypher = "{{5 nearest to $vector in $space}} RETURN near.id AS id ORDER BY score DESC LIMIT 1"
    assert json.loads(
        run("cypher", "-", "--embed", "on m", "--format", "json", stdin=cypher).stdout
    ) == [{"id": "m"}]


def test_a_vector_is_abbreviated_in_a_table(folder, corpus):
    long = "RETURN {v: [i IN range(1, 300) | toFloat(i)], n: 1} AS map"
    assert "300 numbers" in run("cypher", "-", stdin=long).stdout
    assert (
        json.loads(run("cypher", "-", "--format", "json", stdin=long).stdout)[0]["map"]["v"][299]
        == 300
    )


def test_a_plan_is_printed_and_nothing_runs(folder):
    output = run("cypher", "-", "--explain", stdin=CITED).stdout
    assert output.startswith("ProduceResults")
    assert "NodeUniqueIndexSeek" in output
    plan = json.loads(run("cypher", "-", "--explain", "--format", "json", stdin=CITED).stdout)
    assert plan["children"]


def test_rows_and_time_are_limited(folder):
    result = run(
        "cypher", "-", "--limit", "2", "--format", "json", stdin="UNWIND range(1, 9) AS i RETURN i"
    )
    assert json.loads(result.stdout) == [{"i": 1}, {"i": 2}]
    assert "only the first 2 rows" in result.stderr
    endless = "UNWIND range(1, 1000000000) AS i WITH i WHERE i < 0 RETURN i"
    result = run("cypher", "-", "--timeout", "0.3", stdin=endless)
    assert "time limit of 0.3 seconds" in result.exception.message


@pytest.mark.parametrize(
    ("arguments", "stdin", "error", "message"),
    [
        (["cypher", "-"], "CREATE (n)", InputError, "only reads are allowed"),
        (["cypher", "-"], " \n", InputError, "has no query"),
        (["cypher", "no where.cypher"], None, InputError, "no where.cypher cannot be read"),
        (["cypher", "nowhere.cypher"], None, InputError, "nowhere.cypher cannot be read"),
        (["cypher", "-"], "RETURN $x", InputError, "x"),
    ],
)
def test_invalid_cypher_is_an_error_and_prints_nothing(folder, arguments, stdin, error, message):
    result = run(*arguments, stdin=stdin)
    assert isinstance(result.exception, error)
    assert message in result.exception.message
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("module", "missing", "package"),
    [
        ("specter_graph.integrations.mcp_server", "mcp.server.mcpserver", "specter-graph[mcp]"),
        ("specter_graph.integrations.graphrag", "neo4j_graphrag.types", "specter-graph[graphrag]"),
        ("specter_graph.integrations.langchain", "langchain_neo4j", "specter-graph[langchain]"),
        (
            "specter_graph.integrations.llama_index",
            "llama_index.core.retrievers",
            "specter-graph[llamaindex]",
        ),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, module, missing, package):
    from importlib import import_module

    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match="is not installed") as caught:
        import_module(module)
    assert caught.value.hint == f'pip install "{package}"'
