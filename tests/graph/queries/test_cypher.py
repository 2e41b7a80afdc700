"""Run Cypher of users: results, refused statements, and limits."""

import json
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import InputError, QueryTimeoutError
from specter_graph.graph.queries.cypher import explain, run_cypher, run_untrusted, values_of
from specter_graph.graph.queries.library_queries import run_query
from tests.graph.small_corpus import load_small_corpus, write_places


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    """Load the small corpus; the tests of this module only read."""
    load_small_corpus(fresh_graph)
    write_places(fresh_graph, "specter", 1)
    return fresh_graph


def value(graph, expression, **parameters):
    return run_cypher(graph, f"RETURN {expression} AS it", parameters)[0]["it"]


def test_rows_keep_the_order_of_the_columns(corpus):
    result = run_cypher(
        corpus,
        "MATCH (p:Paper)-[:CITES]->(c) WHERE p.id = $id RETURN c.id AS b, p.id AS a ORDER BY b",
        {"id": "m"},
    )
    assert (result.columns, result.is_truncated) == (["b", "a"], False)
    assert [[*row.items()] for row in result.rows] == [[("b", "b"), ("a", "m")]]


@pytest.mark.parametrize(
    ("expression", "plain"),
    [
        ("date('2020-02-03')", "2020-02-03"),
        ("datetime('2020-02-03T04:05:06Z')", "2020-02-03T04:05:06.000000000+00:00"),
        ("duration('P1DT2H')", "P1DT2H"),
        ("point({x: 1, y: 2})", {"srid": 7203, "coordinates": [1.0, 2.0]}),
        ("0.0 / 0.0", None),
        ("{a: [1, null, 'x', true]}", {"a": [1, None, "x", True]}),
    ],
)
def test_values_are_converted_to_json(corpus, expression, plain):
    assert value(corpus, expression) == plain


def test_a_path_alternates_nodes_and_relationships(corpus):
    result = run_cypher(corpus, "MATCH way = (:Paper {id: 'm'})-[:CITES]->(:Paper) RETURN way")
    start, cites, end = result[0]["way"]
    assert (start["labels"], start["properties"]["id"]) == (["Paper"], "m")
    assert cites["type"] == "CITES"
    assert end["properties"]["id"] == "b"
    assert start["properties"]["specter"] == [2.0, 0.0]


def test_an_index_is_queried_as_in_the_library(corpus):
    result = run_cypher(
        corpus,
        "{{10 nearest to $vector in $space}} WHERE NOT (:Paper {id: 'q'})-[:CITES]->(near) "
        "RETURN near.id ORDER BY score DESC, near.id LIMIT 3",
        {"vector": [1.0, 0.0], "space": "specter"},
    )
    assert [row["near.id"] for row in result] == ["c", "later", "m"]


def test_an_index_of_an_unknown_space_is_an_error(corpus):
    with pytest.raises(InputError, match=r"not given: \$where"):
        run_cypher(corpus, "{{10 nearest to $vector in $where}} RETURN near", {"vector": [1, 0]})


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (n:Paper {id: 'new'})",
        "MATCH (p:Paper) DETACH DELETE p",
        "MATCH (p:Paper) CALL (p) { SET p.title = '' } IN TRANSACTIONS",
        "CALL db.createLabel('New')",
        "CREATE INDEX new FOR (p:Paper) ON (p.title)",
        "DROP INDEX paper_specter",
    ],
)
def test_a_query_that_would_change_the_graph_is_refused(corpus, text):
    with pytest.raises(InputError, match="only reads are allowed") as caught:
        run_cypher(corpus, text)
    assert "cypher-shell" in caught.value.hint
    assert value(corpus, "COUNT { (p:Paper) WHERE p.title STARTS WITH 'On' }") == 8


def test_a_label_or_property_that_does_not_exist_is_a_warning(corpus):
    result = run_cypher(corpus, "MATCH (p:Papr) RETURN p.heading")
    assert result.rows == []
    assert [word in " ".join(result.warnings) for word in ("`Papr`", "`heading`")] == [True, True]
    assert run_cypher(corpus, "MATCH (p:Paper) RETURN p.title").warnings == []


