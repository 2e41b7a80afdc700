"""A reference corpus puts the cosines of every space and submission on one scale, and stays."""

import numpy as np
import pytest

from specter_graph.core.errors import InputError
from specter_graph.matching.calibration import Reference
from specter_graph.matching.similarity import Similarity, Space


def field(rng, n, d, common, uneven=1.0):
    """Papers that share a direction, with more variety in the first half of the others."""
    vectors = rng.normal(size=(n, d)).astype(np.float32)
    vectors[:, : d // 2] *= uneven
    vectors[:, 0] += common
    return vectors


def similarities(submissions, papers, reference):
    found = Similarity.over([Space(submissions, papers, reference)])
    return found.submissions @ found.papers.T - found.offsets[:, None]


@pytest.mark.parametrize(("common", "d"), [(0, 16), (10, 16), (30, 64)])
def test_random_pairs_have_zero_and_equal_texts_about_one_whatever_all_have_in_common(common, d):
    rng = np.random.default_rng(1)
    reference = Reference.of(field(rng, 1_000, d, common))
    papers = field(rng, 400, d, common)
    found = similarities(papers, papers, reference)
    assert found[~np.eye(400, dtype=bool)].mean() == pytest.approx(0, abs=0.01)
    assert np.diag(found).mean() == pytest.approx(1, abs=0.1)


def test_unrelated_papers_are_equally_rare_at_a_score_for_popular_and_for_rare_subjects():
    rng = np.random.default_rng(2)
    reference = Reference.of(field(rng, 2_000, 32, 4, uneven=3))
    papers, popular, rare = (field(rng, n, 32, 4, uneven=3) for n in (4_000, 50, 50))
    popular[:, 16:], rare[:, 1:16] = 0, 0
    plain = [
        similarities(some, papers, Reference.of(papers[:0])).std(axis=1).mean()
        for some in (popular, rare)
    ]
    calibrated = [
        similarities(some, papers, reference).std(axis=1).mean() for some in (popular, rare)
    ]
    assert plain[0] > 1.4 * plain[1]
    assert calibrated[0] == pytest.approx(calibrated[1], rel=0.1)
    assert calibrated[0] == pytest.approx(reference.spread, rel=0.15)


def test_two_spaces_weigh_the_same_though_the_spread_of_one_is_many_times_the_others():
    rng = np.random.default_rng(3)
    wide, narrow = field(rng, 1_500, 4, 0), field(rng, 1_500, 256, 40)
    parts = [Space(v[:300], v[300:500], Reference.of(v[500:])) for v in (wide, narrow)]
    both, first, second = (
        found.submissions @ found.papers.T - found.offsets[:, None]
        for found in map(Similarity.over, (parts, parts[:1], parts[1:]))
    )
    shares = [np.corrcoef(both.ravel(), one.ravel())[0, 1] for one in (first, second)]
    assert shares[0] == pytest.approx(shares[1], abs=0.05)


def test_no_papers_at_all_give_the_plain_cosine_and_few_ones_little_else():
    rng = np.random.default_rng(4)
    papers = field(rng, 200, 16, 3)
    unit = papers / np.linalg.norm(papers, axis=1, keepdims=True)
    np.testing.assert_allclose(
        similarities(papers, papers, Reference.of(papers[:0])), unit @ unit.T, atol=1e-6
    )
    one = similarities(papers, papers, Reference.of(papers[:1]))
    assert np.corrcoef(one.ravel(), (unit @ unit.T).ravel())[0, 1] > 0.95


def test_papers_that_are_all_the_same_are_no_reason_to_fail():
    same = np.ones((50, 4), np.float32)
    found = similarities(same, np.eye(4, dtype=np.float32), Reference.of(same))
    assert np.isfinite(found).all()


def test_a_reference_that_was_kept_gives_the_same_scores():
    rng = np.random.default_rng(5)
    reference = Reference.of(field(rng, 300, 16, 3))
    papers = field(rng, 60, 16, 3)
    again = Reference.from_text(reference.to_text())
    assert (similarities(papers, papers, reference) == similarities(papers, papers, again)).all()


@pytest.mark.parametrize("kept", ["", "%", "AAAA", "e30="])
def test_what_is_no_reference_is_refused(kept):
    with pytest.raises(InputError, match="cannot be read"):
        Reference.from_text(kept)


def test_vectors_that_say_nothing_are_refused_with_their_place():
    vectors = np.ones((30, 4), np.float32)
    vectors[7] = 0
    with pytest.raises(InputError, match="the first at 7"):
        Reference.of(vectors)
