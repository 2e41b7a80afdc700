"""Test judgments from readings, classes from labels, and clicks from histories and logs."""

from collections import Counter
from itertools import chain, pairwise

import numpy as np
import pytest

from specter_graph.core.errors import InputError
from specter_graph.evaluation.feedback.clicks import Impression, propensities, read_click_log
from specter_graph.evaluation.protocols import candidate_ranking
from specter_graph.evaluation.protocols.candidate_ranking import judge_coviews, judge_last_readings
from specter_graph.evaluation.protocols.classification import (
    choose_classes,
    split_labels,
    split_labels_by_time,
)
from specter_graph.evaluation.protocols.dataset import part_of
from specter_graph.evaluation.protocols.recommendation import LIST_LENGTH, ClickLog
from specter_graph.loaders.records import sample_key

PAPERS = [f"p{i}" for i in range(300)]
PARTS = {paper: part_of(sample_key(paper), 0.1) for paper in PAPERS}
TEST, VALIDATION, TRAIN = (
    [paper for paper in PAPERS if PARTS[paper] == part] for part in ("test", "validation", "train")
)


def test_papers_frequently_read_together_are_relevant_and_others_are_not():
    query, often, once = TEST[0], TRAIN[:5], TRAIN[5:15]
    groups = [[query, *often], [query, *often, query], [query, *once], once + TRAIN[20:30]]
    rated = judge_coviews(groups, PARTS)
    assert list(rated) == [query]
    right = {paper for paper, relevance in rated[query].items() if relevance}
    wrong = {paper for paper, relevance in rated[query].items() if not relevance}
    assert right == set(often)
    assert len(wrong) == 25
    assert not wrong & {*often, *once, query}


def test_a_group_counts_once_however_often_a_paper_is_in_it():
    query, twice, thrice = TEST[0], TRAIN[0], TRAIN[1:6]
    groups = [[query, twice, twice, twice, twice], *[[query, *thrice]] * 2]
    rated = judge_coviews(groups, PARTS)[query]
    assert {paper for paper in rated if rated[paper]} == set(thrice)


def test_queries_and_candidates_are_of_different_parts():
    rng = np.random.default_rng(0)
    groups = [list(rng.choice(PAPERS, 12, replace=False)) for _ in range(80)]
    for part, queries in (("test", TEST), ("validation", VALIDATION)):
        rated = judge_coviews(groups, PARTS, split=part)
        assert set(rated) <= set(queries)
        assert len(rated) > 10
        assert {paper for some in rated.values() for paper in some} <= set(TRAIN)


def test_judgements_do_not_depend_on_the_order_of_the_readings():
    rng = np.random.default_rng(0)
    groups = [list(rng.choice(PAPERS, 12, replace=False)) for _ in range(40)]
    turned = [group[::-1] for group in groups[::-1]]
    assert judge_coviews(groups, PARTS) == judge_coviews(turned, dict(reversed(PARTS.items())))
    assert judge_coviews(groups, PARTS) != judge_coviews(groups, PARTS, seed=1)


def test_a_reader_with_many_papers_counts_with_a_sample(monkeypatch):
    monkeypatch.setattr(candidate_ranking, "MAX_GROUP", 100)
    rated = judge_coviews([PAPERS], PARTS)
    assert rated == judge_coviews([PAPERS[::-1]], PARTS)
    assert 0 < len(rated) < len(TEST)


def test_last_readings_are_relevant_and_papers_of_their_readers_are_no_candidates():
    histories = [["a", "b", "q", "x"], ["c", "q", "x"], ["q", "y"], ["d", "e"], ["z"], []]
    rated = judge_last_readings(histories, [*PAPERS, *"abcdeqxyz"])
    assert rated.keys() == {"q", "d"}
    assert {paper for paper, relevance in rated["q"].items() if relevance} == {"x", "y"}
    assert len(rated["q"]) == 27
    assert not rated["q"].keys() & {"a", "b", "c", "q"}


def test_classes_are_frequent_labels_that_discriminate():
    kinds = 30 * [["one"]] + 30 * [["two"]] + 10 * [["one", "two"]] + 10 * [["rare"]] + 20 * [[]]
    labels = {f"p{i}": ["everything", *names] for i, names in enumerate(kinds)}
    chosen = choose_classes(labels)
    assert Counter(chosen.values()) == {"one": 30, "two": 30}
    assert chosen["p0"] == "one"
    assert "p65" not in chosen  # both labels
    assert "p75" not in chosen  # too rare


def test_in_a_split_by_time_no_test_paper_is_older_than_a_training_paper():
    class_of = {paper: "ab"[i % 2] for i, paper in enumerate(PAPERS)}
    when = {paper: str(1990 + i % 20) for i, paper in enumerate(PAPERS[:-10])}
    labels = split_labels_by_time(class_of, when, 0.1)
    years = {part: [when[p] for p, _ in labeled] for part, labeled in labels.items()}
    assert max(years["train"]) <= min(years["validation"])
    assert max(years["validation"]) <= min(years["test"])
    assert len(years["test"]) == 29
    random = split_labels(class_of, PARTS)
    assert [paper for paper, _ in random["test"]] == sorted(TEST)


