"""Test bootstrap intervals: known distributions, paired differences, determinism."""

import numpy as np
import pytest

from specter_graph.core import statistics
from specter_graph.core.errors import InputError
from specter_graph.core.statistics import (
    Interval,
    bootstrap_interval,
    bootstrap_means,
    randomization_test,
)


def test_the_interval_of_a_normal_sample_is_that_of_the_central_limit_theorem():
    values = np.random.default_rng(1).normal(0.6, 0.2, size=(900, 1))
    [result] = bootstrap_means(values, seed=0)
    error = values.std() / np.sqrt(len(values))
    assert result.value == pytest.approx(values.mean())
    assert result.low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert result.high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


def test_the_interval_covers_the_true_mean_of_a_skewed_distribution_about_95_times_in_100():
    samples = np.random.default_rng(2).beta(0.5, 2, size=(120, 300))
    covered = [result.low <= 0.2 <= result.high for result in bootstrap_means(samples, seed=3)]
    assert 0.91 <= np.mean(covered) <= 0.98


def test_the_interval_of_equal_values_has_width_0():
    [result] = bootstrap_means(np.full((40, 1), 0.25), seed=0)
    assert (result.value, result.low, result.high) == (0.25, 0.25, 0.25)


def test_a_paired_difference_is_detected_although_both_intervals_overlap():
    generator = np.random.default_rng(4)
    # Queries differ far more than the spaces do.
    hard = generator.uniform(0, 1, 200)
    base, better = hard, hard + generator.normal(0.02, 0.02, 200)
    of_base, of_better, difference = bootstrap_means(
        np.stack([base, better, better - base], 1), seed=0
    )
    assert of_base.high > of_better.low
    assert difference.excludes_zero()
    assert difference.value == pytest.approx(of_better.value - of_base.value)


def test_intervals_do_not_depend_on_blocks_or_on_other_columns(monkeypatch):
    values = np.random.default_rng(5).uniform(size=(70, 3))

    def bounds(seed):
        return [(result.low, result.high) for result in bootstrap_means(values, seed=seed)]

    together = np.array(bounds(9))
    alone = [bootstrap_means(values[:, [i]], seed=9)[0] for i in range(3)]
    np.testing.assert_allclose([(result.low, result.high) for result in alone], together)
    monkeypatch.setattr(statistics, "_BLOCK", 70 * 3 * 7)
    np.testing.assert_allclose(bounds(9), together)
    assert (np.array(bounds(10)) != together).all()


def test_seeds_and_items_are_resampled_and_the_interval_has_the_variance_of_both():
    generator = np.random.default_rng(8)
    seeds, items = generator.normal(0, 0.3, (40, 1)), generator.normal(0, 1, (1, 500))
    values = (seeds + items + generator.normal(0, 0.1, (40, 500)))[..., None]
    [result] = bootstrap_means(values, seed=0)
    error = np.sqrt(seeds.var() / 40 + items.var() / 500)
    assert result.high - result.low == pytest.approx(2 * 1.96 * error, rel=0.1)
    [difference] = bootstrap_means(values, values[:1], seed=0)
    assert difference.value == pytest.approx(values.mean() - values[0].mean())
    assert difference.high - difference.low == pytest.approx(
        2 * 1.96 * seeds.std() / 40**0.5, rel=0.1
    )


def test_no_queries_are_refused():
    with pytest.raises(InputError, match="no items"):
        bootstrap_means(np.empty((0, 2)), seed=0)


def test_the_interval_of_one_item_has_width_0():
    assert bootstrap_means(np.array([[0.5, 1.0]]), seed=0)[1] == Interval(1.0, 1.0, 1.0)
    assert bootstrap_interval(lambda items: float(len(items)), 1, seed=0) == Interval(1, 1, 1)


def test_the_interval_of_a_statistic_is_that_of_its_resamples():
    values = np.random.default_rng(6).uniform(size=80)
    generator = np.random.default_rng(2)
    largest = [values[generator.integers(80, size=80)].max() for _ in range(2_000)]
    result = bootstrap_interval(lambda items: values[items].max(), 80, seed=2)
    assert (result.low, result.high) == tuple(np.quantile(largest, [0.025, 0.975]))
    mean = bootstrap_interval(lambda items: values[items].mean(), 80, seed=2)
    [means] = bootstrap_means(values[:, None], seed=2)
    assert (mean.low, mean.high) == pytest.approx((means.low, means.high))


def test_resamples_without_a_value_are_ignored():
    weights = np.array([1.0, 0.0, 0.0])

    def share(items):
        total = weights[items].sum()
        return total / total if total else np.nan

    assert bootstrap_interval(share, 3, seed=0) == Interval(1, 1, 1)


def test_permutations_of_a_small_sample_are_enumerated_and_those_of_a_large_one_sampled():
    values = np.array([3.0, 2.0, 4.0])
    # two of the 8 permutations are as extreme as the observed one: none and all exchanged
    assert randomization_test(values, np.zeros(3)) == 2 / 8
    ones = np.ones(40)
    assert randomization_test(ones, -ones, rounds=500) == pytest.approx(1 / 501)
    assert randomization_test(ones, ones, rounds=500) == 1
    assert randomization_test(ones[:1], -ones[:1]) == 1
