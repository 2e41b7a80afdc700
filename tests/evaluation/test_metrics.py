"""The metrics agree with pytrec_eval, including ties."""

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.evaluation.metrics.ranking import ranks_of, score_ranks

TREC = {
    "map": "map",
    "ndcg": "ndcg",
    "mrr": "recip_rank",
    "ndcg@10": "ndcg_cut_10",
    "ndcg@3": "ndcg_cut_3",
    "recall@10": "recall_10",
    "recall@100": "recall_100",
    "precision@5": "P_5",
}


@st.composite
def queries(draw):
    """Return papers of queries as (id, distance, relevant), with many ties and random ids."""
    ids = draw(
        st.lists(st.text("ab/0é𝄞Z", min_size=1, max_size=6), min_size=2, max_size=40, unique=True)
    )
    levels = draw(st.sampled_from([1, 3, 1000]))
    distance = st.integers(0, levels).map(lambda n: float(np.float32(n / 7)))
    relevant = draw(st.sets(st.sampled_from(ids), min_size=1))
    return [(paper, draw(distance), paper in relevant) for paper in sorted(ids)]


def ranks_of_query(papers):
    distances = np.array([distance for _, distance, _ in papers], dtype=np.float32)
    return ranks_of(distances, np.flatnonzero([relevant for *_, relevant in papers]))


@given(st.lists(queries(), min_size=1, max_size=5))
def test_metrics_agree_with_pytrec_eval_ties_included(papers_of_queries):
    rated = {
        str(i): {p: int(rel) for p, _, rel in papers} for i, papers in enumerate(papers_of_queries)
    }
    run = {str(i): {p: -d for p, d, _ in papers} for i, papers in enumerate(papers_of_queries)}
    names = {"map", "ndcg", "recip_rank", "recall.10,100", "ndcg_cut.3,10", "P.5"}
    golden = pytrec_eval.RelevanceEvaluator(rated, names).evaluate(run)
    scores = score_ranks([ranks_of_query(papers) for papers in papers_of_queries], [*TREC])
    assert list(scores) == list(TREC)
    for name, ours in scores.items():
        expected = [golden[str(i)][TREC[name]] for i in range(len(papers_of_queries))]
        np.testing.assert_allclose(ours, expected, atol=1e-6)


def test_a_metric_at_a_rank_ignores_later_ranks():
    ranks = [np.array([3, 11]), np.array([50_000])]
    scores = score_ranks(ranks, ["recall@10", "ndcg@10", "mrr"])
    assert scores["recall@10"].tolist() == [0.5, 0]
    assert scores["mrr"].tolist() == [1 / 3, 1 / 50_000]
    assert scores["ndcg@10"] == pytest.approx([0.5 / (1 + 1 / np.log2(3)), 0])


def test_the_greater_id_comes_first_at_equal_distances():
    distances = np.array([1, 1, 0, 1], dtype=np.float32)
    assert ranks_of(distances, np.array([0, 1, 2, 3])).tolist() == [4, 3, 1, 2]


def test_a_perfect_ranking_scores_one_in_any_order_of_the_ranks():
    metrics = [metric for metric in TREC if metric != "precision@5"]
    for values in score_ranks([np.array([2, 1, 3]), np.array([1])], metrics).values():
        assert values == pytest.approx([1, 1])


def test_a_query_without_relevant_papers_is_refused():
    with pytest.raises(InputError, match="has no relevant papers"):
        score_ranks([np.array([1]), np.array([], dtype=np.int64)], ["map"])
