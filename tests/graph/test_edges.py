"""The citations that SGC sees."""

import numpy as np
import pytest

from specter_graph.encoder.baselines.sgc import sgc
from specter_graph.graph.edges import citation_edges, smoothed_record
from specter_graph.graph.holdout import HoldOut
from specter_graph.graph.load import load_papers
from specter_graph.graph.spaces import EmbeddingSpace, text_digest
from specter_graph.loaders.records import Paper

IDS = ["e", "d", "c", "b", "a"]


@pytest.fixture
def corpus(graph):
    """Citations a-b (both ways), a-c, b-c, c-d, d-e, and two to a stub."""
    references = {"a": ("b", "c", "stub"), "b": ("a", "c"), "c": ("d",), "d": ("e", "stub")}
    papers = [Paper(each, each.upper(), references=references.get(each, ())) for each in "abcde"]
    load_papers(graph, papers, rejects=None)
    return graph


def pairs(graph, ids):
    return [(ids[low] + ids[high]) for low, high in citation_edges(graph, ids).T]


def test_each_citation_among_papers_with_records_stands_once(corpus):
    assert citation_edges(corpus, IDS).dtype == np.int64
    assert pairs(corpus, IDS) == ["ed", "dc", "cb", "ca", "ba"]


def test_papers_that_are_not_asked_for_have_no_edges(corpus):
    assert pairs(corpus, ["b", "d", "c"]) == ["bc", "dc"]


@pytest.mark.parametrize("label", ["Test", "Validation"])
def test_held_out_papers_lose_the_citations_they_make_and_get(corpus, label):
    corpus.write(f"MATCH (p:Paper {{id: 'c'}}) SET p:{label}")
    assert pairs(corpus, IDS) == ["ed", "ba"]


def test_a_held_out_paper_keeps_its_features_through_sgc(corpus):
    corpus.write("MATCH (p:Paper {id: 'c'}) SET p:Test")
    features = np.eye(5, dtype=np.float32)
    smoothed = sgc(features, citation_edges(corpus, IDS), k=3)
    assert np.array_equal(smoothed[2], features[2])
    assert not np.delete(smoothed[:, 2], 2).any()


def test_no_citations_at_all_are_no_edges(graph):
    load_papers(graph, [Paper("a", "A"), Paper("b", "B")], rejects=None)
    assert citation_edges(graph, ["a", "b"]).shape == (2, 0)


def test_the_projection_is_dropped_also_after_an_error(corpus, monkeypatch):
    from specter_graph.graph import edges

    citation_edges(corpus, IDS)
    monkeypatch.setattr(edges, "_pairs", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        citation_edges(corpus, IDS)
    assert corpus.read("CALL gds.graph.list() YIELD graphName RETURN graphName") == []


@pytest.mark.parametrize(
    ("sees_edges", "seen", "holdout"),
    [(False, "", 0.1), (True, "now", 0.1), (True, "then", 0.0), (True, "", 0.0)],
)
def test_a_smoothed_space_hides_no_more_than_the_space_it_is_made_from(sees_edges, seen, holdout):
    base = EmbeddingSpace(
        "base", "head", 2, "m", "minilm", "d1", sees_edges=sees_edges, holdout_digest=seen
    )
    record = smoothed_record(base, "sgc", 2, HoldOut(0.1, "now", 5, 5), "corpus")
    assert (record.kind, record.holdout, record.sees_edges) == ("sgc", holdout, True)
    assert record.holdout_digest == ("now" if holdout else "")
    assert (record.model, text_digest(record)) == ("m", "d1")
    again = smoothed_record(record, "sgc2", 2, HoldOut(0.1, "now", 5, 5), "corpus")
    assert text_digest(again) == "d1"
