"""Compare the metrics of rated expertise with hand computation and scipy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from specter_graph.core.errors import InputError
from specter_graph.matching.evaluation import evaluate_expertise

RATED = {"ann": {"p": 5, "q": 4.5, "r": 2}, "bob": {"p": 1, "s": 4}}


def test_the_loss_is_the_weight_in_the_wrong_order_and_half_of_that_in_ties():
    scores = {"ann": {"p": 0.1, "q": 0.9, "r": 0.1}, "bob": {"p": 0.2, "s": 0.3}}
    result = evaluate_expertise(RATED, scores)
    # Ann: q over p is wrong (0.5), p and r are tied (3 / 2), q over r is correct; Bob's is correct.
    assert result.loss.value == pytest.approx((0.5 + 1.5) / (0.5 + 3 + 2.5 + 3))
    assert result.easy.value == pytest.approx(2 / 3)
    assert result.hard.value == 0


def test_the_correct_order_has_loss_0_and_its_reverse_loss_1():
    reverse = {who: {paper: -r for paper, r in own.items()} for who, own in RATED.items()}
    best, worst = evaluate_expertise(RATED, RATED), evaluate_expertise(RATED, reverse)
    assert (best.loss.value, best.easy.value, best.hard.value) == (0, 1, 1)
    assert (worst.loss.value, worst.easy.value, worst.hard.value) == (1, 0, 0)


def test_a_missing_score_is_a_tie_and_is_reported():
    result = evaluate_expertise(RATED, {"ann": {"p": 2, "q": 1}})
    assert result.loss.value == pytest.approx((3 / 2 + 2.5 / 2 + 3 / 2) / 9)
    assert result.easy.value == 0
    assert result.coverage.reviewers == 2
    assert result.coverage.reviewers_scored == 1
    assert (result.coverage.ratings, result.coverage.ratings_scored) == (5, 2)


def test_only_the_order_of_scores_matters():
    close = {"ann": {"p": 3e-200, "q": 2e-200, "r": 1e-200}, "bob": {"p": 0.0, "s": 5e-324}}
    assert evaluate_expertise(RATED, close).loss.value == 0


grades = st.lists(st.sampled_from([1.0, 2.0, 2.5, 4.0, 5.0]), min_size=2, max_size=8)


@given(st.lists(grades, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_the_metrics_agree_with_a_loop_over_all_pairs(graded, random):
    ratings = {f"r{i}": {f"p{j}": g for j, g in enumerate(own)} for i, own in enumerate(graded)}
    scores = {who: {paper: random.randrange(4) for paper in own} for who, own in ratings.items()}
    lost = total = right = easy = 0.0
    for who, own in ratings.items():
        for one, other in itertools.combinations(own, 2):
            rated, scored = own[one] - own[other], scores[who][one] - scores[who][other]
            total += abs(rated)
            lost += abs(rated) * (1 if rated * scored < 0 else 0.5 if scored == 0 else 0)
            if {own[one] >= 4, own[other] >= 4} == {True, False} and min(own[one], own[other]) <= 2:
                easy += 1
                right += rated * scored > 0
    if not total:
        with pytest.raises(InputError, match="no reviewer rated two papers differently"):
            evaluate_expertise(ratings, scores)
        return
    result = evaluate_expertise(ratings, scores)
    assert result.loss.value == pytest.approx(lost / total)
    assert (result.easy and result.easy.value) == (pytest.approx(right / easy) if easy else None)


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_two_levels_of_ratings_give_kendalls_tau_among_the_pairs_that_differ(ratings, scores):
    ratings, scores = np.minimum(np.array(ratings), 3), np.array(scores, float)
    levels = (ratings >= 3).astype(float)
    differing = 3 * 3
    tau = kendalltau(levels, scores, variant="b").statistic
    discordance = (1 - tau * np.sqrt(15 * differing) / differing) / 2
    rated, scored = ({"r": dict(enumerate(own.tolist()))} for own in (levels, scores))
    assert evaluate_expertise(rated, scored).loss.value == pytest.approx(discordance)


def test_the_interval_covers_the_loss_of_all_reviewers_about_95_times_in_100():
    generator = np.random.default_rng(0)

    def sample(reviewers):
        ratings, scores = generator.integers(1, 6, (2, reviewers, 6))
        scores = scores + ratings * generator.uniform(0, 2, (reviewers, 1))
        return [
            {f"r{i}": {f"p{j}": x for j, x in enumerate(own)} for i, own in enumerate(rows)}
            for rows in (ratings, scores)
        ]

    truth = evaluate_expertise(*sample(1_000)).loss.value
    result = [evaluate_expertise(*sample(30), seed=seed).loss for seed in range(60)]
    assert 0.85 <= np.mean([one.low <= truth <= one.high for one in result]) <= 0.99


def test_the_same_seed_gives_the_same_interval():
    first, again = (evaluate_expertise(RATED, RATED, seed=3) for _ in range(2))
    assert first == again


def test_a_reviewer_without_ratings_changes_only_the_count():
    with_one = evaluate_expertise(RATED | {"cid": {}}, RATED)
    assert with_one.loss.value == 0
    assert with_one.coverage.reviewers == 3