def test_swaps_between_two_ranks_give_the_ratio_of_their_click_rates():
    log = [Impression("q", ("a", "b"), frozenset("a" if i < 6 else "")) for i in range(10)]
    log += [Impression("q", ("b", "a"), frozenset("a" if i < 3 else "")) for i in range(10)]
    # a: clicked 6 of 10 times at rank 1, 3 of 10 times at rank 2; b: never clicked
    assert propensities(log) == pytest.approx([1, 0.5], abs=1e-4)


def test_propensities_that_generated_the_clicks_are_recovered():
    rng = np.random.default_rng(0)
    true = np.array([1.0, 0.6, 0.4, 0.3])
    relevant = {(q, d): rng.uniform(0.1, 0.9) for q in range(40) for d in range(4)}
    log = []
    for _ in range(20_000):
        query, order = rng.integers(40), rng.permutation(4)
        looked = rng.random(4) < true
        liked = [rng.random() < relevant[query, d] for d in order]
        clicked = [str(d) for d, a, b in zip(order, looked, liked, strict=True) if a and b]
        log.append(Impression(str(query), tuple(map(str, order)), frozenset(clicked)))
    assert propensities(log) == pytest.approx(true, abs=0.05)


def test_a_log_without_swaps_has_no_propensities():
    with pytest.raises(InputError, match="too few papers at several positions"):
        propensities([Impression("q", ("a", "b"), frozenset("a"))] * 5)
    orders = (("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a"))
    log = [Impression("q", order, frozenset(order[:2])) for order in orders]
    with pytest.raises(InputError, match="no swapped paper was clicked at position 3"):
        propensities(log)


def test_clicks_of_a_log_are_split_by_time_and_the_newest_are_unknown_to_the_propensities():
    log = [
        Impression("q", ("a", "b")[:: 1 if i % 2 else -1], frozenset("a" if i % 3 else ""))
        for i in range(100)
    ]
    clicks = ClickLog.from_impressions(log, 0.1)
    assert len(clicks.parts["test"]) == sum(len(each.clicked) for each in log[90:])
    other = log[:80] + [Impression("q", ("b", "a"), frozenset("b"))] * 20
    assert np.array_equal(clicks.propensities, ClickLog.from_impressions(other, 0.1).propensities)
    assert not np.array_equal(
        clicks.propensities, ClickLog.from_impressions(other[::-1], 0.1).propensities
    )


def test_histories_make_lists_of_the_next_paper_and_nine_unread_papers():
    rng = np.random.default_rng(0)
    histories = [(f"r{i}", list(rng.choice(PAPERS, 8, replace=False))) for i in range(200)]
    clicks = ClickLog.from_histories(histories, PAPERS, 0.1)
    read = dict(histories)
    following = {(a, b) for _, some in histories for a, b in pairwise(some)}
    for click in chain(*clicks.parts.values()):
        assert (click.query, click.clicked) in following
        assert len(set(click.shown)) == LIST_LENGTH
    places = Counter(click.place for click in clicks.parts["train"])
    assert min(places[place] for place in range(LIST_LENGTH)) > 0.05 * len(clicks.parts["train"])
    test_readers = {r for r in read if part_of(sample_key(r), 0.1) == "test"}
    assert len(clicks.parts["test"]) == 5 * len(test_readers)
    assert (
        ClickLog.from_histories(histories[::-1], PAPERS[::-1], 0.1).propensities.tolist()
        == [1.0] * 10
    )


def test_a_line_that_is_no_list_is_refused(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"query": "a", "shown": ["b"], "clicked": ["c"]}\n')
    with pytest.raises(InputError, match="line 1: a clicked paper was not shown"):
        read_click_log(path)
    path.write_text('{"query": "a", "shown": ["b"], "clicked": ["b"]}\n{}\n')
    with pytest.raises(InputError, match="line 2: not an impression"):
        read_click_log(path)


def test_blank_lines_and_a_byte_order_mark_of_a_click_log_are_ignored(tmp_path):
    line = '{"query": "a", "shown": ["b"], "clicked": ["b"]}'
    (tmp_path / "log.jsonl").write_text(f"\ufeff{line}\r\n\r\n  \n{line}\n\n")
    assert read_click_log(tmp_path / "log.jsonl") == [Impression("a", ("b",), frozenset("b"))] * 2
    (tmp_path / "log.jsonl").write_text(f"{line}\n\n{{}}\n")
    with pytest.raises(InputError, match="line 3: not an impression"):
        read_click_log(tmp_path / "log.jsonl")
