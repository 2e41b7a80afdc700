import numpy as np
import pytest

from specter_graph.core.vectors import unit
from specter_graph.encoder import graph_convolution
from specter_graph.encoder.graph_convolution import (
    DistillationSettings,
    add_base,
    add_distilled,
    distill_sgc,
    principal_directions,
    ridge_map,
    sgc,
)
from specter_graph.encoder.triplets import IndexedTriplets


@pytest.fixture
def numbers():
    return np.random.default_rng(0)


def triplet_rows(*columns: list[int]) -> IndexedTriplets:
    query, positive, negative = (np.array(column, np.int64) for column in columns)
    return IndexedTriplets(query, positive, negative, np.zeros(len(query), np.bool_), "")


def test_the_linear_map_is_that_of_ridge_regression(numbers):
    inputs = numbers.standard_normal((40, 5)).astype(np.float32)
    targets = numbers.standard_normal((40, 3)).astype(np.float32)
    # Equal to least squares with sqrt(ridge) I below the inputs and zeros below the targets.
    below = np.vstack([inputs, np.sqrt(0.7) * np.eye(5)]), np.vstack([targets, np.zeros((5, 3))])
    expected = np.linalg.lstsq(*below, rcond=None)[0]
    np.testing.assert_allclose(ridge_map([(inputs, targets)], 0.7), expected, rtol=1e-5, atol=1e-6)


def test_principal_directions_are_those_of_the_singular_values(numbers):
    vectors = (numbers.standard_normal((50, 6)) * [1, 2, 3, 4, 5, 6]).astype(np.float32)
    u, s, _ = np.linalg.svd(vectors, full_matrices=False)
    result = vectors @ principal_directions(vectors, 2)
    np.testing.assert_allclose(np.abs(result), np.abs(u * s)[:, :2], rtol=1e-3, atol=1e-4)
    complete = vectors @ principal_directions(vectors, 9)
    np.testing.assert_allclose(complete @ complete.T, vectors @ vectors.T, rtol=1e-3, atol=1e-3)


def test_the_smoothed_vector_is_distilled_where_the_inputs_determine_it(numbers):
    rows = triplet_rows([0, 1, 2, 3], [1, 2, 3, 0], [4, 4, 5, 5])
    vectors = unit(numbers.standard_normal((6, 4)).astype(np.float32))
    settings = DistillationSettings(ridge=1e-6)
    inputs = np.eye(6, dtype=np.float32)
    smoothed = unit(sgc(vectors, np.stack([rows.query, rows.positive]), settings.k))
    predicted = inputs @ distill_sgc(inputs, vectors, rows, 4, settings)
    np.testing.assert_allclose(predicted @ predicted.T, smoothed @ smoothed.T, atol=1e-4)


def test_papers_in_no_triplet_are_ignored(numbers):
    rows = triplet_rows([0, 1], [1, 2], [3, 3])
    inputs = numbers.standard_normal((6, 3)).astype(np.float32)
    weight = numbers.standard_normal((3, 4)).astype(np.float32)
    before = add_distilled(weight, inputs, rows, 2, DistillationSettings())
    inputs[4:] = 9
    after = add_distilled(weight, inputs, rows, 2, DistillationSettings())
    np.testing.assert_array_equal(after, before)


def test_the_result_does_not_depend_on_blocks(numbers, monkeypatch):
    rows = triplet_rows([0, 5, 2, 3], [1, 2, 3, 0], [4, 4, 5, 5])
    inputs = numbers.standard_normal((9, 3)).astype(np.float16)
    weight = numbers.standard_normal((3, 5)).astype(np.float32)
    at_once = add_distilled(weight, inputs, rows, 2, DistillationSettings())
    monkeypatch.setattr(graph_convolution, "_BLOCK", 2)
    monkeypatch.setattr(graph_convolution, "_COLUMNS", 2)
    in_blocks = add_distilled(weight, inputs, rows, 2, DistillationSettings())
    np.testing.assert_allclose(np.abs(in_blocks), np.abs(at_once), rtol=1e-4, atol=1e-5)


def test_the_two_parts_have_their_lengths(numbers):
    rows = triplet_rows([0, 1, 2, 3], [1, 2, 3, 0], [4, 4, 5, 5])
    inputs = numbers.standard_normal((6, 3)).astype(np.float32)
    weight = numbers.standard_normal((3, 4)).astype(np.float32)
    complete = inputs @ add_distilled(weight, inputs, rows, 2, DistillationSettings(weight=0.3))
    squares = np.square(complete)
    assert complete.shape == (6, 6)
    assert squares[:, :4].sum(axis=1).mean() == pytest.approx(1, rel=1e-4)
    assert squares[:, 4:].sum(axis=1).mean() == pytest.approx(0.09, rel=1e-4)
    parallel = inputs @ weight
    np.testing.assert_allclose(unit(complete[:, :4]), unit(parallel), atol=1e-5)


def test_the_base_is_appended_with_its_share_of_the_length(numbers):
    rows = triplet_rows([0, 1, 2, 3], [1, 2, 3, 0], [4, 4, 5, 5])
    inputs = numbers.standard_normal((6, 5)).astype(np.float32)
    inputs[:, :3] = unit(inputs[:, :3])
    weight = numbers.standard_normal((5, 4)).astype(np.float32)
    complete = inputs @ add_base(weight, inputs, rows, 3, 0.25)
    assert complete.shape == (6, 7)
    np.testing.assert_allclose(unit(complete[:, :4]), unit(inputs @ weight), atol=1e-5)
    np.testing.assert_allclose(complete[:, 4:], 0.5 * inputs[:, :3], atol=1e-6)
    assert np.square(complete[:, :4]).sum(axis=1).mean() == pytest.approx(0.75, rel=1e-4)
