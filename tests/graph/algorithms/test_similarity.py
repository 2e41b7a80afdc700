"""Compare SIMILAR, by vectors and by citations, with hand computation."""

import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.algorithms.similarity import knn, similarity
from tests.graph.algorithms.small_graphs import (
    load_references,
    projections,
    similar_of,
    write_vectors_of,
)

PLACES = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (3.0, 0.0), "d": (9.0, 0.0)}
# a and b share x and y of x, y, z; b and c share y and z of x, y, z; c shares y of x, y, z with a
COUPLED = {"a": "xy", "b": "xyz", "c": "yz", "d": ""}


@pytest.fixture
def line(graph):
    load_references(graph, dict.fromkeys(PLACES, ""))
    write_vectors_of(graph, "base", PLACES)
    return graph


@pytest.mark.parametrize("exact", [False, True])
def test_neighbors_have_the_score_of_the_vector_index(line, exact):
    written = knn(line, "base", k=1, exact=exact)
    assert similar_of(line, "base") == pytest.approx(
        {("a", "b"): 1 / 2, ("b", "a"): 1 / 2, ("c", "b"): 1 / 5, ("d", "c"): 1 / 37}
    )
    assert (written.papers, written.count) == (4, 4)
    assert projections(line) == []


def test_a_second_run_replaces_only_the_results_of_the_same_space(line):
    line.write(
        "MATCH (a:Paper {id: 'a'}), (d:Paper {id: 'd'})"
        " CREATE (a)-[:SIMILAR {space: 'base', score: 1.0}]->(d)"
        " CREATE (a)-[:SIMILAR {space: 'other', score: 1.0}]->(d)"
    )
    knn(line, "base", k=1)
    assert ("a", "d") not in similar_of(line, "base")
    assert similar_of(line, "other") == {("a", "d"): 1.0}


def test_a_paper_has_no_more_neighbors_than_other_papers_exist(line):
    for exact in (False, True):
        assert knn(line, "base", k=50, exact=exact).count == 12


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("k", [0, -1, "3"])
def test_a_wrong_number_of_neighbors_is_an_error_and_keeps_the_earlier_ones(line, exact, k):
    knn(line, "base", k=1)
    with pytest.raises(InputError, match=f"k is {k!r}"):
        knn(line, "base", k=k, exact=exact)
    assert len(similar_of(line, "base")) == 4


def test_an_unknown_measure_is_an_error(graph):
    with pytest.raises(InputError, match="unknown measure 'jaccard'"):
        similarity(graph, "jaccard")


def test_coupling_is_the_share_of_references_in_common(graph):
    load_references(graph, COUPLED)
    similarity(graph, "coupling")
    thirds = {("a", "b"): 2 / 3, ("b", "c"): 2 / 3, ("a", "c"): 1 / 3}
    both_ways = thirds | {(q, p): score for (p, q), score in thirds.items()}
    assert similar_of(graph, "coupling") == pytest.approx(both_ways)
    similarity(graph, "coupling", min_similarity=0.5)
    assert ("a", "c") not in similar_of(graph, "coupling")
    assert len(similar_of(graph, "coupling")) == 4
    assert projections(graph) == []


def test_cocitation_is_the_share_of_citing_papers_in_common(graph):
    # x is cited by a and b, y by a, b and c, z by b and c; x and z have one of three in common
    load_references(graph, COUPLED | dict.fromkeys("xy", ""))
    similarity(graph, "cocitation")
    assert similar_of(graph, "cocitation") == pytest.approx(
        {("x", "y"): 2 / 3, ("y", "x"): 2 / 3}  # z is a stub
    )
