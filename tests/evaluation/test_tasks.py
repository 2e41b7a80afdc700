"""Test the tasks of SciDocs on a real graph, and that no test data leak into them."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from specter_graph.cli import evaluate
from specter_graph.core.errors import LeakError
from specter_graph.evaluation import evaluate_spaces
from specter_graph.evaluation.protocols.tasks import evaluate_tasks
from specter_graph.evaluation.report.table import coverage
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, record_space, write_vectors
from specter_graph.graph.evaluation_data import known_papers, labeled_papers, reading_histories
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import training_ids
from specter_graph.loaders.records import Field, Paper, Reading, Venue
from tests.environment import server_environment
from tests.graph.citation_graphs import held_out_ids

IDS = [f"p{i}" for i in range(240)]
HOLDOUT = 0.15
GROUP = {paper: i % 4 for i, paper in enumerate(IDS)}


@pytest.fixture(scope="module")
def loaded(fresh_graph):
    """Load papers with vectors in four groups, which share citations, readers and labels."""
    rng = random.Random(3)
    alike = [[paper for paper in IDS if GROUP[paper] == group] for group in range(4)]
    papers = [
        Paper(
            p,
            f"On {p}",
            year=2000 + i % 20,
            references=tuple(rng.sample(alike[GROUP[p]], 8)),
            venue=Venue(f"venue {GROUP[p] % 2}", "a venue"),
            fields=(
                Field("keyword", f"k{GROUP[p]}", "k"),
                Field("keyword", "all", "all"),
                Field("mesh", ["D009369", "tumour", "D001523", "D004066"][GROUP[p]], "a disease"),
            ),
        )
        for i, p in enumerate(IDS)
    ]
    readings = [
        Reading(f"r{r}", paper, kind, at=f"2020-01-{day:02}", session=f"s{r % 2}")
        for r in range(60)
        for kind in ("VIEWED", "SAVED")
        for day, paper in enumerate(rng.sample(alike[r % 4], 8), 1)
    ]
    load_papers(fresh_graph, [*papers, Field("mesh", "tumour", "t", ("D009369",)), *readings])
    generator = np.random.default_rng(0)
    knowing = np.eye(8)[[GROUP[paper] for paper in IDS]] + generator.normal(
        scale=0.3, size=(240, 8)
    )
    for name, vectors in (("knowing", knowing), ("noise", generator.normal(size=(240, 8)))):
        write_vectors(fresh_graph, name, IDS, vectors.astype(np.float32))
        record = EmbeddingSpace(name, "base", 8, "m", "m", "d", sees_edges=False)
        record_space(fresh_graph, record)
    return fresh_graph


@pytest.fixture(scope="module")
def results(loaded):
    return evaluate_tasks(loaded, holdout=HOLDOUT)


def test_every_task_that_the_graph_has_facts_for_is_evaluated(results):
    tasks = [
        "keyword",
        "mesh",
        "venue",
        "coview",
        "coview-last",
        "coread",
        "coread-last",
        "cite",
        "cocite",
        "recomm",
    ]
    assert set(results["knowing"]) == set(tasks)
    for task in tasks:
        knowing, noise = (results[name][task] for name in ("knowing", "noise"))
        assert knowing.items == noise.items
        assert not knowing.missing
        for metric, measure in knowing.metrics.items():
            assert measure.value() > noise.metrics[metric].value() + 0.1
    # p1 has the descriptor "tumour" and is of the same class as p0
    assert results["knowing"]["mesh"].metrics["f1"].value() > 0.9


def test_cite_and_cocite_agree_with_evaluate(loaded, results):
    report = evaluate_spaces(loaded, ["noise"], holdout=HOLDOUT)
    for task in ("cite", "cocite"):
        for metric, measure in results["noise"][task].metrics.items():
            assert measure.value() == pytest.approx(report.spaces["noise"][task][metric].value)


def test_test_papers_of_every_task_are_no_training_papers(loaded, results):
    training = set(training_ids(loaded, HOLDOUT))
    for task in ("keyword", "venue", "coview", "coread", "cite", "cocite"):
        assert not training & set(results["noise"][task].items)


def test_time_splits_test_the_newest_papers(loaded):
    results = evaluate_tasks(loaded, ["noise"], holdout=HOLDOUT, split_by="time")["noise"]
    years = {paper.id: paper.year for paper in labeled_papers(loaded)}
    assert min(years[paper] for paper in results["venue"].items) >= 2016


def test_held_out_papers_show_the_recommender_no_citations(loaded):
    held = held_out_ids(loaded, HOLDOUT)
    seen = 0
    for paper in known_papers(loaded, IDS, HOLDOUT):
        linked = {*paper.references, *paper.cited_by}
        assert not linked & held
        assert not linked or paper.id not in held
        seen += len(linked)
    assert seen > 100
    assert held


def test_a_space_that_has_seen_hidden_citations_is_refused(loaded):
    vectors = np.ones((len(IDS), 2), np.float32)
    write_vectors(loaded, "tainted", IDS, vectors)
    record_space(loaded, EmbeddingSpace("tainted", "head", 2, "m", "m", "d", holdout=0.05))
    try:
        with pytest.raises(LeakError, match="'tainted'"):
            evaluate_tasks(loaded, holdout=HOLDOUT)
    finally:
        loaded.write("MATCH (s:EmbeddingSpace {property: 'tainted'}) DELETE s")


def test_a_space_that_was_trained_on_the_answers_is_marked(loaded):
    created = {
        "reader": {"learned_from": ("co_view",)},
        "further": {"learned_from": ("citations", "co_read")},
        "held_out": {"learned_from": ("co_read",), "holdout": 0.1},
        "from_file": {"learned_from": ("file",), "holdout": 0.1},
        "venue_reader": {"sources": json.dumps({"parts": ["title", "venue"]})},
        "citer": {"learned_from": ("citations",), "sources": json.dumps({"parts": ["title"]})},
    }
    vectors = np.random.default_rng(1).normal(size=(len(IDS), 2)).astype(np.float32)
    for name, given in created.items():
        write_vectors(loaded, name, IDS, vectors)
        record_space(loaded, EmbeddingSpace(name, "x", 2, "m", "m", "d", sees_edges=False, **given))
    try:
        results = evaluate_tasks(loaded, list(created))
    finally:
        loaded.write(
            "MATCH (s:EmbeddingSpace) WHERE s.property IN $names DELETE s", names=list(created)
        )
    marked = {
        name: {task for task, result in of.items() if any("trained on" in n for n in result.notes)}
        for name, of in results.items()
    }
    readings = {"coview", "coview-last", "coread", "coread-last", "recomm"}
    assert marked == {
        "reader": readings,
        "further": readings,
        "held_out": {"recomm"},
        "from_file": readings,
        "venue_reader": {"venue"},
        "citer": set(),
    }


def test_readings_come_by_reader_and_kind(loaded):
    histories = dict(reading_histories(loaded, "SAVED"))
    assert len(histories) == 60
    assert {len(readings) for readings in histories.values()} == {8}
    assert {reading.session for reading in histories["r1"]} == {"s1"}


def test_a_click_log_replaces_the_histories(loaded, tmp_path, local_instance):
    from click.testing import CliRunner

    rng = random.Random(0)
    path = tmp_path / "log.jsonl"
    with path.open("w") as file:
        for _ in range(200):
            query, order = "p0", rng.sample(["p1", "p4", "p7"], 3)
            event = {
                "query": query,
                "shown": order,
                "clicked": rng.sample(order, rng.randrange(2)),
            }
            file.write(json.dumps(event) + "\n")
    with server_environment(local_instance):
        options = ["--space", "noise", "--click-log", str(path), "--format", "json"]
        result = CliRunner().invoke(evaluate.tasks, options)
    assert result.exit_code == 0, result.output
    row = json.loads(result.stdout)["noise"]
    assert row["tasks"]["recomm"]["papers"] == 4
    assert 0 < row["averages"]["average"] < 1


def test_spaces_of_several_seeds_are_one_row_with_their_mean(loaded, results):
    row = evaluate_tasks(loaded, ["knowing,noise"], holdout=HOLDOUT)["knowing,noise (2 seeds)"]
    for task, outcome in row.items():
        for metric, measure in outcome.metrics.items():
            each = [results[name][task].metrics[metric].value() for name in ("knowing", "noise")]
            assert measure.value() == pytest.approx(sum(each) / 2)


def test_every_metric_is_within_its_interval_which_is_narrower_for_more_items(results):
    for outcome in results["noise"].values():
        for metric, interval in outcome.intervals().items():
            assert interval.low <= interval.value <= interval.high
            assert interval.low < interval.high
            assert interval.value == outcome.metrics[metric].value()
    widths = {
        task: interval.high - interval.low
        for task in ("coview", "cite")
        for interval in [results["noise"][task].intervals()["map"]]
    }
    sizes = {task: len(results["noise"][task].items) for task in widths}
    assert max(widths, key=widths.__getitem__) == min(sizes, key=sizes.__getitem__)


def test_a_mean_has_the_interval_of_its_resampled_means(results):
    measure = results["noise"]["cite"].metrics["map"]
    generator, values = np.random.default_rng(0), measure.values.ravel()
    means = [values[generator.integers(len(values), size=len(values))].mean() for _ in range(2_000)]
    interval = results["noise"]["cite"].intervals()["map"]
    assert [interval.low, interval.high] == pytest.approx(
        np.quantile(means, [0.025, 0.975]).tolist()
    )


def test_systems_that_share_a_coverage_share_its_line(results):
    lines = coverage(results)
    [coread] = [line for line in lines if "coread:" in line]
    assert coread.startswith("coread: ")
    other = replace(results["noise"]["coread"], missing=1)
    lines = coverage(results | {"noise": {"coread": other}})
    assert any(line.startswith("noise, coread: ") for line in lines)
    assert any(line.startswith("knowing, coread: ") for line in lines)
