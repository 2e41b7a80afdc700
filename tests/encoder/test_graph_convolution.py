import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.encoder.graph_convolution import sgc


def dense_sgc(features, edges, k):
    """Compute SGC by its formula, on dense matrices."""
    adjacency = np.zeros((len(features), len(features)))
    for citing, cited in edges.T:
        if citing != cited:
            adjacency[citing, cited] = adjacency[cited, citing] = 1
    adjacency += np.eye(len(features))
    scale = np.diag(adjacency.sum(axis=1) ** -0.5)
    return np.linalg.matrix_power(scale @ adjacency @ scale, k) @ features


graphs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30)
    )
)


def arrays(graph, seed=0):
    n, pairs = graph
    features = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    return features, np.array(pairs, np.int64).reshape(-1, 2).T


@given(graphs, st.integers(1, 8))
@settings(max_examples=100)
def test_sgc_is_the_dense_formula(graph, k):
    features, edges = arrays(graph)
    smoothed = sgc(features, edges, k)
    assert smoothed.dtype == np.float32
    np.testing.assert_allclose(smoothed, dense_sgc(features, edges, k), atol=1e-5)


@given(graphs, st.integers(1, 4))
@settings(max_examples=50)
def test_direction_order_and_repetition_of_edges_do_not_matter(graph, k):
    features, edges = arrays(graph)
    again = np.hstack([edges[::-1, ::-1], edges])
    np.testing.assert_allclose(sgc(features, again, k), sgc(features, edges, k), atol=1e-5)


def test_a_paper_without_edges_keeps_its_features():
    features, edges = arrays((4, [(0, 1), (1, 2)]))
    smoothed = sgc(features, edges, 3)
    np.testing.assert_array_equal(smoothed[3], features[3])
    assert not np.allclose(smoothed[0], features[0])
