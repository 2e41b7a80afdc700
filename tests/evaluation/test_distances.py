"""Blockwise distances agree with scipy, and equal vectors have equal distances."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from specter_graph.evaluation.metrics import ranking


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(ranking, "_BLOCK", 130)
    monkeypatch.setattr(ranking, "_CANDIDATES", 7)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_together_are_the_full_matrix():
    generator = np.random.default_rng(0)
    queries = generator.normal(5, 1, (11, 6)).astype(np.float32)
    candidates = generator.normal(5, 1, (40, 6)).astype(np.float32)
    blocks = list(ranking.distances(queries, candidates))
    assert [len(block) for block in blocks] == [3, 3, 3, 2]
    exact = cdist(queries.astype(float), candidates.astype(float), "sqeuclidean")
    np.testing.assert_allclose(np.concatenate(blocks), exact, rtol=1e-6)


@pytest.mark.usefixtures("small_blocks")
def test_equal_vectors_have_equal_distances_in_any_row():
    generator = np.random.default_rng(1)
    candidates = np.tile(generator.normal(9, 1, 384).astype(np.float32), (40, 1))
    queries = generator.normal(9, 1, (9, 384)).astype(np.float32)
    for block in ranking.distances(queries, candidates):
        assert (block == block[:, :1]).all()


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", ranking.DISTANCES)
def test_every_kind_agrees_with_scipy(kind):
    generator = np.random.default_rng(2)
    queries, candidates = generator.normal(1, 1, (9, 6)), generator.normal(1, 1, (20, 6))
    exact = {
        "squared_l2": cdist(queries, candidates, "sqeuclidean"),
        "cosine": cdist(queries, candidates, "cosine"),
        "dot": -(queries @ candidates.T),
    }[kind]
    result = np.concatenate(list(ranking.distances(queries, candidates, kind)))
    np.testing.assert_allclose(result, exact, rtol=1e-5, atol=1e-6)
