"""Spaces of a real graph: scored on what was hidden from them, or refused."""

import random
from dataclasses import replace

import numpy as np
import pytest

from specter_graph.errors import GraphError, InputError, LeakError
from specter_graph.evaluation import Facts, evaluate, evaluate_spaces
from specter_graph.evaluation.reporting import report_spaces
from specter_graph.evaluation.scoring import METRICS
from specter_graph.graph.facts import held_out_citations
from specter_graph.graph.holdout import hold_out, split_ids
from specter_graph.graph.load import load_papers
from specter_graph.graph.spaces import EmbeddingSpace, record_space, write_vectors
from specter_graph.loaders.records import Paper

IDS = [f"p{i}" for i in range(160)]
SPACE = EmbeddingSpace("text", "base", 8, model="m", base="m", digest="d", sees_edges=False)


@pytest.fixture
def loaded(graph):
    chance = random.Random(3)
    papers = [
        Paper(p, f"On {p}", references=tuple(chance.sample(IDS, chance.randint(4, 12))))
        for p in IDS
    ]
    load_papers(graph, papers)
    return graph


@pytest.fixture
def held_out(loaded):
    """A graph with papers held out, and which."""
    return loaded, hold_out(loaded, 0.15)


def add_space(db, record, ids=IDS):
    vectors = np.random.default_rng(len(record.property)).normal(size=(len(ids), 8))
    write_vectors(db, record.property, ids, vectors.astype(np.float32))
    record_space(db, record)
    return list(ids), vectors.astype(np.float32)


def trained(name, hidden, **changes):
    """A space that has seen all citations but those of the papers hidden from it."""
    made = replace(SPACE, property=name, kind="head", sees_edges=True)
    return replace(made, **{"holdout": hidden.fraction, "holdout_digest": hidden.digest} | changes)


def test_every_space_is_scored_as_its_arrays_alone_would_be(held_out):
    db, hidden = held_out
    arrays = {"text": add_space(db, SPACE), "sgc": add_space(db, trained("sgc", hidden))}
    facts = Facts.build(split_ids(db, "train"), held_out_citations(db, "test"))
    report = evaluate_spaces(db)
    assert report == evaluate(arrays, facts)
    assert list(report.spaces) == ["text", "sgc"]
    assert {task: tuple(found) for task, found in report.spaces["sgc"].items()} == METRICS


def test_test_and_validation_ask_for_different_papers(held_out):
    db, _ = held_out
    add_space(db, SPACE)
    assert evaluate_spaces(db).spaces != evaluate_spaces(db, split="validation").spaces


def test_held_out_papers_are_queries_and_never_candidates(held_out):
    db, hidden = held_out
    facts = Facts.build(split_ids(db, "train"), held_out_citations(db, "test"))
    held = {*split_ids(db, "test"), *split_ids(db, "validation")}
    assert len(held) == hidden.tests + hidden.validations > 10
    assert not held & set(facts.candidates)
    assert {paper.id for paper in facts.papers} == set(split_ids(db, "test"))


@pytest.mark.parametrize(
    "changes",
    [{"holdout": 0.0, "holdout_digest": ""}, {"holdout_digest": "another"}],
)
def test_a_space_that_has_seen_other_edges_is_refused_by_name(held_out, changes):
    db, hidden = held_out
    add_space(db, SPACE)
    add_space(db, trained("tainted", hidden, **changes))
    for names in (None, ["tainted"], ["text", "tainted"]):
        with pytest.raises(LeakError, match="'tainted'") as refused:
            evaluate_spaces(db, names)
        assert "--space" in refused.value.hint
    assert list(evaluate_spaces(db, ["text"]).spaces) == ["text"]


def test_a_space_is_refused_after_other_papers_were_held_out(held_out):
    db, hidden = held_out
    add_space(db, trained("sgc", hidden))
    evaluate_spaces(db)
    hold_out(db, 0.25)
    with pytest.raises(LeakError, match="'sgc'"):
        evaluate_spaces(db)
    hold_out(db, hidden.fraction)
    evaluate_spaces(db)


@pytest.mark.parametrize("fraction", [None, 0.0])
def test_nothing_held_out_is_nothing_to_evaluate_on(loaded, fraction):
    add_space(loaded, SPACE)
    if fraction is not None:
        hold_out(loaded, fraction)
    with pytest.raises(GraphError, match="no papers are held out"):
        evaluate_spaces(loaded)


def test_papers_without_vectors_are_counted_and_refused(held_out):
    db, _ = held_out
    add_space(db, SPACE, [paper for paper in IDS if paper in set(split_ids(db, "train"))])
    tests = len(list(split_ids(db, "test")))
    with pytest.raises(GraphError, match=f"^{tests} of the .* papers to be ranked have no vector"):
        evaluate_spaces(db)


def test_unknown_spaces_and_none_at_all_are_refused(held_out):
    db, _ = held_out
    with pytest.raises(GraphError, match="no embedding space to evaluate"):
        evaluate_spaces(db)
    with pytest.raises(GraphError, match="'specter'"):
        evaluate_spaces(db, ["specter"])


def test_only_a_row_of_these_very_spaces_is_compared_with(held_out, tmp_path):
    db, _ = held_out
    for name in ("text", "spec_1", "spec_2", "spec_7", "spec_8"):
        add_space(db, replace(SPACE, property=name))
    names = ["text", "spec_1,spec_2"]
    told = evaluate_spaces(db, names, against="spec_2,spec_1")
    assert (told.against, set(told.differences)) == ("spec (2 seeds)", {"text"})
    for absent in ("spec_7,spec_8", "spec_5,spec_6", "spec_1", "spec (2 seeds)"):
        for made in (
            lambda name: evaluate_spaces(db, names, against=name),
            lambda name: report_spaces(db, tmp_path, names, against=name),
        ):
            with pytest.raises(InputError) as refused:
                made(absent)
            assert repr(absent) in refused.value.message
            assert "the rows are text spec_1,spec_2" in refused.value.message