def test_a_driver_of_the_caller_prints_no_notifications(corpus):
    code = f"""
import neo4j
from specter_graph.graph.database import Database
uri, user, password = {corpus.login!r}
with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver:
    print(Database(driver).read("MATCH (p:Papr) RETURN p.heading AS it"))
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


def test_changes_on_request_are_counted(corpus):
    result = run_cypher(corpus, "CREATE (n:Scratch {a: 1}) RETURN n.a", write=True)
    assert (result.rows, result.changes) == (
        [{"n.a": 1}],
        {"nodes_created": 1, "properties_set": 1, "labels_added": 1},
    )
    assert run_cypher(corpus, "MATCH (n:Scratch) DELETE n", write=True).changes == {
        "nodes_deleted": 1
    }


def test_no_more_rows_are_read_than_requested(corpus):
    started = time.monotonic()
    result = run_cypher(corpus, "UNWIND range(1, 1000000000) AS i RETURN i", limit=2)
    assert ([*result], result.is_truncated) == ([{"i": 1}, {"i": 2}], True)
    assert time.monotonic() - started < 20
    assert not run_cypher(corpus, "UNWIND range(1, 2) AS i RETURN i", limit=2).is_truncated


def test_a_query_that_takes_too_long_is_stopped(corpus):
    endless = "UNWIND range(1, 1000000000) AS i WITH i WHERE i < 0 RETURN i"
    with pytest.raises(QueryTimeoutError, match=r"time limit of 0\.5 seconds"):
        run_cypher(corpus, endless, timeout=0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [("MATCH (p RETURN p", "Invalid input"), ("RETURN $id", "id"), ("RETURN 1 / 0", "zero")],
)
def test_invalid_cypher_is_an_input_error(corpus, text, message):
    with pytest.raises(InputError, match=message):
        run_cypher(corpus, text)


def test_an_error_names_the_option_for_a_missing_vector(corpus):
    with pytest.raises(InputError, match="vector") as caught:
        run_cypher(corpus, "{{9 nearest to $vector in $space}} RETURN near", {"space": "specter"})
    assert "--embed TEXT" in caught.value.hint


@pytest.mark.parametrize("given", [2**70, {1, 2}, "\ud800"])
def test_a_value_that_neo4j_does_not_have_is_an_input_error(corpus, given):
    with pytest.raises(InputError, match="cannot be used"):
        run_cypher(corpus, "RETURN $it", {"it": given})
    with pytest.raises(InputError, match="cannot be used"):
        explain(corpus, "RETURN $it", {"it": given})


@pytest.mark.parametrize(
    ("search", "hint"),
    [
        ("10 nearest to $vector in specter", "write a search"),
        ("10 nearest to $vector in $no", "spaces"),
    ],
)
def test_an_invalid_search_of_an_index_has_a_hint(corpus, search, hint):
    with pytest.raises(InputError) as caught:
        run_cypher(corpus, f"{{{{{search}}}}} RETURN near", {"vector": [1, 0], "no": "none"})
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("vector", "reason"), [([1.0], "another dimension"), ([float("nan"), 1.0], "a NaN")]
)
def test_a_vector_that_does_not_fit_the_index_is_an_input_error(corpus, vector, reason):
    search = "{{1 nearest to $vector in $space}} RETURN near.id"
    with pytest.raises(InputError, match=reason) as caught:
        run_cypher(corpus, search, {"vector": vector, "space": "specter"})
    assert "embed_text" in caught.value.hint


@pytest.mark.parametrize("timeout", [-1, float("nan"), "60"])
def test_a_timeout_is_a_number_of_seconds(corpus, timeout):
    with pytest.raises(InputError, match="timeout is"):
        run_cypher(corpus, "RETURN 1", timeout=timeout)
    with pytest.raises(InputError, match="timeout is"):
        run_query(corpus, "most_cited_stubs", timeout=timeout)


def test_a_plan_is_returned_without_running(corpus):
    plan = explain(corpus, "MATCH (p:Paper {id: $id}) SET p.title = '' RETURN p.title")
    assert plan["operatorType"].startswith("ProduceResults")
    assert value(corpus, "COUNT { (p:Paper) WHERE p.title = '' }") == 0
    with pytest.raises(InputError, match="Invalid input"):
        explain(corpus, "MATCH")


@pytest.mark.parametrize("run", [explain, run_cypher, partial(run_untrusted, parameters=None)])
def test_an_error_quotes_the_query_of_the_user_and_its_position(corpus, run):
    options = {"timeout": 9, "limit": 1} if isinstance(run, partial) else {}
    for query, quoted, position in (
        ("RETURN m", '"RETURN m"\n        ^', "line 1, column 8"),
        ("MATCH (p)\nRETURN m", '"RETURN m"\n        ^', "line 2, column 8"),
    ):
        with pytest.raises(InputError) as caught:
            run(corpus, query, **options)
        assert caught.value.message == f"Variable `m` not defined ({position})\n{quoted}"
    with pytest.raises(InputError, match="the query is empty"):
        run(corpus, " ", **options)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(JSON)
def test_a_parameter_may_be_any_json(given):
    assert values_of({"x": json.dumps(given)}) == {"x": given}


@pytest.mark.parametrize("text", ["hep-ph/1", "", "NaN", "1 2", "{", "'q'"])
def test_a_parameter_that_is_no_json_is_text(text):
    assert values_of({"x": text}) == {"x": text}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (s:Submission {key: $x}) RETURN s", "17"),
        ("MATCH (s:Submission) WHERE s.key = $x RETURN s", "17"),
        ("MATCH (s:Submission) WHERE $x = s.key RETURN s", "17"),
        ("MATCH (p:Paper) WHERE p.year = $x RETURN p", 17),
        ("MATCH (p:Paper {id: $y}) RETURN p LIMIT $x", 17),
    ],
)
def test_a_number_is_text_where_it_is_compared_with_a_key(query, expected):
    assert values_of({"x": "17"}, query) == {"x": expected}
    assert values_of({"x": '"17"'}, query) == {"x": "17"}


def test_ctrl_c_stops_a_query_immediately(corpus):
    endless = "UNWIND range(1, 1000000000) AS i WITH i WHERE i < 0 RETURN i"
    code = f"""
import signal, neo4j
from specter_graph.graph.database import Database
from specter_graph.graph.queries.cypher import run_cypher
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may ignore Ctrl-C
uri, user, password = {corpus.login!r}
with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver:
    try:
        run_cypher(Database(driver), {endless!r}, timeout=120)
    except KeyboardInterrupt:
        print("stopped")
"""
    queries = "SHOW TRANSACTIONS YIELD currentQuery AS q WHERE q STARTS WITH 'UNWIND' RETURN q"
    started = time.monotonic()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        while not corpus.read(queries) and time.monotonic() - started < 60:
            time.sleep(0.1)
        interrupted = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.communicate() == (b"stopped\n", None)
    assert time.monotonic() - interrupted < 30
    assert corpus.read(queries) == []
