"""Compare hubness, alignment, uniformity and the projection with direct computation."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import skew
from sklearn.metrics import completeness_score, homogeneity_score

from specter_graph.core.errors import InputError
from specter_graph.evaluation.protocols import geometry


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(200, 20))


def test_hubness_is_the_skewness_of_the_neighbor_counts(vectors):
    separate = cdist(vectors, vectors, "sqeuclidean")
    np.fill_diagonal(separate, np.inf)
    occurrence = np.bincount(np.argsort(separate, axis=1)[:, :10].ravel(), minlength=200)
    assert geometry.hubness(vectors, 10) == pytest.approx(skew(occurrence), abs=1e-9)


def test_a_paper_that_is_near_to_all_is_a_hub(vectors):
    hub = np.concatenate([vectors, np.zeros((1, 20))])
    assert geometry.hubness(hub) > geometry.hubness(vectors) + 0.5


def test_copies_of_a_paper_are_not_hubs(vectors):
    assert geometry.hubness(np.repeat(vectors[:1], 5, axis=0), k=4) == pytest.approx(0)
    assert geometry.hubness(vectors[:2], k=1) == 0


def test_hubness_of_a_sample_is_close_to_that_of_all_papers(monkeypatch):
    """Sampling papers skews the counts, but creates no hub."""
    square = np.random.default_rng(0).uniform(size=(8_000, 2))
    monkeypatch.setattr(geometry, "_MAX_QUERIES", 4_000)
    result = [geometry.hubness(square, seed=seed) for seed in range(4)]
    assert np.mean(result) == pytest.approx(0, abs=0.2)  # 0.3 by the raw counts
    monkeypatch.setattr(geometry, "_MAX_QUERIES", 1_000)
    gaussian = np.random.default_rng(0).normal(size=(3_000, 20))
    some = geometry.hubness(gaussian)
    monkeypatch.setattr(geometry, "_MAX_QUERIES", 3_000)
    assert some == pytest.approx(geometry.hubness(gaussian), rel=0.1)


def test_alignment_and_uniformity_agree_with_their_formulas(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = [(i, i + 1) for i in range(0, 200, 2)]
    aligned = np.mean([((unit[i] - unit[j]) ** 2).sum() for i, j in pairs])
    assert geometry.alignment(vectors[::2], vectors[1::2]) == pytest.approx(aligned)
    kernel = [np.exp(-2 * ((unit[i] - unit[j]) ** 2).sum()) for i in range(200) for j in range(i)]
    assert geometry.uniformity(vectors) == pytest.approx(np.log(np.mean(kernel)))
    assert geometry.uniformity(np.ones((30, 3))) == pytest.approx(0)


def test_a_sample_of_pairs_comes_near_to_all_of_them(monkeypatch, vectors):
    exact = geometry.uniformity(vectors)
    monkeypatch.setattr(geometry, "_MAX_PAIRS", 15_000)
    assert geometry.uniformity(vectors) == pytest.approx(exact, abs=0.02)
    assert geometry.uniformity(vectors) != exact


def test_separated_classes_are_clusters_on_the_plane():
    rng = np.random.default_rng(0)
    classes = [f"c{i % 3}" for i in range(90)]
    far = 20 * np.eye(10)[[i % 3 for i in range(90)]] + rng.normal(size=(90, 10))
    plane = geometry.project_and_cluster(far, classes)
    assert plane.places.shape == (90, 2)
    assert plane.homogeneity > 0.95
    assert plane.completeness > 0.7
    assert plane.homogeneity == homogeneity_score(classes, plane.clusters)
    assert plane.completeness == completeness_score(classes, plane.clusters)
    assert plane.homogeneity > 3 * homogeneity_score(rng.permutation(classes), plane.clusters)


@pytest.mark.parametrize("equal", [60, 59, 57, 36])
def test_papers_of_equal_vectors_are_projected_too(equal):
    """FastRP gives zeros to papers without citations; for equal vectors, nothing is measured."""
    vectors = np.random.default_rng(0).normal(size=(60, 16))
    vectors[:equal] = 0
    plane = geometry.project_and_cluster(vectors, [f"c{i % 3}" for i in range(60)])
    assert plane.places.shape == (60, 2)
    assert np.isfinite(plane.places).all()
    figures = (plane.homogeneity, plane.completeness)
    assert figures == (None, None) if equal == 60 else all(0 <= each <= 1 for each in figures)


def test_a_small_number_of_papers_is_rejected():
    with pytest.raises(InputError, match="more than 10 papers"):
        geometry.hubness(np.ones((10, 2)))
    with pytest.raises(InputError, match="a projection needs 40 papers"):
        geometry.project_and_cluster(np.ones((10, 2)), ["a"] * 10)
