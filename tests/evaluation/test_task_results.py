"""Compare paired tests with scipy, and check them on synthetic systems."""

import numpy as np
import pytest
from scipy.stats import permutation_test
from sklearn.metrics import f1_score

from specter_graph.core.statistics import bootstrap_means, holm, randomization_test
from specter_graph.evaluation.metrics.task_results import (
    MacroF1,
    Mean,
    compare,
    paired_bootstrap,
)
from specter_graph.evaluation.report.table import comparison_table


@pytest.fixture
def values():
    return np.random.default_rng(0).uniform(size=(2, 60))


def test_the_exchange_of_items_agrees_with_scipys_permutation_test(values):
    other = values[1]
    one = other + 0.03 + 0.3 * (values[0] - values[0].mean())
    golden = permutation_test(
        (one, other),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    ours = randomization_test(one, other)
    assert ours == pytest.approx(golden.pvalue, abs=0.02)
    assert 0.01 < ours < 0.5


def test_several_seeds_are_one_system_and_their_variance_is_in_the_interval(values):
    other = Mean(values[1])
    seeds = [
        Mean(values[0] + shift) for shift in np.random.default_rng(1).normal(0.1, 0.1, (3, 60))
    ]
    combined = seeds[0].combine(seeds[1:])
    np.testing.assert_array_equal(combined.values, [each.values for each in seeds])
    [compared] = compare({"map": combined}, {"map": other})
    assert compared.one == pytest.approx(np.mean([each.value() for each in seeds]))
    assert compared.p < 1

    separate = Mean(values[0] - 0.2).combine([Mean(values[0] + 0.2)])
    wide, narrow = (
        paired_bootstrap(each, other)
        for each in (separate, Mean(values[0]).combine([Mean(values[0])]))
    )
    assert wide.value == pytest.approx(narrow.value)
    assert wide.high - wide.low > narrow.high - narrow.low + 0.1
    [golden] = bootstrap_means(separate.values[..., None], values[1][:, None], seed=0)
    assert (wide.low, wide.high) == pytest.approx((golden.low, golden.high), abs=0.02)


def test_seeds_of_predictions_are_averaged_and_combined():
    rng = np.random.default_rng(1)
    truth, *predicted = rng.integers(0, 3, (7, 50))
    three, two, one = (
        MacroF1(truth, np.stack(some)) for some in (predicted[:3], predicted[3:5], predicted[5:])
    )
    assert three.value() == pytest.approx(
        np.mean([f1_score(truth, each, average="macro") for each in three.predicted])
    )
    assert one.combine([two, three]).predicted.shape == (6, 50)


def test_equal_systems_have_no_difference(values):
    one = Mean(values[0])
    result = paired_bootstrap(one, Mean(values[0].copy()))
    assert (result.value, result.low, result.high) == (0, 0, 0)


def test_the_paired_bootstrap_of_means_is_that_of_the_differences(values):
    result = paired_bootstrap(Mean(values[0]), Mean(values[1]))
    (golden,) = bootstrap_means((values[0] - values[1])[:, None], seed=3)
    assert result.value == pytest.approx(golden.value)
    assert result.low == pytest.approx(golden.low, abs=0.01)
    assert result.high == pytest.approx(golden.high, abs=0.01)


def test_weighted_means_and_f1_are_computed_anew_on_every_resample(values):
    weights = np.linspace(1, 5, 60)
    mean = Mean(values[0], weights)
    assert mean.value() == pytest.approx(np.average(values[0], weights=weights))
    rng = np.random.default_rng(1)
    truth, good, bad = rng.integers(0, 4, (3, 300))
    good = np.where(rng.random(300) < 0.7, truth, good)
    one, other = MacroF1(truth, good[None]), MacroF1(truth, bad[None])
    items = rng.integers(300, size=300)
    assert one.value(items) == pytest.approx(f1_score(truth[items], good[items], average="macro"))
    assert mean.value(items % 60) == pytest.approx(
        np.average(values[0][items % 60], weights=weights[items % 60])
    )
    assert paired_bootstrap(one, other).low > 0.3


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]


def test_common_tasks_of_two_systems_are_compared_with_a_joint_correction(values):
    one = {"cite map": Mean(values[0] + 1), "cite ndcg": Mean(values[0])}
    other = {"cite map": Mean(values[1]), "cite ndcg": Mean(values[0])}
    result = compare(one, other)
    assert [each.figure for each in result] == ["cite map", "cite ndcg"]
    assert result[0].p_holm == pytest.approx(2 * result[0].p)
    assert result[1].p_holm == 1
    text = comparison_table(("a", "b"), result).markdown()
    assert text.splitlines()[2].count("**") == 2
    assert "**" not in text.splitlines()[3]
