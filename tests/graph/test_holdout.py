import hashlib

import pytest
from hypothesis import HealthCheck, given, settings

from specter_graph.errors import InputError
from specter_graph.graph.connection import Database
from specter_graph.graph.holdout import HoldOut, current_hold_out, hold_out, split_ids
from specter_graph.graph.load import load_papers
from specter_graph.loaders.records import Paper
from tests.graph.citation_graphs import corpora, random_papers, reload, truth

PAPERS = random_papers(300, 8)


def labels(database: Database) -> tuple[list[str], list[str], list[str]]:
    return (
        list(split_ids(database, "train")),
        list(split_ids(database, "validation")),
        list(split_ids(database, "test")),
    )


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(papers=corpora())
def test_the_labels_are_those_of_the_definition(graph: Database, papers: list[Paper]):
    reload(graph, papers)
    held_out = hold_out(graph, 0.3)
    expected = truth(papers, 0.3)
    assert labels(graph) == (
        sorted(expected.training),
        sorted(expected.validation),
        sorted(expected.test),
    )
    assert (held_out.tests, held_out.validations) == (len(expected.test), len(expected.validation))


def test_the_digest_is_over_the_test_ids_then_the_validation_ids(graph: Database):
    load_papers(graph, PAPERS)
    held_out = hold_out(graph, 0.1)
    expected = truth(PAPERS, 0.1)
    assert expected.test
    assert expected.validation
    text = "".join(f"{paper}\n" for paper in sorted(expected.test)) + "\n"
    text += "".join(f"{paper}\n" for paper in sorted(expected.validation)) + "\n"
    assert held_out.digest == hashlib.sha256(text.encode()).hexdigest()
    assert current_hold_out(graph) == held_out


def test_nothing_is_recorded_before_the_first_hold_out(graph: Database):
    assert current_hold_out(graph) is None


def test_a_second_hold_out_writes_nothing(graph: Database, monkeypatch: pytest.MonkeyPatch):
    load_papers(graph, PAPERS)
    first = hold_out(graph, 0.1)
    for name in ("write", "commit", "transaction"):
        monkeypatch.delattr(Database, name)
    assert hold_out(graph, 0.1) == first


def test_another_fraction_moves_the_labels(graph: Database):
    load_papers(graph, PAPERS)
    hold_out(graph, 0.1)
    hold_out(graph, 0.2)
    expected = truth(PAPERS, 0.2)
    assert labels(graph)[1:] == (sorted(expected.validation), sorted(expected.test))


def test_fraction_0_takes_all_labels_off(graph: Database):
    load_papers(graph, PAPERS)
    hold_out(graph, 0.1)
    assert hold_out(graph, 0) == HoldOut(0.0, "", 0, 0) == current_hold_out(graph)
    assert labels(graph) == (sorted(paper.id for paper in PAPERS), [], [])


def test_papers_loaded_later_are_held_out_too(graph: Database):
    load_papers(graph, PAPERS[:150])
    before = hold_out(graph, 0.1)
    load_papers(graph, PAPERS[150:])
    after = hold_out(graph, 0.1)
    expected = truth(PAPERS, 0.1)
    assert before != after
    assert labels(graph)[1:] == (sorted(expected.validation), sorted(expected.test))


def test_a_hold_out_that_was_killed_half_way_is_mended(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    load_papers(graph, PAPERS)
    hold_out(graph, 0.2)
    with monkeypatch.context() as patch:
        patch.setattr(Database, "commit", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            hold_out(graph, 0.1)
    assert current_hold_out(graph) is None
    hold_out(graph, 0.1)
    expected = truth(PAPERS, 0.1)
    assert labels(graph)[1:] == (sorted(expected.validation), sorted(expected.test))


@pytest.mark.parametrize("fraction", [-0.1, 0.5, 1.0, float("nan")])
def test_an_impossible_fraction_is_refused(graph: Database, fraction: float):
    with pytest.raises(InputError, match="cannot be made"):
        hold_out(graph, fraction)
