"""Find papers near a paper or a vector, on a corpus whose distances are known."""

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.search.vector_search import nearest, similar
from tests.graph.plans import operators_of
from tests.graph.small_corpus import load_small_corpus, write_places


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    """Load the small corpus, in which `m` has no vector."""
    load_small_corpus(fresh_graph)
    write_places(fresh_graph, "specter", 1)
    fresh_graph.write("MATCH (p:Paper {id: 'm'}) REMOVE p.specter")
    return fresh_graph


def test_similar_papers_are_ordered_by_distance_without_the_paper_itself(corpus):
    hits = similar(corpus, "q", "specter", k=3)
    assert [hit.id for hit in hits] == ["later", "c", "a"]
    assert [hit.distance for hit in hits] == pytest.approx([0.2, 0.5, 1.0], rel=1e-5)
    assert [hit.score for hit in hits] == pytest.approx([1 / 1.04, 1 / 1.25, 1 / 2])
    assert (hits[0].title, hits[0].year) == ("On later", 2010)


def test_the_nearest_to_a_vector_may_be_at_distance_zero(corpus):
    hits = nearest(corpus, np.array([5, 0], dtype=np.float32), "specter", k=2)
    assert [(hit.id, hit.distance) for hit in hits] == [("b", 0.0), ("n", pytest.approx(2.0))]


def test_a_vector_of_another_dimension_is_refused(corpus):
    with pytest.raises(GraphError, match="2 dimensions"):
        nearest(corpus, np.zeros(3, dtype=np.float32), "specter")


def test_the_error_for_an_unknown_paper_suggests_similar_ids(corpus):
    with pytest.raises(GraphError, match="no paper 'latter'") as caught:
        similar(corpus, "latter", "specter")
    assert "later" in caught.value.hint


def test_the_errors_for_a_stub_and_a_paper_without_a_vector_differ(corpus):
    with pytest.raises(GraphError, match="only its id is known"):
        similar(corpus, "unread", "specter")
    with pytest.raises(GraphError, match="'m' has no vector in 'specter'"):
        similar(corpus, "m", "specter")


@pytest.mark.parametrize(
    "name",
    ["has_vectors", "ids_from", "outdated", "read_vectors_of", "write_vectors"],
)
@pytest.mark.parametrize("label", ["Paper", "Submission"])
def test_papers_are_looked_up_through_indexes(corpus, name, label):
    text = statement(f"embeddings/{name}").filled(label=label)
    assert not [each for each in operators_of(corpus, text) if "Scan" in each]
