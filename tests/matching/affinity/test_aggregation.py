"""Compare affinities with plain loops; they depend on no other pair and sum to explanations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.matching.affinity.aggregation import (
    METHODS,
    AffinityScale,
    Aggregation,
    Profiles,
    Similarity,
    affinities,
    position_weights,
    recency_weights,
    strongest_papers,
    top_reviewers,
)


def vectors(rng, n, d=8):
    return rng.normal(0.3, 1, (n, d)).astype(np.float32)


def pool(seed, submissions=5, reviewers=6, papers=30, weighted=True):
    """Return a similarity over two spaces, and profiles of 0 to 12 papers, some of them shared."""
    rng = np.random.default_rng(seed)
    spaces = [(vectors(rng, submissions, d), vectors(rng, papers, d)) for d in (8, 5)]
    owned = [rng.choice(papers, rng.integers(0, 13), replace=False) for _ in range(reviewers)]
    weights = [rng.uniform(0.1, 1, len(own)) for own in owned] if weighted else None
    return spaces, owned, weights


def unit(vector):
    return vector.astype(float) / np.linalg.norm(vector.astype(float))


def similarity_by_hand(spaces, submission, paper):
    """Return the mean cosine."""
    return np.mean([unit(own[submission]) @ unit(theirs[paper]) for own, theirs in spaces])


def by_hand(spaces, owned, weights, aggregation):
    """Compute an affinity with plain loops."""
    scores = np.zeros((len(spaces[0][0]), len(owned)))
    for i, row in enumerate(scores):
        for j, own in enumerate(owned):
            result = [similarity_by_hand(spaces, i, paper) for paper in own]
            evidence = np.minimum(result, np.multiply(result, weights[j]))
            row[j] = one_score(np.sort(evidence), aggregation) if len(own) else 0
    return scores


def one_score(evidence, aggregation):
    if aggregation.method == "softmax":
        shares = np.exp(evidence / aggregation.temperature)
        return shares @ evidence / shares.sum()
    if aggregation.method == "percentile":
        return np.percentile(evidence, aggregation.percentile)
    stored = {"max": 1, "top": aggregation.k, "mean": len(evidence)}[aggregation.method]
    return evidence[-stored:].mean()


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6))
@settings(max_examples=15)
def test_affinities_agree_with_plain_loops(method, seed, k):
    aggregation = Aggregation(method, k=k, percentile=17 * k - 2, temperature=0.03 * k)
    spaces, owned, weights = pool(seed)
    result = affinities(
        Similarity.from_spaces(spaces), Profiles.from_lists(owned, weights), aggregation
    )
    assert result.dtype == np.float32
    expected = by_hand(spaces, owned, weights, aggregation)
    np.testing.assert_allclose(result, expected, atol=3e-6)


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 10_000), data=st.data())
@settings(max_examples=15)
def test_a_score_does_not_depend_on_other_reviewers_submissions_and_papers(method, seed, data):
    spaces, owned, weights = pool(seed)
    aggregation = Aggregation(method)
    complete = affinities(
        Similarity.from_spaces(spaces), Profiles.from_lists(owned, weights), aggregation
    )
    rows = data.draw(st.lists(st.sampled_from(range(5)), min_size=1, unique=True))
    stay = data.draw(st.lists(st.sampled_from(range(6)), min_size=1, unique=True))
    stored, own = np.unique(np.concatenate([owned[j] for j in stay]), return_inverse=True)
    own = np.split(own, np.cumsum([len(owned[j]) for j in stay])[:-1])
    if not len(stored):
        return
    fewer = [(submissions[rows], papers[stored]) for submissions, papers in spaces]
    profiles = Profiles.from_lists(own, [weights[j] for j in stay])
    result = affinities(Similarity.from_spaces(fewer), profiles, aggregation)
    np.testing.assert_allclose(result, complete[np.ix_(rows, stay)], atol=1e-6)


def test_a_pool_of_many_blocks_gives_the_scores_of_each_reviewer_alone():
    rng = np.random.default_rng(1)
    similarity = Similarity.from_spaces([(vectors(rng, 600), vectors(rng, 900))])
    owned = [rng.choice(900, 20, replace=False) for _ in range(300)]
    complete = affinities(similarity, Profiles.from_lists(owned))
    for j in (0, 127, 128, 299):
        alone = affinities(similarity, Profiles.from_lists([owned[j]]))
        np.testing.assert_allclose(complete[:, [j]], alone, atol=1e-6)


def test_a_lower_weight_never_raises_a_score():
    rng = np.random.default_rng(2)
    spaces, owned, _ = pool(3, weighted=False)
    similarity = Similarity.from_spaces(spaces)
    full = affinities(similarity, Profiles.from_lists(owned))
    weights = [rng.uniform(0.01, 1, len(own)) for own in owned]
    assert (affinities(similarity, Profiles.from_lists(owned, weights)) <= full).all()


def test_unrelated_papers_and_reviewers_without_papers_have_a_score_of_0():
    across = np.eye(2, dtype=np.float32)
    similarity = Similarity.from_spaces([(across[:1], across)])
    assert affinities(similarity, Profiles.from_lists([[1], [], [0]])).tolist() == [[0, 0, 1]]


def test_the_best_reviewers_are_ordered_by_score_then_by_position():
    scores = np.array([[0.2, 0.5, 0.5, 0.1], [0, 0, 0, 0]], np.float32)
    assert top_reviewers(scores, 3).tolist() == [[1, 2, 0], [0, 1, 2]]
    assert top_reviewers(scores, 9).shape == (2, 4)
    assert top_reviewers(scores, 0).shape == (2, 0)


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_the_papers_of_an_explanation_give_the_score(seed):
    spaces, owned, weights = pool(seed)
    similarity, profiles = Similarity.from_spaces(spaces), Profiles.from_lists(owned, weights)
    scores = affinities(similarity, profiles)
    for j, own in enumerate(owned):
        matches = strongest_papers(similarity, profiles, 4, j)
        assert {match.paper for match in matches} <= set(own)
        evidence = [min(m.similarity, m.similarity * m.weight) for m in matches]
        assert evidence == sorted(evidence, reverse=True)
        if evidence:
            assert np.mean(evidence) == pytest.approx(scores[4, j], abs=1e-6)


def test_weights_halve_with_age_and_are_higher_for_first_and_last_authors():
    result = recency_weights(np.array([0, 5, 10, -2, np.nan]), half_life=5)
    assert result.tolist() == [1, 0.5, 0.25, 1, 0.5]
    positions, authors = np.array([1, 2, 4, 1]), np.array([4, 4, 4, 1])
    assert position_weights(positions, authors).tolist() == [1, 0.5, 1, 1]


def test_a_weight_that_vanishes_after_many_half_lives_counts_nothing():
    weights = recency_weights(np.array([40.0]), half_life=0.2)
    profiles = Profiles.from_lists([[0]], [weights])
    one = np.ones((1, 3), np.float32)
    assert affinities(Similarity.from_spaces([(one, one)]), profiles).tolist() == [[0]]


def test_a_scale_gives_the_percentage_of_pairs_below_an_affinity():
    scale = AffinityScale.of(np.arange(5, 10, dtype=np.float32)[:, None] / 10)
    values = (0.4, 0.5, 0.55, 0.8, 0.9, 1.0)
    assert [round(scale.percentile(each), 3) for each in values] == [0, 0, 12.5, 75, 100, 100]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Aggregation("median"),
        lambda: Aggregation("top", k=0),
        lambda: Aggregation("percentile", percentile=101),
        lambda: Aggregation("softmax", temperature=0),
        lambda: recency_weights(np.zeros(1), half_life=0),
        lambda: position_weights(np.ones(1, int), np.ones(1, int), middle=0),
    ],
)
def test_invalid_settings_are_refused(wrong):
    with pytest.raises(InputError):
        wrong()
