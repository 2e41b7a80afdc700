"""Compare PageRank and communities with networkx and with hand computation."""

from random import Random

import networkx as nx
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.algorithms.centrality import by_size, communities, pagerank
from tests.graph.algorithms.small_graphs import load_references, projections

FOUR = {"a": "bc", "b": "c", "c": "a", "d": "c"}
WITH_STUB = {"a": "bs", "b": "", "c": "b"}  # s is a stub; b and s cite nothing
CLIQUES = {"a": "bcd", "b": "cd", "c": "d", "d": "e", "e": "fg", "f": "g", "g": ""}


def ranks(graph):
    rows = graph.read("MATCH (p:Paper) RETURN p.id AS id, p.pagerank AS rank")
    return {row["id"]: row["rank"] for row in rows}


def of_networkx(references, damping=0.85):
    """Return the probabilities of networkx; our ranks are divided by their sum."""
    graph = nx.DiGraph([(p, q) for p, cited in references.items() for q in cited])
    graph.add_nodes_from(references)
    return nx.pagerank(graph, alpha=damping, tol=1e-12, max_iter=1_000)


@pytest.mark.parametrize("damping", [0.85, 0.6])
@pytest.mark.parametrize("references", [FOUR, WITH_STUB])
def test_ranks_agree_with_networkx_after_normalization(graph, references, damping):
    load_references(graph, references)
    written = pagerank(graph, damping=damping)
    result, expected = ranks(graph), of_networkx(references, damping)
    assert min(result.values()) == pytest.approx(1 - damping)  # a paper without citations
    total = sum(result.values())
    assert {p: r / total for p, r in result.items()} == pytest.approx(expected, abs=1e-6)
    assert written.papers == len(expected)
    assert written.first[0] == (max(result, key=result.get), max(result.values()))
    assert projections(graph) == []


def test_two_cliques_are_two_communities_the_larger_is_0(graph):
    load_references(graph, CLIQUES)
    written = communities(graph)
    rows = graph.read("MATCH (p:Paper) RETURN p.id AS id, p.community AS c ORDER BY id")
    assert [row["c"] for row in rows] == [0, 0, 0, 0, 1, 1, 1]
    assert (written.count, written.first) == (2, (("0", 4), ("1", 3)))
    assert projections(graph) == []


def test_the_seed_decides_between_equally_good_communities(graph):
    rng = Random(0)
    papers = [f"p{n:03}" for n in range(300)]
    load_references(graph, {paper: rng.sample(papers, 4) for paper in papers})

    def numbers(seed):
        communities(graph, seed=seed)
        return graph.values("MATCH (p:Paper) RETURN p.community ORDER BY p.id")

    assert numbers(1) == numbers(1)
    assert numbers(1) != numbers(2)


def test_clusters_are_numbered_by_size_then_by_their_lowest_id():
    assert by_size("zyxcba", [7, 7, 3, 3, 9, 9]) == {
        "a": 0, "b": 0, "c": 1, "x": 1, "y": 2, "z": 2,
    }  # fmt: skip
    assert by_size("abc", [5, 6, 6]) == {"a": 1, "b": 0, "c": 0}


def test_an_empty_graph_has_nothing_to_rank(graph):
    with pytest.raises(GraphError, match="no papers"):
        pagerank(graph)
