"""Test the citations that SGC sees."""

import numpy as np
import pytest

from specter_graph.core.errors import InputError
from specter_graph.encoder.graph_convolution import sgc
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, text_digest, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import SAMPLE_PRIME, Paper
from specter_graph.pipelines.sgc import citation_edges, smooth, smoothed_record

IDS = ["e", "d", "c", "b", "a"]


@pytest.fixture
def corpus(graph):
    """Load citations a-b (both directions), a-c, b-c, c-d, d-e, and two to a stub."""
    references = {"a": ("b", "c", "stub"), "b": ("a", "c"), "c": ("d",), "d": ("e", "stub")}
    papers = [Paper(each, each.upper(), references=references.get(each, ())) for each in "abcde"]
    load_papers(graph, papers, rejects=None)
    return graph


def pairs(graph, ids, holdout=0.0):
    return sorted(
        ids[citing] + ids[cited] for citing, cited in citation_edges(graph, ids, holdout).T
    )


def hold_out(graph, paper, share):
    """Give papers sample keys by which exactly these papers are held out at this share."""
    graph.write("MATCH (p:Paper) SET p.sample_key = $most", most=SAMPLE_PRIME - 1)
    graph.write(
        "MATCH (p:Paper {id: $id}) SET p.sample_key = $key", id=paper, key=int(share * SAMPLE_PRIME)
    )


def test_each_citation_among_papers_with_records_occurs_once(corpus):
    assert pairs(corpus, IDS) == ["ab", "ac", "ba", "bc", "cd", "de"]


def test_papers_outside_the_selection_have_no_edges(corpus):
    assert pairs(corpus, ["b", "d", "c"]) == ["bc", "cd"]


@pytest.mark.parametrize("share", [0.05, 0.15], ids=["test", "validation"])
def test_held_out_papers_lose_citations_in_both_directions(corpus, share):
    hold_out(corpus, "c", share)
    assert pairs(corpus, IDS, 0.1) == ["ab", "ba", "de"]
    assert len(pairs(corpus, IDS, 0)) == 6


def test_a_held_out_paper_keeps_its_features_through_sgc(corpus):
    hold_out(corpus, "c", 0.05)
    features = np.eye(5, dtype=np.float32)
    smoothed = sgc(features, citation_edges(corpus, IDS, 0.1), k=3)
    assert np.array_equal(smoothed[2], features[2])
    assert not np.delete(smoothed[:, 2], 2).any()


def test_a_graph_without_citations_has_no_edges(graph):
    load_papers(graph, [Paper("a", "A"), Paper("b", "B")], rejects=None)
    assert citation_edges(graph, ["a", "b"], 0).shape == (2, 0)


def test_a_smoothed_space_records_the_training_data_of_its_base():
    base = EmbeddingSpace(
        "base", "head", 2, "m", "minilm", "d1", holdout=0.2, learned_from=("co_read",)
    )
    record = smoothed_record(base, "sgc", 2, 0.1, "corpus")
    assert (record.kind, record.holdout, record.sees_edges) == ("sgc", 0.1, True)
    assert record.learned_from == ("citations", "co_read")
    assert (record.model, text_digest(record)) == ("m", "d1")
    assert text_digest(smoothed_record(record, "sgc2", 2, 0.1, "corpus")) == "d1"


def test_parts_of_earlier_vectors_are_not_smoothed(corpus, tmp_path):
    class Workers:
        storage = str(tmp_path)
        is_lost = True

        def map(self, work, tasks):
            if self.is_lost:
                raise KeyboardInterrupt
            return map(work.open(), tasks)

    base = EmbeddingSpace("base", "base", 5, "m", base="m", digest="d", learned_from=())
    workers, ids, rng = Workers(), sorted(IDS), np.random.default_rng(0)
    write_space(corpus, base, ids, rng.random((5, 5), np.float32))
    with pytest.raises(KeyboardInterrupt):
        smooth(corpus, "base", "sgc", steps=1, holdout=0, workers=workers)
    write_space(corpus, base, ids, rng.random((5, 5), np.float32))
    workers.is_lost = False
    with pytest.raises(InputError, match="made with another set of vectors"):
        smooth(corpus, "base", "sgc", steps=1, holdout=0, workers=workers)
