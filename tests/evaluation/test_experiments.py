"""Test A/B experiments: simulated sessions with a known lift, and required sample sizes."""

import numpy as np
import pytest

from specter_graph.core.errors import InputError
from specter_graph.evaluation.feedback.clicks import Impression, position_preferences
from specter_graph.evaluation.feedback.experiments import (
    ArmComparison,
    SessionClicks,
    arm_of,
    sessions_needed,
)

ARMS = ("specter", "sgc")
RATE = 0.3


def simulate(generator, sessions, rate):
    """Simulate sessions of one to eight lists; each session has its own click rate."""
    lists = generator.integers(1, 9, sessions)
    rates = generator.beta(4 * rate, 4 * (1 - rate), sessions)
    return SessionClicks(lists.astype(float), generator.binomial(lists, rates).astype(float))


def compare(generator, sessions, lift):
    arms = (simulate(generator, sessions, rate) for rate in (RATE, RATE * (1 + lift)))
    return ArmComparison(*arms).lift


@pytest.mark.parametrize("lift", [0.0, 0.3])
def test_intervals_cover_the_lift_and_equal_arms_are_rarely_rejected(lift):
    generator = np.random.default_rng(1)
    results = [compare(generator, 150, lift) for _ in range(1_000)]
    covered = np.mean([interval.low <= lift <= interval.high for interval, _ in results])
    assert 0.93 <= covered <= 0.97
    rejected = np.mean([p < 0.05 for _, p in results])
    assert rejected <= 0.07 if lift == 0 else rejected > 0.5


@pytest.mark.parametrize("power", [0.6, 0.8])
def test_the_planned_number_of_sessions_has_the_planned_power(power):
    generator = np.random.default_rng(2)
    needed = sessions_needed(simulate(generator, 20_000, RATE), 0.2, power)
    results = [compare(generator, needed, 0.2) for _ in range(1_000)]
    assert np.mean([p < 0.05 for _, p in results]) == pytest.approx(power, abs=0.05)


def test_sessions_of_one_list_need_the_sample_size_of_two_proportions():
    clicks = SessionClicks(np.ones(10_000), np.repeat([1.0, 0.0], [2_000, 8_000]))
    # Proportions of 20 % and 22 %: 6,509 each by the difference of proportions
    assert sessions_needed(clicks, 0.1) == pytest.approx(6_509, rel=0.01)
    for lift in (0.0, 4.0, -1.0):
        with pytest.raises(InputError, match="not possible"):
            sessions_needed(clicks, lift)
    with pytest.raises(InputError, match="at least two sessions"):
        sessions_needed(SessionClicks(np.ones(5), np.zeros(5)), 0.1)


def test_sessions_are_assigned_evenly_and_independently_for_other_arms():
    sessions = [f"{number:032x}" for number in range(2_000)]
    first, other = ([arm_of(each, arms) for each in sessions] for arms in (ARMS, ("specter", "x")))
    assert first == [arm_of(each, ARMS) for each in sessions]
    assert 920 < first.count("sgc") < 1_080
    both = sum(a == "sgc" and b == "x" for a, b in zip(first, other, strict=True))
    assert 430 < both < 570


def test_arms_without_clicks_have_no_lift_and_unequal_arms_are_detected():
    unclicked = SessionClicks(np.ones(9), np.zeros(9))
    clicked = SessionClicks(np.ones(90), np.ones(90))
    assert ArmComparison(unclicked, clicked).lift is None
    assert ArmComparison(unclicked, clicked).assignment_p < 0.001
    assert SessionClicks.count({}).rate == 0


def test_swapped_papers_show_the_position_bias():
    lists = [("ab", "a"), ("ba", "b"), ("ab", ""), ("ba", "")]
    log = [Impression("first", tuple(shown), frozenset(clicked)) for shown, clicked in lists]
    log += [Impression("no swap", ("c", "d"), frozenset("c"))]
    assert position_preferences(log) == (1, 0)
