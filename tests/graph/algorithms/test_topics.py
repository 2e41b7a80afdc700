"""Test topics: clusters of a space, their terms by hand, and the stored graph."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.algorithms.topics import (
    class_tfidf,
    find_topics,
    list_topics,
    topic_name,
    topic_terms,
)
from tests.graph.algorithms.small_graphs import load_references, projections, write_vectors_of

TITLES = {
    **{f"n{i}": "Solar neutrino oscillations" for i in range(30)},
    **{f"d{i}": "Dark matter in galaxies" for i in range(24)},
    "far": "Something else",
}
YEARS = {paper: 1990 + int(paper[1:]) % 3 for paper in TITLES if paper != "far"}


@pytest.fixture
def corpus(graph):
    """Load two round clusters, of 30 and 24 papers, and one paper far from both."""
    load_references(graph, dict.fromkeys(TITLES, ""), titles=TITLES, years=YEARS)
    rng = np.random.default_rng(0)
    center = {"n": (0.0, 0.0, 0.0), "d": (4.0, 0.0, 0.0), "f": (2.0, 30.0, 0.0)}
    places = {p: np.array(center[p[0]]) + 0.3 * rng.normal(size=3) for p in TITLES}
    write_vectors_of(graph, "base", places)
    return graph


def test_class_tfidf_by_hand():
    counts = np.array([[2, 1, 0], [0, 1, 2]])
    # six terms in two classes: A = 3; f = 2, 2, 2
    assert class_tfidf(csr_array(counts)).toarray() == pytest.approx(counts * math.log(1 + 3 / 2))
    rare = class_tfidf(csr_array(np.array([[1, 5], [0, 6]]))).toarray()
    assert rare[0] == pytest.approx([math.log(1 + 6 / 1), 5 * math.log(1 + 6 / 11)])


def test_terms_are_more_frequent_in_their_cluster_than_in_the_others():
    texts = ["the lattice gauge theory", "lattice theory 2003", "string theory", "none", "string"]
    terms = topic_terms(texts, np.array([0, 0, 1, -1, 1]))
    assert terms[0][0] == "lattice"
    assert terms[1][0] == "string"
    assert not {"the", "2003", "none"} & {term for each in terms for term in each}


def test_a_term_of_many_texts_occurs_in_two_of_them():
    texts = ["lattice gluon", *["lattice"] * 9]
    assert topic_terms(texts, np.zeros(10, int)) == [["lattice", "gluon", "lattice gluon"]]
    assert topic_terms([*texts, "lattice"], np.zeros(11, int)) == [["lattice"]]


def test_a_name_omits_terms_within_other_terms():
    assert topic_name(["dark", "dark matter", "halo", "matter", "galaxies", "x"]) == (
        "dark matter, halo, galaxies"
    )
    assert topic_name([]) == ""


@pytest.mark.parametrize(("method", "larger"), [("leiden", 31), ("hdbscan", 30)])
def test_topics_are_the_clusters_with_their_terms_and_years(corpus, method, larger):
    """Leiden assigns the distant paper to a cluster, HDBSCAN does not."""
    result = find_topics(corpus, "base", method=method, resolution=0.3)
    assert [(each.id, each.size) for each in result] == [("base:0", larger), ("base:1", 24)]
    assert "neutrino" in result[0].name
    assert "dark matter" in result[1].name
    assert (result[0].years, result[0].counts) == ((1990, 1991, 1992), (10, 10, 10))
    assert sum(result[1].counts) == 24
    assert projections(corpus) == []


def test_a_higher_resolution_gives_more_topics_and_small_ones_are_omitted(corpus):
    for min_size, sizes in ((24, [31, 24]), (25, [31])):
        topics = find_topics(corpus, "base", resolution=0.3, min_size=min_size)
        assert [each.size for each in topics] == sizes
    assert len(find_topics(corpus, "base", resolution=5, min_size=2)) > 2


def test_papers_outside_of_the_sample_belong_to_the_nearest_topic(corpus, monkeypatch):
    monkeypatch.setattr("specter_graph.graph.algorithms.topics.MAX_CLUSTERED", 30)
    result = find_topics(corpus, "base", resolution=0.3)
    assert sorted(each.size for each in result) in ([24, 31], [25, 30])  # one has the distant paper
    rows = corpus.read("MATCH (p:Paper)-[:IN_TOPIC]->(t) WHERE p.id <> 'far' RETURN t, p.id AS id")
    assert len({(row["t"]["id"], row["id"][0]) for row in rows}) == 2
    assert "neutrino" in result[0].name
    assert find_topics(corpus, "base", resolution=0.3) == result
    assert projections(corpus) == []


def test_a_paper_in_the_middle_of_its_topic_has_a_higher_score(corpus):
    find_topics(corpus, "base", method="hdbscan")
    rows = corpus.read(
        "MATCH (p:Paper)-[i:IN_TOPIC]->(t:Topic {id: 'base:0'})"
        " RETURN p.base AS place, i.score AS score"
    )
    places = np.array([row["place"] for row in rows])
    squared = ((places - places.mean(axis=0)) ** 2).sum(axis=1)
    assert [row["score"] for row in rows] == pytest.approx((1 / (1 + squared)).tolist(), rel=1e-4)


def test_a_second_run_gives_the_same_topics_and_replaces_those_of_the_space(corpus):
    write_vectors_of(corpus, "other", {p: (float(i), 1.0) for i, p in enumerate(TITLES)})
    other = find_topics(corpus, "other", seed=1)
    first = find_topics(corpus, "base", seed=1)
    assert find_topics(corpus, "base", seed=1) == first
    assert list_topics(corpus, "other") == other
    assert list_topics(corpus) == [*first, *other]
    inside = corpus.read("MATCH (:Paper)-[i:IN_TOPIC]->(:Topic) RETURN count(i) AS n")[0]["n"]
    assert inside == sum(each.size for each in (*first, *other))


@pytest.mark.parametrize("method", ["leiden", "hdbscan"])
def test_an_error_without_large_clusters_names_a_smaller_size(corpus, method):
    with pytest.raises(GraphError, match="no cluster of the space 'base' has 500 papers") as caught:
        find_topics(corpus, "base", method=method, min_size=500)
    assert "min_size" in caught.value.hint
    assert list_topics(corpus) == []


def test_an_unknown_method_is_an_error_and_keeps_the_topics(corpus):
    topics = find_topics(corpus, "base", method="hdbscan")
    with pytest.raises(InputError, match="unknown method 'kmeans'"):
        find_topics(corpus, "base", method="kmeans")
    assert list_topics(corpus, "base") == topics
    with pytest.raises(GraphError, match="no embedding space 'typo'; there are base"):
        list_topics(corpus, "typo")
