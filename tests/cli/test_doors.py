"""`specter-graph query` with Cypher of one's own, and `shell`, as typed."""

import csv
import io
import json
import stat
import sys

import pytest
from click.testing import CliRunner
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from specter_graph.cli import integrations as doors
from specter_graph.cli import query as asking
from specter_graph.cli.completion import CypherCompleter, Names
from specter_graph.cli.prompt import is_whole, split
from specter_graph.core.errors import GraphError, InputError
from specter_graph.literature_graph import LiteratureGraph
from tests.graph.small_corpus import load_small_corpus, write_places

CITED = """MATCH (:Paper {id: $id})-[:CITES]->(c:Paper&!Stub)
RETURN c.id AS id, c.year AS year ORDER BY id;"""


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    """The small corpus in the database; the tests of this module leave it as it is."""
    load_small_corpus(fresh_graph)
    write_places(fresh_graph, "specter", 1)
    return fresh_graph


@pytest.fixture
def here(corpus, local_instance, monkeypatch, tmp_path):
    """The commands work on the corpus; what they keep of the user goes into a folder."""
    with local_instance.lease() as endpoint:
        monkeypatch.setenv("NEO4J_URI", endpoint.uri)
        monkeypatch.setenv("NEO4J_USERNAME", endpoint.username)
        monkeypatch.setenv("NEO4J_PASSWORD", endpoint.password)
        monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
        yield tmp_path


def query(*words, typed=None):
    return CliRunner().invoke(asking.query, words, input=typed)


def test_cypher_from_stdin_prints_a_table(here):
    lines = query("-", "-p", "id=q", typed=CITED).stdout.splitlines()
    assert [line.split() for line in lines] == [["id", "year"], ["a", "2000"], ["b", "2001"]]


def test_cypher_from_a_file_prints_json_or_csv_alone(here):
    file = here / "cited.cypher"
    file.write_text(CITED)
    told = query(str(file), "-p", "id=q", "--json").stdout
    assert json.loads(told) == [{"id": "a", "year": 2000}, {"id": "b", "year": 2001}]
    assert query(str(file), "-p", "id=q", "--csv").stdout == "id,year\na,2000\nb,2001\n"


def test_a_numbered_submission_and_a_year_are_found_by_what_is_typed(here, corpus):
    corpus.write("CREATE (:Submission {id: 'V/17', key: '17', section: 17})")
    try:
        for text, given in (
            ("MATCH (s:Submission {key: $key}) RETURN s.id AS id", "key=17"),
            ("MATCH (s:Submission) WHERE s.section = $section RETURN s.id AS id", "section=17"),
        ):
            found = query("-", "-p", given, "--json", typed=text)
            assert "V/17" in found.stdout
    finally:
        corpus.write("MATCH (s:Submission) DELETE s")


def test_csv_holds_lists_as_json_and_quotes(here):
    told = query(
        "-", "--csv", typed="RETURN ['a', null] AS list, 'x,\"y' AS text, null AS none"
    ).stdout
    assert list(csv.reader(io.StringIO(told)))[1] == ['["a", null]', 'x,"y', ""]


def test_csv_escapes_what_a_spreadsheet_would_run(here):
    typed = "RETURN '=1+1' AS formula, -1 AS number, '-0.5' AS text, 'a' AS `@name`"
    assert (
        query("-", "--csv", typed=typed).stdout == "formula,number,text,'@name\n'=1+1,-1,-0.5,a\n"
    )


def test_a_library_query_prints_csv_too(here):
    told = query("missing_references", "-p", "id=q", "-p", "k=1", "--csv").stdout
    assert told.splitlines()[1].startswith("m,On m,2002,")


def test_a_text_is_embedded_on_the_fly(here, monkeypatch):
    import numpy as np

    places = {"on m": np.array([2, 0], np.float32)}
    monkeypatch.setattr(LiteratureGraph, "embed_text", lambda _, text, space: places[text])
    asked = "{{5 nearest to $vector in $space}} RETURN near.id AS id ORDER BY score DESC LIMIT 1"
    assert json.loads(query("-", "--embed", "on m", "--json", typed=asked).stdout) == [{"id": "m"}]


def test_a_vector_in_a_table_is_not_written_out(here, corpus):
    long = "RETURN {v: [i IN range(1, 300) | toFloat(i)], n: 1} AS map"
    assert "300 numbers" in query("-", typed=long).stdout
    assert json.loads(query("-", "--json", typed=long).stdout)[0]["map"]["v"][299] == 300


def test_a_plan_is_printed_and_nothing_runs(here):
    told = query("-", "--explain", typed=CITED).stdout
    assert told.startswith("ProduceResults")
    assert "NodeUniqueIndexSeek" in told
    plan = json.loads(query("-", "--explain", "--json", typed=CITED).stdout)
    assert plan["children"]


def test_rows_and_seconds_are_limits(here):
    result = query("-", "--rows", "2", "--json", typed="UNWIND range(1, 9) AS i RETURN i")
    assert json.loads(result.stdout) == [{"i": 1}, {"i": 2}]
    assert "only the first 2 rows" in result.stderr
    endless = "UNWIND range(1, 1000000000) AS i WITH i WHERE i < 0 RETURN i"
    result = query("-", "--seconds", "0.3", typed=endless)
    assert "longer than 0.3 seconds" in result.exception.message


