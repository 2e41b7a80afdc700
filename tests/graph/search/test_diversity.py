"""Test minimum scores and maximal marginal relevance."""

import numpy as np
import pytest

from specter_graph import InputError, LiteratureGraph
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.search.reranking import diverse_order
from specter_graph.loaders.records import Paper

SCORES = np.array([1.0, 0.95, 0.9, 0.2], np.float32)
VECTORS = np.array([[1, 0], [1, 0.01], [0.6, 0.8], [0, 1]], np.float32)


@pytest.mark.parametrize(
    ("diversity", "order"),
    [(0.0, [0, 1, 2, 3]), (0.5, [0, 2, 1, 3]), (1.0, [0, 3, 2, 1])],
)
def test_diverse_hits_are_chosen_by_marginal_relevance(diversity, order):
    assert diverse_order(SCORES, VECTORS, diversity, 4) == order
    assert diverse_order(SCORES, VECTORS, diversity, 2) == order[:2]


@pytest.fixture(scope="module")
def literature(fresh_graph):
    literature = LiteratureGraph(fresh_graph.driver, fresh_graph.name)
    papers = [Paper(f"p{n}", "neutrino mass" if n < 4 else "dark halo") for n in range(6)]
    literature.load(papers)
    record = EmbeddingSpace("specter", "base", 2, "m", "m", digest="d", sees_edges=False)
    vectors = np.array([[1, 0], [1, 0.1], [1, 0.11], [1, 0.12], [1, -0.4], [9, 9]], np.float32)
    write_space(fresh_graph, record, [paper.id for paper in papers], vectors)
    fresh_graph.read("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    return literature


def test_similar_papers_have_a_minimum_score(literature):
    ids = [hit.id for hit in literature.similar("p0", min_score=0.9)]
    assert ids == ["p1", "p2", "p3"]
    assert literature.similar("p0", min_score=1.0) == []


def test_diverse_similar_papers_differ(literature):
    assert [hit.id for hit in literature.similar("p0", k=2)] == ["p1", "p2"]
    assert [hit.id for hit in literature.similar("p0", k=2, diversity=0.7)] == ["p1", "p4"]


def test_a_search_has_a_minimum_score_and_diversity(literature):
    hits = literature.search(like=["p0"], mode="vector", k=2, diversity=0.7)
    assert [hit.id for hit in hits] == ["p1", "p4"]
    hits = literature.search(like=["p0"], mode="vector", min_score=0.9)
    assert [hit.id for hit in hits] == ["p1", "p2", "p3"]


def test_impossible_selections_are_refused(literature):
    with pytest.raises(InputError, match="the diversity is 2"):
        literature.similar("p0", diversity=2)
    for search in (
        lambda: literature.similar("p0", k=0),
        lambda: literature.search("neutrino", mode="text", k=-1),
        lambda: literature.missing_references(cites=["p1"], k=0),
    ):
        with pytest.raises(InputError, match="k is"):
            search()
    with pytest.raises(InputError, match="this search uses no space"):
        literature.search("neutrino", mode="text", diversity=0.5)
