"""Test the features, the ranker and the adjusted metrics of the recommendation task."""

import numpy as np
import pytest
import torch

from specter_graph.core.errors import InputError
from specter_graph.evaluation.protocols.click_ranker import ClickPairs, _loss, train_ranker
from specter_graph.evaluation.protocols.dataset import PaperVectors
from specter_graph.evaluation.protocols.recommendation import (
    FEATURES,
    Click,
    ClickLog,
    Features,
    PaperFacts,
    _score,
    click_weights,
    recommend,
)


def test_the_ten_features_by_hand():
    query = PaperFacts(
        "Deep graphs, deep",
        2010,
        frozenset({"ann", "bob"}),
        references=frozenset({"c", "r"}),
        cited_by=frozenset({"x"}),
    )
    candidate = PaperFacts(
        "Graphs of deep seas",
        1995,
        frozenset({"bob"}),
        references=frozenset({"r"}),
        cited_by=frozenset({"q", "x", "y"}),
    )
    vectors = PaperVectors.build(["q", "c"], np.array([[1.0, 0.0], [1.0, 1.0]]))
    result = Features({"q": query, "c": candidate}, vectors, 2020).of(Click("q", "c", ("c",)))
    expected = {
        "author_match": 1 / 2,
        "title_match": 1 / 7,  # deep, of the 7 tokens: Deep graphs , deep Graphs of seas
        "embedding": 1 / np.sqrt(2),
        "citation_overlap": 1 / 3,
        "reference_overlap": 1 / 2,
        "candidate_cites_query": 0.0,
        "query_cites_candidate": 1.0,
        "oldness": 1.0,  # 25 / 20, limited to 1
        "relative_oldness": 15 / 20,
        "citations": np.log(4) / 10,
    }
    assert tuple(expected) == FEATURES
    assert result[0] == pytest.approx(list(expected.values()), abs=1e-12)


def test_a_paper_without_record_or_vector_has_features_of_zero():
    result = Features({}, PaperVectors.build(["q"], np.ones((1, 2))), 2020).of(
        Click("q", "c", ("c",))
    )
    assert not result.any()


def log(clicks, propensities, train=None):
    parts = {"train": train or clicks, "validation": clicks, "test": clicks}
    return ClickLog(parts, np.array(propensities))


def test_each_click_is_weighted_by_its_inverse_propensity_and_a_tie_counts_half():
    places = {"q": 0.0, "near": 0.1, "far": 1.0, "farther": 2.0, "as far": -1.0}
    vectors = PaperVectors.build(
        list(places), np.array([[np.cos(a), np.sin(a)] for a in places.values()])
    )
    clicks = [
        Click("q", "near", ("near", "far", "farther")),  # rank 1, none above
        Click("q", "far", ("near", "as far", "far")),  # rank 3, one above and one tied
    ]
    weights = click_weights(log(clicks, [0.6, 0.3, 0.1]))
    by_cosine = _score(Features({}, vectors, 2020), clicks, lambda rows: rows[:, 2], weights)
    first, third = 1 / 0.6, 1 / 0.1
    ndcg = (first * 1 + third / np.log2(2 + 1.5)) / (first + third)
    assert by_cosine["ndcg"].value() == pytest.approx(ndcg)
    assert by_cosine["p@1"].value() == pytest.approx(first / (first + third))


def test_a_ranker_learns_which_feature_is_clicked_and_is_deterministic():
    rng = np.random.default_rng(0)
    clicked, passed = rng.uniform(size=(2, 2_000, 3))
    clicked[:, 1] += 1
    pairs = ClickPairs(clicked, passed, np.ones(2_000))
    ranker = train_ranker(pairs, pairs, 7)
    assert (ranker(clicked) > ranker(passed)).mean() > 0.95
    assert np.array_equal(ranker(passed), train_ranker(pairs, pairs, 7)(passed))
    assert not np.array_equal(ranker(passed), train_ranker(pairs, pairs, 8)(passed))


def test_the_loss_is_torchs_margin_ranking_loss_weighted():
    network = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Sigmoid())
    clicked, passed = torch.rand(2, 50, 3)
    weights = torch.rand(50)
    each = torch.nn.MarginRankingLoss(margin=0.1, reduction="none")(
        network(clicked), network(passed), torch.ones(50, 1)
    )
    ours = _loss(network, clicked, passed, weights)
    assert ours.item() == pytest.approx((each[:, 0] * weights).mean().item(), abs=1e-6)


def test_a_click_beyond_the_propensities_is_refused():
    clicks = [Click("q", "c", ("a", "b", "c"))]
    with pytest.raises(InputError, match="position 3, but there are only 2"):
        recommend(log(clicks, [0.6, 0.4]), {}, PaperVectors.build(["q"], np.ones((1, 2))))


def test_vectors_without_a_shown_paper_are_refused():
    clicks = [Click("q", "a", ("a", "b"))]
    with pytest.raises(InputError, match="none of the 3 papers that were shown") as refused:
        recommend(log(clicks, [0.6, 0.4]), {}, PaperVectors.build(["s2:q"], np.ones((1, 2))))
    assert "--strip-id-prefix" in refused.value.hint
