"""Compute a report from vectors and data, without a database."""

import json
from collections import Counter
from dataclasses import astuple

import numpy as np
import pytest
import pytrec_eval

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.statistics import bootstrap_means
from specter_graph.evaluation import HeldOutData, evaluate
from specter_graph.evaluation.protocols.held_out import (
    METRICS,
    HeldOutRow,
    metrics_of,
    rankings,
    score,
)
from specter_graph.evaluation.report.table import held_out_table, held_out_tables

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
def data():
    generator = np.random.default_rng(0)

    def some(low, high):
        return [str(p) for p in generator.choice(TRAINING, generator.integers(low, high), False)]

    rows = [
        HeldOutRow(
            q, some(1, 20), some(0, 5), Counter(some(1, 60)), number % 3 > 0, number % 5 == 0
        )
        for number, q in enumerate(HELD_OUT)
    ]
    years = generator.integers(1990, 2000, len(TRAINING) + len(HELD_OUT))
    return HeldOutData.build(
        TRAINING, rows, dict(zip([*TRAINING, *HELD_OUT], map(str, years), strict=True))
    )


@pytest.fixture(scope="module")
def vectors():
    """Return coarse vectors, so that many distances are tied, in another order than the ids."""
    generator = np.random.default_rng(1)
    ids = [str(p) for p in generator.permutation(TRAINING + HELD_OUT)]
    return ids, generator.integers(0, 3, (len(ids), 4)).astype(np.float32)


def test_values_of_every_query_agree_with_pytrec_eval(data, vectors):
    tasks = rankings(data, 0, variants=True)
    assert len(tasks) == 3 * 4 + 1
    scores = score("space", vectors, data, tasks)
    row = dict(zip(*vectors, strict=True))
    for task, metric in [(name, metric) for name in tasks for metric in metrics_of(name)]:
        for ranking, ours in zip(tasks[task], scores[task][metric], strict=True):
            query = data.papers[ranking.query].id
            among = np.arange(len(TRAINING)) if ranking.among is None else ranking.among
            relevant = {data.candidates[among[i]] for i in ranking.relevant}
            if ranking.before:
                among = [i for i in among if data.dates[i] < ranking.before]
            ids = [data.candidates[i] for i in among]
            rated = {query: dict.fromkeys(relevant, 1)}
            run = {query: {p: -float(((row[query] - row[p]) ** 2).sum()) for p in ids}}
            names = {"map", "ndcg", "recall.10,100", "recip_rank", "ndcg_cut.10"}
            golden = pytrec_eval.RelevanceEvaluator(rated, names).evaluate(run)
            assert ours == pytest.approx(golden[query][TREC[metric]], abs=1e-6)


def test_the_report_has_every_task_and_metric_in_range_and_is_json(data, vectors):
    report = evaluate({"one": vectors, "two": vectors}, data)
    plain = json.loads(json.dumps(report.as_json()))
    assert set(plain) == {"spaces", "queries"}
    assert list(plain["spaces"]) == ["one", "two"]
    queries = plain["queries"]
    for suffix, number in {"": 24, "-distinct": 16, "-short": 6}.items():
        assert {queries[f"{task}{suffix}"] for task in METRICS} == {number}
    assert queries["cocite-high"] == 24
    assert 15 < queries["retrieval-older"] < 24
    for by_task in plain["spaces"].values():
        assert {task: tuple(by_metric) for task, by_metric in by_task.items()} == {
            task: metrics_of(task) for task in queries
        }
        for by_metric in by_task.values():
            for interval in by_metric.values():
                assert 0 <= interval["low"] <= interval["value"] <= interval["high"] <= 1
                assert interval["low"] < interval["high"]


def test_vectors_that_know_the_citations_beat_random_ones_everywhere(data):
    rng = np.random.default_rng(2)
    near = {p: rng.normal(size=64) for p in TRAINING}
    for paper in data.papers:
        cited = [data.candidates[i] for i in paper.cites]
        near[paper.id] = np.mean([near[p] for p in cited], axis=0)
    known = list(near), np.array(list(near.values()), dtype=np.float32)
    report = evaluate({"known": known}, data)
    for task in ("cite", "retrieval"):
        for metric, interval in report.spaces["known"][task].items():
            assert interval.low > report.random[task][metric].high


def test_random_vectors_score_as_chance(data, vectors):
    result = evaluate({"one": vectors}, data).random["cite"]
    assert result["map"].low < 0.26 < result["map"].high  # 5 of 30 at random, as in the paper


