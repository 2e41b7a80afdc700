"""Test queries of the library: rows that are computed by hand, and invalid requests."""

import json

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, InputError, QueryTimeoutError
from specter_graph.cypher import library
from specter_graph.graph.embeddings.index import read_dialect, render_placeholders
from specter_graph.graph.queries.library_queries import run_query
from tests.graph.plans import Counted
from tests.graph.small_corpus import load_small_corpus, write_places

QUERIES = {query.name.removeprefix("library/"): query for query in library()}
GIVEN = {"id": "q"}


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    """Load the small corpus; the tests of this module only read."""
    load_small_corpus(fresh_graph)
    write_places(fresh_graph, "specter", 1)
    write_places(fresh_graph, "sgc", 2)
    return fresh_graph


def rows(graph, name, *columns, **parameters):
    result = run_query(graph, name, parameters).rows
    return [tuple(row[column] for column in columns) for row in result]


def values(query):
    return {
        each.name: json.loads(each.default) if each.default else GIVEN[each.name]
        for each in query.parameters
    }


def test_the_best_citation_path_has_the_highest_mean_similarity_of_the_shortest(corpus):
    result = run_query(corpus, "citation_path", {"from": "q", "to": "n"}).rows
    assert [row["ids"] for row in result] == [["q", "a", "n"], ["q", "b", "n"]]
    best, worst = result
    assert best["hops"] == 2
    assert best["steps"] == ["cites", "cited by"]
    assert best["similarities"] == pytest.approx([1 / 2, 1 / 5])
    assert (best["mean"], best["weakest"]) == pytest.approx((0.35, 0.2))
    assert worst["mean"] == pytest.approx((1 / 26 + 1 / 5) / 2)


def test_a_citation_path_is_no_longer_than_requested(corpus):
    assert rows(corpus, "citation_path", "ids", **{"from": "q", "to": "n"}, hops=1) == []
    assert rows(corpus, "citation_path", "ids", **{"from": "q", "to": "far"}) == []


def test_cocited_and_close_reads_the_citations_of_a_hub_once(corpus):
    corpus.write(
        "MERGE (hub:Paper {id: 'a'}) WITH hub"
        " UNWIND range(1, 600) AS n CREATE (c:Paper {id: 'hub' + n})-[:CITES]->(hub)"
    )
    try:
        query = QUERIES["cocited_and_close"]
        text = render_placeholders(query.text, {"space": "specter"}, read_dialect(corpus))
        counted = Counted(corpus.driver)
        counted.read(text, **values(query) | {"id": "a"})
        assert sum(counted.hits) < 5 * 600
    finally:
        corpus.write("MATCH (c:Paper) WHERE c.id STARTS WITH 'hub' DETACH DELETE c")


def test_cocited_and_close_multiplies_the_score_and_the_cosine_of_cocitation(corpus):
    assert rows(corpus, "cocited_and_close", "id", "agreement", "cocitations", id="a") == [
        ("m", pytest.approx(1 / 2 / 3**0.5), 1),
        ("q", pytest.approx(1 / 2 / 3**0.5), 1),
        ("b", pytest.approx(1 / 17 * 2 / 3), 2),
    ]


def test_disagreement_compares_ranks_in_two_spaces(corpus):
    result = rows(corpus, "disagreement", "id", "rank", "other_rank", "hops", id="q", candidates=2)
    assert result == [("a", 3, 1, 1), ("later", 1, 3, 1), ("b", 3, 2, 1), ("c", 2, 3, 2)]


@pytest.mark.parametrize(("neighbors", "counts"), [(2, (0, 1, 2)), (3, (1, 2, 2))])
def test_divided_papers_counts_the_neighbors_that_two_spaces_share(corpus, neighbors, counts):
    columns = ("shared", "cited_neighbors", "other_cited_neighbors")
    years = {"from": 2005, "to": 2005}
    assert rows(corpus, "heterogeneous_papers", *columns, **years, neighbors=neighbors) == [counts]


def test_bridging_references_are_far_but_cited_by_neighbors(corpus):
    assert rows(corpus, "bridging_references", "id", "bridge", "neighbors", id="q") == [
        ("b", pytest.approx(2 * 25 / 26), 2),
        ("a", pytest.approx(1.0), 2),
    ]


def test_who_else_excludes_the_authors_and_their_coauthors(corpus):
    columns = ("id", "affinity", "papers", "cited", "nearest")
    assert rows(corpus, "other_authors", *columns, id="q") == [
        ("Gus", pytest.approx(1 / 1.04), 1, 0, "On later"),
        ("Cara", pytest.approx(0.7), 2, 1, "On a"),
        ("Fay", pytest.approx(0.1), 1, 0, "On n"),
        ("Dan", pytest.approx(1 / 26), 1, 1, "On b"),
    ]


def test_text_is_converted_to_the_type_in_the_header(corpus):
    assert rows(corpus, "other_authors", "id", id="q", k="1") == [("Gus",)]
    assert rows(corpus, "other_authors", "id", id="q", k=np.int64(1)) == [("Gus",)]


@pytest.mark.parametrize(
    ("name", "parameters", "error", "message"),
    [
        ("missing_reference", {}, GraphError, "no query named"),
        ("other_authors", {}, InputError, r"needs id\ntry: give id=\.\.\., the"),
        ("missing_references", {"id": "q", "size": "3"}, InputError, "no parameter 'size'"),
        ("missing_references", {"id": "q", "k": "three"}, InputError, "is INTEGER, not 'three'"),
        ("other_authors", {"id": "q", "k": -1}, InputError, "non-negative"),
        ("rising_papers", {"id": "q", "years": 2**62}, InputError, "is INTEGER, not 46"),
        ("missing_references", {"id": "late"}, GraphError, "no paper 'late'"),
        ("missing_references", {"id": "unread"}, GraphError, "only its id is known"),
        ("missing_references", {"id": "q", "space": "base"}, GraphError, "there are sgc, specter"),
    ],
)
def test_an_invalid_request_is_an_error_with_a_hint(corpus, name, parameters, error, message):
    with pytest.raises(error, match=message) as caught:
        run_query(corpus, name, parameters)
    assert caught.value.hint


def test_a_query_that_takes_too_long_is_stopped(corpus, monkeypatch):
    from specter_graph.graph.queries import library_queries

    endless = "UNWIND range(1, 1000000000) AS i WITH i WHERE i < 0 RETURN i"
    monkeypatch.setattr(library_queries, "render_placeholders", lambda *_: endless)
    with pytest.raises(QueryTimeoutError, match=r"time limit of 0\.5 seconds"):
        run_query(corpus, "missing_references", {"id": "q"}, timeout=0.5)


def test_a_query_cannot_write(corpus, monkeypatch):
    from neo4j.exceptions import ClientError

    from specter_graph.graph.queries import library_queries

    monkeypatch.setattr(
        library_queries,
        "render_placeholders",
        lambda *_: "CREATE (n:Paper {id: 'written'}) RETURN n.id",
    )
    with pytest.raises(ClientError, match="Writing in read access mode"):
        run_query(corpus, "missing_references", {"id": "q"})


def test_the_number_of_rows_is_limited(corpus):
    answer = run_query(corpus, "other_authors", {"id": "q"}, limit=2)
    assert (len(answer.rows), answer.is_truncated) == (2, True)
    assert not run_query(corpus, "other_authors", {"id": "q"}, limit=4).is_truncated
