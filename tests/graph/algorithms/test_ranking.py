"""PageRank and communities, against networkx and by hand."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import GraphError
from specter_graph.graph.algorithms import communities, pagerank
from specter_graph.graph.algorithms.centrality import by_size, pagerank_of
from tests.graph.algorithms.small_graphs import load_references, projections

FOUR = {"a": "bc", "b": "c", "c": "a", "d": "c"}
WITH_STUB = {"a": "bs", "b": "", "c": "b"}  # s is a stub; b and s cite nothing
CLIQUES = {"a": "bcd", "b": "cd", "c": "d", "d": "e", "e": "fg", "f": "g", "g": ""}


def ranks(graph):
    rows = graph.read("MATCH (p:Paper) RETURN p.id AS id, p.pagerank AS rank")
    return {row["id"]: row["rank"] for row in rows}


def of_networkx(references, damping=0.85):
    """The probabilities of networkx, by which ranks are to be divided to their sum."""
    graph = nx.DiGraph([(p, q) for p, cited in references.items() for q in cited])
    graph.add_nodes_from(references)
    return nx.pagerank(graph, alpha=damping, tol=1e-12, max_iter=1_000)


@pytest.mark.parametrize("without_gds", [False, True])
@pytest.mark.parametrize("references", [FOUR, WITH_STUB])
def test_ranks_are_those_of_networkx_up_to_their_sum(graph, references, without_gds):
    load_references(graph, references)
    written = pagerank(graph, without_gds=without_gds)
    found, expected = ranks(graph), of_networkx(references)
    total = sum(found.values())
    assert {p: r / total for p, r in found.items()} == pytest.approx(expected, abs=1e-6)
    assert written.papers == len(expected)
    assert written.first[0] == (max(found, key=found.get), max(found.values()))
    assert projections(graph) == []


def test_with_and_without_gds_ranks_are_the_same_to_a_millionth(graph):
    load_references(graph, FOUR)
    pagerank(graph, damping=0.6)
    found = ranks(graph)
    pagerank(graph, damping=0.6, without_gds=True)
    assert ranks(graph) == pytest.approx(found, abs=1e-6)
    assert found["d"] == pytest.approx(0.4)  # nobody cites it


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef")), min_size=1),
    st.floats(0.1, 0.95),
)
def test_what_scipy_ranks_networkx_ranks_alike(cites, damping):
    everyone = sorted({*cites, *(q for cited in cites.values() for q in cited)})
    references = {p: sorted(cites.get(p, ())) for p in everyone}
    found = pagerank_of(references, damping)
    expected = of_networkx(references, damping)
    assert (found / found.sum()).tolist() == pytest.approx(
        [expected[p] for p in references], abs=1e-6
    )


def test_two_cliques_are_two_communities_the_larger_is_0(graph):
    load_references(graph, CLIQUES)
    written = communities(graph)
    rows = graph.read("MATCH (p:Paper) RETURN p.id AS id, p.community AS c ORDER BY id")
    assert [row["c"] for row in rows] == [0, 0, 0, 0, 1, 1, 1]
    assert (written.count, written.first) == (2, (("0", 4), ("1", 3)))
    assert projections(graph) == []


def test_clusters_are_numbered_by_size_then_by_their_lowest_id():
    assert by_size("zyxcba", [7, 7, 3, 3, 9, 9]) == {
        "a": 0, "b": 0, "c": 1, "x": 1, "y": 2, "z": 2,
    }  # fmt: skip
    assert by_size("abc", [5, 6, 6]) == {"a": 1, "b": 0, "c": 0}


def test_an_empty_graph_has_nothing_to_rank(graph):
    for without_gds in (False, True):
        with pytest.raises(GraphError, match="no papers"):
            pagerank(graph, without_gds=without_gds)