def test_differences_are_those_of_the_queries_paired(data, vectors):
    tasks = rankings(data, 5)
    other = vectors[0], vectors[1][::-1].copy()
    report = evaluate({"one": vectors, "two": other}, data, seed=5, compare_to="one")
    one, two = (score("", v, data, tasks)["cite"]["map"] for v in (vectors, other))
    [expected] = bootstrap_means((two - one)[:, None], seed=5)
    assert astuple(report.differences["two"]["cite"]["map"]) == pytest.approx(astuple(expected))
    assert set(report.as_json()["differences"]) == {"two"}


def test_seeds_of_one_system_widen_its_interval(data, vectors):
    seeds = {
        name: (vectors[0], vectors[1] + np.float32(noise))
        for name, noise in [("a_0", 0), ("a_1", 1), ("a_2", vectors[1][::-1])]
    }
    systems = {"a_0": ["a_0"], "several": ["a_0", "a_1", "a_2"], "same": ["a_0", "a_0"]}
    report = evaluate(seeds, data, systems=systems)
    one, several, same = (report.spaces[name]["cite"]["map"] for name in report.spaces)
    assert astuple(same) == pytest.approx(astuple(one))
    scores = [report.spaces["a_0"], evaluate(seeds, data).spaces["a_2"]]
    assert several.value == pytest.approx(
        np.average([s["cite"]["map"].value for s in scores], weights=[2, 1])
    )


def test_the_order_of_the_vectors_does_not_matter(data, vectors):
    turned = vectors[0][::-1], vectors[1][::-1]
    assert evaluate({"a": vectors}, data) == evaluate({"a": turned}, data)


def test_papers_without_vectors_are_counted_and_refused(data, vectors):
    keep = [i for i, paper in enumerate(vectors[0]) if paper not in {"p007", "p100", "q03"}]
    lacking = [vectors[0][i] for i in keep], vectors[1][keep]
    with pytest.raises(GraphError, match=r"3 of the 230 .* 'thin', such as 'q03'") as refused:
        evaluate({"thin": lacking}, data)
    assert "specter-graph embed" in refused.value.hint


def test_vectors_that_are_not_finite_are_refused(data, vectors):
    broken = vectors[1].copy()
    broken[3, 1] = np.nan
    with pytest.raises(GraphError, match="not finite"):
        evaluate({"broken": (vectors[0], broken)}, data)


def test_a_comparison_with_a_space_that_is_not_scored_is_refused(data, vectors):
    with pytest.raises(InputError, match="'base'"):
        evaluate({"one": vectors}, data, compare_to="base")


def test_a_task_without_queries_has_no_scores(vectors):
    data = HeldOutData.build(TRAINING, [HeldOutRow("q00", TRAINING[:3], [], {}, is_distinct=True)])
    report = evaluate({"one": vectors}, data)
    main = {"cite": 1, "cocite": 0, "retrieval": 1}
    assert report.queries == main | {"cite-distinct": 1, "retrieval-distinct": 1}
    assert report.spaces["one"].keys() == report.queries.keys() - {"cocite"}
    assert [table.notes[0].partition(";")[0] for table in held_out_tables(report)[1:]] == [
        "Queries without a near-duplicate among the candidates"
    ]
    assert "cocite" not in held_out_table(report).markdown().splitlines()[0]


def test_an_evaluation_without_queries_is_refused(vectors):
    with pytest.raises(InputError, match="no held-out paper has citations to score on"):
        evaluate({"one": vectors}, HeldOutData.build(TRAINING, []))


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int64])
def test_vectors_of_every_number_type_have_the_same_scores(data, vectors, kind):
    ids, array = vectors[0], np.random.default_rng(2).normal(size=(len(vectors[0]), 20)) * 40
    array = array.astype(kind)
    expected = evaluate({"mine": (ids, array.astype(np.float32))}, data)
    assert evaluate({"mine": (ids, array)}, data) == expected


def test_ids_that_do_not_match_the_vectors_are_refused(data, vectors):
    ids, array = vectors
    with pytest.raises(InputError, match=r"'mine' has 230 ids, but vectors of shape \(231, 4\)"):
        evaluate({"mine": (ids, np.vstack([array[:1], array]))}, data)


def test_candidates_count_once_and_are_not_held_out_and_a_held_out_paper_has_one_row():
    row = HeldOutRow("q00", TRAINING[:3], [], {})
    twice, once = HeldOutData.build(TRAINING * 2, [row]), HeldOutData.build(TRAINING, [row])
    assert twice.candidates == once.candidates
    with pytest.raises(InputError, match="the held-out paper 'q00' is a candidate, too"):
        HeldOutData.build([*TRAINING, "q00"], [row])
    with pytest.raises(InputError, match="the held-out paper 'q00' has 2 rows"):
        HeldOutData.build(TRAINING, [row, row])
