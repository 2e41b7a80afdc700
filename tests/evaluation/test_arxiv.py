"""Compare the arXiv protocol with its formulas, computed pair by pair."""

import io

import numpy as np
import pytest
from rich.console import Console
from scipy.spatial import distance as scipy_distance

from specter_graph.core.errors import InputError
from specter_graph.evaluation import HeldOutData, HeldOutRow
from specter_graph.evaluation.metrics.task_results import combine_seeds
from specter_graph.evaluation.protocols.arxiv_protocol import (
    draw_anchors,
    evaluate_arxiv,
    score_random,
    score_vectors,
)
from specter_graph.evaluation.report.table import arxiv_table

CORPUS = [f"p{i:03}" for i in range(120)]
DISTANCE = {
    "squared_l2": scipy_distance.sqeuclidean,
    "cosine": scipy_distance.cosine,
    "dot": lambda u, v: -float(np.dot(u, v)),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)

    def some(largest):
        return [str(p) for p in rng.choice(CORPUS, rng.integers(1, largest), replace=False)]

    return HeldOutData.build(
        CORPUS, [HeldOutRow(f"q{i:02}", some(9), some(4), {}) for i in range(20)]
    )


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(1)
    return rng.normal(0.3, 1, (20, 5)), rng.normal(0.3, 1, (120, 5))


def test_a_triplet_for_each_related_paper_its_negative_unrelated(data):
    anchors = draw_anchors(data)
    assert len(anchors) == 20
    for anchor in anchors:
        paper = data.papers[anchor.query]
        related = {*paper.cites.tolist(), *paper.cited_by.tolist()}
        assert set(anchor.positives.tolist()) == related
        assert len(anchor.negatives) == len(anchor.positives)
        assert not related & set(anchor.negatives.tolist())
    negatives = [
        [each.negatives.tolist() for each in draw_anchors(data, seed)] for seed in (0, 0, 1)
    ]
    assert negatives[0] == negatives[1] != negatives[2]


@pytest.mark.parametrize("kind", list(DISTANCE))
def test_every_metric_agrees_with_its_formula(data, vectors, kind):
    queries, corpus = vectors
    anchors = draw_anchors(data)
    result = score_vectors(queries, corpus, anchors, kind, k=7, beta=2.0)
    d = DISTANCE[kind]
    right = mvdd = 0.0
    precision, recall, f_score = [], [], []
    for anchor in anchors:
        a = queries[anchor.query]
        near = [d(a, corpus[p]) for p in anchor.positives]
        far = [d(a, corpus[n]) for n in anchor.negatives]
        right += sum(p < n for p, n in zip(near, far, strict=True))
        mvdd += sum(far) / len(far) - sum(near) / len(near)
        top = sorted(range(len(corpus)), key=lambda i: d(a, corpus[i]))[:7]
        hits = len(set(top) & set(anchor.positives.tolist()))
        p, r = hits / 7, hits / len(anchor.positives)
        precision.append(p)
        recall.append(r)
        f_score.append(5 * p * r / (4 * p + r) if hits else 0)
    triplets = sum(len(anchor.positives) for anchor in anchors)
    assert result.metrics["accuracy"].value() == pytest.approx(right / triplets, abs=1e-6)
    assert result.metrics["mvdd"].value() == pytest.approx(mvdd, abs=1e-5)
    assert result.metrics["precision"].value() == pytest.approx(np.mean(precision), abs=1e-6)
    assert result.metrics["recall"].value() == pytest.approx(np.mean(recall), abs=1e-6)
    assert result.metrics["f"].value() == pytest.approx(np.mean(f_score), abs=1e-6)


def test_the_random_predictor_is_right_half_the_time(data):
    anchors = draw_anchors(data)
    result = score_random(len(CORPUS), anchors, k=12)
    size = np.mean([len(anchor.positives) for anchor in anchors])
    assert result.metrics["accuracy"].value() == pytest.approx(0.5, abs=0.15)
    assert result.metrics["precision"].value() == pytest.approx(size / len(CORPUS), abs=0.04)
    assert result.metrics["recall"].value() == pytest.approx(0.1, abs=0.06)


def test_on_vectors_of_length_one_all_distances_rank_alike(data, vectors):
    queries, corpus = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in vectors)
    anchors = draw_anchors(data)
    result = {kind: score_vectors(queries, corpus, anchors, kind, k=5) for kind in DISTANCE}
    assert len({each.metrics["accuracy"].value() for each in result.values()}) == 1
    assert len({each.metrics["recall"].value() for each in result.values()}) == 1
    assert result["squared_l2"].metrics["mvdd"].value() == pytest.approx(
        2 * result["cosine"].metrics["mvdd"].value(), abs=1e-4
    )


def test_seeds_are_averaged_and_figures_have_intervals(data, vectors):
    anchors = draw_anchors(data)
    queries, corpus = vectors
    one, other = (score_vectors(queries + n, corpus, anchors, "dot", k=5) for n in (0, 1))
    results = combine_seeds([one, other]).intervals()
    for name in ("accuracy", "mvdd"):
        mean = (one.metrics[name].value() + other.metrics[name].value()) / 2
        assert results[name].value == pytest.approx(mean)
    for each in results.values():
        assert each.low < each.value < each.high


def test_papers_without_related_papers_are_no_anchors():
    with pytest.raises(InputError, match="no held-out paper has citations"):
        draw_anchors(HeldOutData.build(CORPUS, [HeldOutRow("q", [], [], dict.fromkeys(CORPUS, 1))]))


def test_the_table_has_all_figures_in_100_columns(data, vectors):
    anchors = draw_anchors(data)
    results = {
        ("a_long_space", kind): score_vectors(*vectors, anchors, kind, k=10, beta=1)
        for kind in DISTANCE
    }
    out = io.StringIO()
    Console(file=out, width=100).print(arxiv_table(results, {"a_long_space": "mean"}, 10, 1).rich())
    for result in results.values():
        accuracy = result.intervals()["accuracy"]
        assert f"{100 * accuracy.low:.1f}-{100 * accuracy.high:.1f}" in out.getvalue()
    assert "precision@10" in out.getvalue()


@pytest.mark.parametrize("k", [0, -1, "10"])
def test_an_invalid_rank_is_an_error(graph, k):
    """With k = 0, trec_eval ended the process."""
    with pytest.raises(InputError, match=f"k is {k!r}"):
        evaluate_arxiv(graph, k=k)


@pytest.mark.parametrize("beta", [float("nan"), float("inf"), -1.0])
def test_an_invalid_beta_is_an_error(graph, beta):
    with pytest.raises(InputError, match=f"beta is {beta!r}"):
        evaluate_arxiv(graph, beta=beta)
