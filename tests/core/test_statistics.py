"""The bootstrap interval: known distributions, pairing, determinism."""

import numpy as np
import pytest

from specter_graph.core import statistics as bootstrap
from specter_graph.core.errors import InputError
from specter_graph.core.statistics import intervals


def test_the_interval_of_a_normal_sample_is_that_of_the_central_limit_theorem():
    values = np.random.default_rng(1).normal(0.6, 0.2, size=(900, 1))
    [found] = intervals(values, seed=0)
    error = values.std() / np.sqrt(len(values))
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


def test_the_interval_covers_the_true_mean_of_a_skewed_distribution_about_95_times_in_100():
    samples = np.random.default_rng(2).beta(0.5, 2, size=(120, 300))
    covered = [found.low <= 0.2 <= found.high for found in intervals(samples, seed=3)]
    assert 0.91 <= np.mean(covered) <= 0.98


def test_equal_values_have_an_interval_of_no_width():
    [found] = intervals(np.full((40, 1), 0.25), seed=0)
    assert (found.value, found.low, found.high) == (0.25, 0.25, 0.25)


def test_a_paired_difference_is_seen_where_the_intervals_of_both_overlap():
    generator = np.random.default_rng(4)
    hard = generator.uniform(0, 1, 200)  # queries differ far more than the spaces do
    base, better = hard, hard + generator.normal(0.02, 0.02, 200)
    of_base, of_better, difference = intervals(np.stack([base, better, better - base], 1), seed=0)
    assert of_base.high > of_better.low
    assert difference.excludes_zero()
    assert difference.value == pytest.approx(of_better.value - of_base.value)


def test_columns_alone_or_together_and_in_blocks_or_at_once_have_the_same_intervals(monkeypatch):
    values = np.random.default_rng(5).uniform(size=(70, 3))

    def bounds(seed):
        return [(found.low, found.high) for found in intervals(values, seed=seed)]

    together = np.array(bounds(9))
    alone = [intervals(values[:, [i]], seed=9)[0] for i in range(3)]
    np.testing.assert_allclose([(found.low, found.high) for found in alone], together)
    monkeypatch.setattr(bootstrap, "_BLOCK", 70 * 3 * 7)
    np.testing.assert_allclose(bounds(9), together)
    assert (np.array(bounds(10)) != together).all()


def test_no_queries_are_refused():
    with pytest.raises(InputError, match="no queries"):
        intervals(np.empty((0, 2)), seed=0)
