"""Distances in blocks are those of scipy, and equal vectors are equally far."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from specter_graph.evaluation import distances


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(distances, "_BLOCK", 130)
    monkeypatch.setattr(distances, "_CANDIDATES", 7)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_together_are_the_whole_matrix():
    generator = np.random.default_rng(0)
    queries = generator.normal(5, 1, (11, 6)).astype(np.float32)
    candidates = generator.normal(5, 1, (40, 6)).astype(np.float32)
    blocks = list(distances.squared_distances(queries, candidates))
    assert [len(block) for block in blocks] == [3, 3, 3, 2]
    exact = cdist(queries.astype(float), candidates.astype(float), "sqeuclidean")
    np.testing.assert_allclose(np.concatenate(blocks), exact, rtol=1e-6)


@pytest.mark.usefixtures("small_blocks")
def test_equal_vectors_come_out_at_equal_distances_wherever_they_stand():
    generator = np.random.default_rng(1)
    candidates = np.tile(generator.normal(9, 1, 384).astype(np.float32), (40, 1))
    queries = generator.normal(9, 1, (9, 384)).astype(np.float32)
    for block in distances.squared_distances(queries, candidates):
        assert (block == block[:, :1]).all()
