import numpy as np
import pytest

from specter_graph.core.vectors import nearest, unit


def neighbors_by_row(queries, vectors, k, own):
    """Compute neighbors row by row, sorted by distance, then by row."""
    rows = []
    for place, query in enumerate(queries):
        squared = ((vectors.astype(np.float64) - query) ** 2).sum(axis=1)
        order = np.argsort(squared, kind="stable")
        rows.append(order[order != (-1 if own is None else own[place])][:k])
    return np.array(rows, np.int64).reshape(len(queries), -1)


@pytest.mark.parametrize("block", [1, 7, 8_192])
@pytest.mark.parametrize("k", [0, 1, 5, 39, 60])
@pytest.mark.parametrize("of_their_own", [False, True])
def test_rows_and_distances_are_those_of_a_direct_computation(monkeypatch, block, k, of_their_own):
    """On a grid of small integers every distance is exact, and many distances are equal."""
    monkeypatch.setattr("specter_graph.core.vectors._BLOCK", block)
    rng = np.random.default_rng(0)
    vectors = rng.integers(-2, 3, size=(40, 3)).astype(np.float32)
    own = np.array([3, 39, 0, 17]) if of_their_own else None
    queries = vectors[[3, 39, 0, 17]]
    rows, squared = nearest(queries, vectors, k, own)
    np.testing.assert_array_equal(rows, neighbors_by_row(queries, vectors, min(k, 40), own))
    expected = ((vectors[rows] - queries[:, None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(squared, expected)


def test_an_empty_matrix_has_no_neighbors():
    rows, squared = nearest(np.ones((2, 3), np.float32), np.empty((0, 3), np.float32), 4)
    assert rows.shape == squared.shape == (2, 0)


def test_rows_are_scaled_to_length_one_and_zeros_are_unchanged():
    scaled = unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, [[0.6, 0.8], [0, 0]], rtol=1e-6)


def test_neighbors_of_many_queries_agree_with_all_distances():
    vectors = np.random.default_rng(0).normal(size=(2_500, 8)).astype(np.float32)
    vectors[7] = vectors[2_300]
    rows, squared = nearest(vectors, vectors, 5, np.arange(2_500))
    complete = ((vectors[:50, None].astype(float) - vectors[None]) ** 2).sum(axis=2)
    complete[np.arange(50), np.arange(50)] = np.inf
    expected = np.argsort(complete, axis=1, kind="stable")[:, :5]
    assert np.array_equal(rows[:50], expected)
    assert np.allclose(squared[:50], np.take_along_axis(complete, expected, 1), atol=1e-4)
    assert (rows[7, 0], rows[2_300, 0]) == (2_300, 7)
