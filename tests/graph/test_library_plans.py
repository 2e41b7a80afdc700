"""Test all queries of the library: their plans, their columns, and the need for both halves."""

import re
from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.cypher import library
from specter_graph.graph.database import TIMEOUT
from specter_graph.graph.embeddings.index import Dialect, read_dialect, render_placeholders
from specter_graph.graph.queries.library_queries import query_values, run_query
from tests.graph.library_corpus import load_library_corpus, place
from tests.graph.library_parameters import PARAMETERS
from tests.graph.plans import operators_of

QUERIES = {query.name.removeprefix("library/"): query for query in library()}
OF_ONE_HALF = {"most_cited_stubs", "papers_without_vectors"}
MATCHING = {name for name, query in QUERIES.items() if query.purpose == "match"}
MIXED = [name for name in QUERIES if name not in OF_ONE_HALF | MATCHING]
THROUGH_ALL = {"most_cited_stubs": "NodeByLabelScan"}
DIALECTS = [Dialect(search, vector_values=False) for search in (True, False)]
PURPOSES = {"explore", "recommend", "review", "assess", "maintain", "match"}
SPACES = {"space": "specter", "other": "sgc"}


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    """Load the corpus; the tests of this module do not change it."""
    load_library_corpus(fresh_graph)
    return fresh_graph


def test_readme_and_docs_state_how_many_queries_follow_citations_and_compare_vectors():
    root = Path(__file__).resolve().parents[2]
    assert f"yes, {len(MIXED)} library queries" in (root / "README.md").read_text()
    page = (root / "docs/queries.md").read_text()
    assert f"{len(MIXED)} of the {len(QUERIES)} queries" in page
    assert all(f"`{name}`" in page for name in OF_ONE_HALF)


def values(name):
    query = QUERIES[name]
    spaces = {each.name: SPACES[each.name] for each in query.parameters if each.type == "SPACE"}
    created = query_values(query, spaces | PARAMETERS[name])
    text = created.get("text")
    return created | {"vector": place(text, "").tolist() if text else None}


def result(rows):
    """Return the names in the rows and their links by citations, without other values."""
    keys = ("id", "ids", "other", "hops", "cited")
    return [[value for key, value in row.items() if key in keys] for row in rows]


def test_the_library_has_a_query_for_each_purpose():
    assert len(QUERIES) >= 25
    assert {query.purpose for query in QUERIES.values()} == PURPOSES
    assert PARAMETERS.keys() == QUERIES.keys()


@pytest.mark.parametrize("name", MIXED)
def test_a_mixed_query_uses_citations_and_vectors_in_one_statement(name):
    text = QUERIES[name].text
    assert "CITES" in text
    assert "nearest to" in text or "vector.similarity" in text
    assert ";" not in re.sub(r"'[^']*'", "", text)


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_returns_the_columns_of_its_header_within_the_limits(corpus, name):
    answer = run_query(corpus, name, PARAMETERS[name], embed=place, timeout=TIMEOUT / 10)
    assert 0 < len(answer.rows) <= values(name)["k"]
    assert not answer.is_truncated
    for row in answer.rows:
        assert list(row) == [column.name for column in QUERIES[name].columns]
        assert [column.name for column in QUERIES[name].columns if not has_type(row, column)] == []


def has_type(row, column):
    kinds = {"STRING": str, "INTEGER": int, "FLOAT": float, "BOOLEAN": bool}
    value = row[column.name]
    if column.type.startswith("LIST"):
        return value is None or isinstance(value, list)
    return value is None or type(value) is kinds[column.type]


@pytest.mark.parametrize("name", QUERIES)
def test_no_more_rows_are_returned_than_requested(corpus, name):
    rows = run_query(corpus, name, PARAMETERS[name] | {"k": 1}, embed=place).rows
    assert len([row for row in rows if not row.get("stub")]) == 1
    assert len(rows) <= 2


@pytest.mark.parametrize("name", MIXED)
def test_the_result_of_a_mixed_query_depends_on_citations(corpus, name):
    text = render_placeholders(QUERIES[name].text, SPACES, read_dialect(corpus))
    with corpus.driver.session() as session, session.begin_transaction() as transaction:
        before = transaction.run(text, values(name)).data()
        transaction.run("MATCH ()-[citation:CITES]->() DELETE citation").consume()
        after = transaction.run(text, values(name)).data()
        transaction.rollback()
    assert result(before) != result(after)


@pytest.mark.parametrize("name", MIXED)
def test_the_result_of_a_mixed_query_depends_on_vectors(corpus, name):
    one, other = (
        run_query(corpus, name, PARAMETERS[name] | {"space": space}, embed=place).rows
        for space in ("specter", "sgc")
    )
    assert result(one) != result(other)


@pytest.mark.parametrize("dialect", DIALECTS, ids=["SEARCH", "queryNodes"])
@pytest.mark.parametrize("name", QUERIES)
def test_no_query_scans_all_papers_or_multiplies_rows(corpus, name, dialect):
    text = render_placeholders(QUERIES[name].text, SPACES, dialect)
    bad = {
        operator
        for operator in operators_of(corpus, text, **values(name))
        if re.search("AllNodesScan|LabelScan|CartesianProduct", operator)
    }
    assert bad <= {THROUGH_ALL.get(name)}


@pytest.mark.parametrize("name", QUERIES)
def test_both_dialects_return_the_same_rows(corpus, name):
    search, procedure = (
        corpus.driver.execute_query(
            render_placeholders(QUERIES[name].text, SPACES, dialect), values(name)
        ).records
        for dialect in DIALECTS
    )
    assert search == procedure


def test_a_text_needs_an_encoder_and_words(corpus):
    with pytest.raises(InputError, match="no encoder for it"):
        run_query(corpus, "seminal_papers", {"text": "2"})
    with pytest.raises(InputError, match="is TEXT, not ' '"):
        run_query(corpus, "seminal_papers", {"text": " "}, embed=place)


def test_a_default_may_be_given_as_a_value():
    query = QUERIES["missing_references"]
    values = query_values(query, {"id": None, "text": "", "until": None, "cites": ["1"]})
    assert values == query_values(query, {"cites": '["1"]'})
    assert (values["id"], values["text"], values["until"]) == (None, "", None)
    with pytest.raises(InputError, match="is INTEGER, not None"):
        query_values(query, {"k": None})


def test_a_text_is_embedded_in_the_requested_space(corpus):
    calls = []

    def embed(text, space):
        calls.append((text, space))
        return place(text, space)

    run_query(corpus, "seminal_papers", {"text": "3 quarks", "space": "sgc"}, embed=embed)
    assert calls == [("3 quarks", "sgc")]


def test_each_paper_of_a_list_must_exist(corpus):
    from specter_graph.core.errors import GraphError

    with pytest.raises(GraphError, match="no paper 'q9'"):
        run_query(corpus, "more_like_these", {"ids": '["q3", "q9"]'})


@pytest.mark.parametrize("name", QUERIES)
def test_the_guide_describes_every_query_with_an_example(name):
    query = QUERIES[name]
    guide = (Path(__file__).parents[2] / "docs" / "queries.md").read_text()
    part = guide.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    assert part.startswith(f"\n{query.summary}\n")
    assert f"    specter-graph query run {name}" in part
