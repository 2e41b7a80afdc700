"""From vectors and facts to a report, without a database."""

import json

import numpy as np
import pytest
import pytrec_eval

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.statistics import bootstrap_means
from specter_graph.evaluation import Facts, evaluate
from specter_graph.evaluation.protocols.held_out import METRICS, rankings, score
from specter_graph.evaluation.report.table import held_out_table

TRAINING = [f"p{i:03}" for i in range(200)]
HELD_OUT = [f"q{i:02}" for i in range(30)]
TREC = {
    "map": "map",
    "ndcg": "ndcg",
    "recall@10": "recall_10",
    "recall@100": "recall_100",
    "mrr": "recip_rank",
    "ndcg@10": "ndcg_cut_10",
}


@pytest.fixture(scope="module")
def facts():
    generator = np.random.default_rng(0)

    def some(low, high):
        return [str(p) for p in generator.choice(TRAINING, generator.integers(low, high), False)]

    return Facts.build(TRAINING, [(q, some(1, 20), some(0, 5), some(1, 60)) for q in HELD_OUT])


@pytest.fixture(scope="module")
def vectors():
    """Coarse vectors, so that many distances are tied, in an order that is not that of the ids."""
    generator = np.random.default_rng(1)
    ids = [str(p) for p in generator.permutation(TRAINING + HELD_OUT)]
    return ids, generator.integers(0, 3, (len(ids), 4)).astype(np.float32)


def test_values_of_every_query_agree_with_pytrec_eval(facts, vectors):
    asked = rankings(facts, 0)
    scores = score("space", vectors, facts, asked)
    row = dict(zip(*vectors, strict=True))
    for task, metric in [(t, m) for t, metrics in METRICS.items() for m in metrics]:
        for ranking, ours in zip(asked[task], scores[task][metric], strict=True):
            query = facts.papers[ranking.query].id
            among = range(len(TRAINING)) if ranking.among is None else ranking.among
            ids = [facts.candidates[i] for i in among]
            judged = {query: {ids[i]: 1 for i in ranking.relevant}}
            run = {query: {p: -float(((row[query] - row[p]) ** 2).sum()) for p in ids}}
            names = {"map", "ndcg", "recall.10,100", "recip_rank", "ndcg_cut.10"}
            golden = pytrec_eval.RelevanceEvaluator(judged, names).evaluate(run)
            assert ours == pytest.approx(golden[query][TREC[metric]], abs=1e-6)


def test_the_report_has_every_task_and_metric_in_range_and_is_json(facts, vectors):
    report = evaluate({"one": vectors, "two": vectors}, facts)
    plain = json.loads(json.dumps(report.as_json()))
    assert set(plain) == {"spaces", "queries"}
    assert list(plain["spaces"]) == ["one", "two"]
    assert plain["queries"] == {"cite": 30, "cocite": 30, "retrieval": 30}
    for by_task in plain["spaces"].values():
        assert {task: tuple(by_metric) for task, by_metric in by_task.items()} == METRICS
        for by_metric in by_task.values():
            for interval in by_metric.values():
                assert 0 <= interval["low"] <= interval["value"] <= interval["high"] <= 1
                assert interval["low"] < interval["high"]


def test_vectors_that_know_the_citations_beat_random_ones_everywhere(facts):
    rng = np.random.default_rng(2)
    near = {p: rng.normal(size=64) for p in TRAINING}
    for paper in facts.papers:
        cited = [facts.candidates[i] for i in paper.cites]
        near[paper.id] = np.mean([near[p] for p in cited], axis=0)
    known = list(near), np.array(list(near.values()), dtype=np.float32)
    report = evaluate({"known": known}, facts)
    for task in ("cite", "retrieval"):
        for metric, interval in report.spaces["known"][task].items():
            assert interval.low > report.random[task][metric].high


def test_random_vectors_score_what_chance_does(facts, vectors):
    found = evaluate({"one": vectors}, facts).random["cite"]
    assert found["map"].low < 0.26 < found["map"].high  # 5 of 30 at random, as in the paper


def test_differences_are_those_of_the_queries_paired(facts, vectors):
    asked = rankings(facts, 5)
    other = vectors[0], vectors[1][::-1].copy()
    report = evaluate({"one": vectors, "two": other}, facts, seed=5, against="one")
    one, two = (score("", v, facts, asked)["cite"]["map"] for v in (vectors, other))
    assert (
        report.differences["two"]["cite"]["map"] == bootstrap_means((two - one)[:, None], seed=5)[0]
    )
    assert set(report.as_json()["differences"]) == {"two"}


def test_the_order_of_the_vectors_does_not_count(facts, vectors):
    turned = vectors[0][::-1], vectors[1][::-1]
    assert evaluate({"a": vectors}, facts) == evaluate({"a": turned}, facts)


def test_papers_without_vectors_are_counted_and_refused(facts, vectors):
    keep = [i for i, paper in enumerate(vectors[0]) if paper not in {"p007", "p100", "q03"}]
    lacking = [vectors[0][i] for i in keep], vectors[1][keep]
    with pytest.raises(GraphError, match=r"3 of the 230 .* 'thin', such as 'q03'") as refused:
        evaluate({"thin": lacking}, facts)
    assert "specter-graph embed" in refused.value.hint


def test_vectors_that_are_not_finite_are_refused(facts, vectors):
    broken = vectors[1].copy()
    broken[3, 1] = np.nan
    with pytest.raises(GraphError, match="not finite"):
        evaluate({"broken": (vectors[0], broken)}, facts)


def test_a_comparison_with_a_space_that_is_not_scored_is_refused(facts, vectors):
    with pytest.raises(InputError, match="'base'"):
        evaluate({"one": vectors}, facts, against="base")


def test_a_task_without_queries_has_no_scores_and_the_others_have(vectors):
    facts = Facts.build(TRAINING, [("q00", TRAINING[:3], [], [])])
    report = evaluate({"one": vectors}, facts)
    assert report.queries == {"cite": 1, "cocite": 0, "retrieval": 1}
    assert report.spaces["one"].keys() == {"cite", "retrieval"}
    assert "cocite" not in held_out_table(report).markdown().splitlines()[0]


def test_nothing_to_ask_at_all_is_refused(vectors):
    with pytest.raises(InputError, match="no held-out paper has citations to score on"):
        evaluate({"one": vectors}, Facts.build(TRAINING, []))