@pytest.mark.parametrize(
    ("words", "typed", "error", "said"),
    [
        (["-"], "CREATE (n)", GraphError, "may only read"),
        (["-"], " \n", InputError, "no query to run"),
        (["nowhere.cypher"], None, InputError, "nowhere.cypher cannot be read"),
        (["-"], "RETURN $x", InputError, "x"),
        (["missing_references", "-p", "id=q", "--rows", "3"], None, InputError, "--rows is for"),
        (["missing_references", "-p", "id=q", "--embed", "x"], None, InputError, "--embed is for"),
    ],
)
def test_what_cannot_be_run_is_said_and_nothing_printed(here, words, typed, error, said):
    result = query(*words, typed=typed)
    assert isinstance(result.exception, error)
    assert said in result.exception.message
    assert result.stdout == ""


def shell(typed, *words):
    """Type into the shell; the prompt's own drawing goes nowhere."""
    with create_pipe_input() as keys:
        keys.send_text(f"{typed}:exit\n")
        with create_app_session(input=keys, output=DummyOutput()):
            return CliRunner().invoke(doors.shell, words, catch_exceptions=False)


def test_the_shell_runs_cypher_over_several_lines_until_a_semicolon(here):
    result = shell("MATCH (p:Paper {id: 'q'})\nRETURN p.title AS title;\n")
    assert "On q" in result.stdout
    assert result.exit_code == 0


def test_the_shell_takes_parameters_and_runs_library_queries(here):
    result = shell(
        ":param n 41\n:param text so\nRETURN $n + 1 AS n, $text AS text; RETURN 'two' AS second;\n"
        ":run missing_references id=q k=1\n:param\n"
    )
    for said in ("42", "so", "two", "On m", "$n = 41"):
        assert said in result.stdout


def test_the_shell_drops_what_is_typed_at_ctrl_c_and_leaves_at_ctrl_d(here):
    result = shell("RETURN 'dropped'\n\x03RETURN 'kept' AS it;\n\x04RETURN 'late';\n")
    assert "kept" in result.stdout
    assert "dropped" not in result.stdout
    assert "late" not in result.stdout


def test_an_error_in_the_shell_is_told_and_the_next_query_runs(here):
    result = shell("RETURN nothing;\n:prm\n:param x\nRETURN 7 AS seven;\n")
    assert "`nothing` not defined" in result.stderr
    assert "there is no :prm" in result.stderr
    assert "$x is given no value" in result.stderr
    assert "seven" in result.stdout


def test_the_shell_writes_only_on_request(here, corpus):
    create = "CREATE (n:Scratch) RETURN 1;\n"
    refused = shell(create)
    assert "may only read" in refused.stderr
    assert "specter-graph shell --write" in refused.stderr
    assert "1 nodes created" in shell(create, "--write").stderr
    assert "1 nodes deleted" in shell("MATCH (n:Scratch) DELETE n;\n", "--write").stderr


def test_the_shell_remembers_what_was_typed_for_the_user_alone(here):
    shell("RETURN 1 AS one;\n")
    again = shell("\x1b[A\x1b[A\n")  # twice up: past :exit
    assert "one" in again.stdout
    assert stat.S_IMODE((here / doors.HISTORY).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("", True),
        ("RETURN 1", False),
        ("RETURN 1;", True),
        ("RETURN 1; // done", False),
        ("RETURN ';", False),
        ("RETURN 'a;b'", False),
        ("RETURN 'it\\';';", True),
        ("/* ; */ RETURN `a;`", False),
        (":help", True),
    ],
)
def test_enter_runs_what_is_whole(typed, whole):
    assert is_whole(typed) is whole


def test_statements_are_split_at_semicolons_outside_of_texts():
    assert split("RETURN ';' ; RETURN 2 // ;\n; MATCH") == (
        ["RETURN ';'", "RETURN 2 // ;"],
        "MATCH",
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("MATCH (p:Pa", ["Paper"]),
        ("MATCH (p)-[:CIT", ["CITES"]),
        ("MATCH (p) WHERE p.titl", ["title"]),
        ("opt", ["OPTIONAL MATCH"]),
        (":ex", [":exit"]),
        (":run missing_ref", ["missing_references"]),
        ("RETURN 1 ", []),
    ],
)
def test_completion_knows_the_graph_the_library_and_the_language(corpus, typed, offered):
    corpus.commit("CREATE (n:Paper {title: ''}) DELETE n")
    found = CypherCompleter(Names(corpus)).get_completions(Document(typed), CompleteEvent())
    assert [each.text for each in found] == offered


@pytest.mark.parametrize(
    ("module", "missing", "said"),
    [
        ("specter_graph.integrations.mcp_server", "mcp.server.mcpserver", "specter-graph[mcp]"),
        ("specter_graph.cli.prompt", "prompt_toolkit", "specter-graph[shell]"),
        ("specter_graph.integrations.graphrag", "neo4j_graphrag.types", "specter-graph[graphrag]"),
        ("specter_graph.integrations.langchain", "langchain_neo4j", "specter-graph[langchain]"),
    ],
)
def test_a_library_that_is_not_installed_is_named_with_its_extra(
    monkeypatch, module, missing, said
):
    from importlib import import_module

    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match="is not installed") as caught:
        import_module(module)
    assert caught.value.hint == f'pip install "{said}"'
