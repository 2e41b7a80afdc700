"""Rerank searches and missing references with a tiny cross-encoder."""

import numpy as np
import pytest
from sentence_transformers import CrossEncoder
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from specter_graph import Encoder, InputError, LiteratureGraph, ModelError, Reranker
from specter_graph.loaders.records import Paper

pytestmark = pytest.mark.usefixtures("float32")

PAPERS = [
    Paper("p1", "neutrino mass", "in the halo", references=("p2", "p3")),
    Paper("p2", "quark jet", "the gluon of the neutrino"),
    Paper("p3", "neutrino flavor", references=("p2", "stub")),
    Paper("p4", "dark halo", "a brane and a neutrino", references=("p3", "stub")),
]


def write_cross_encoder(folder, base, labels=1):
    """Save a random cross-encoder with the tokenizer of a base."""
    tokenizer = AutoTokenizer.from_pretrained(base)
    tokenizer.save_pretrained(folder)
    config = BertConfig.from_pretrained(base, num_labels=labels)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tiny_bert, tmp_path_factory):
    return write_cross_encoder(tmp_path_factory.mktemp("cross") / "encoder", tiny_bert)


@pytest.fixture(scope="module")
def literature(fresh_graph, tiny_bert):
    literature = LiteratureGraph(fresh_graph.driver, fresh_graph.name)
    literature.load(PAPERS)
    literature.embed(Encoder.load(tiny_bert), "specter")
    fresh_graph.read("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    return literature


def texts_of(hits):
    papers = {paper.id: f"{paper.title}. {paper.abstract or ''}" for paper in PAPERS}
    return [papers[hit.id] for hit in hits]


def test_the_scores_are_those_of_the_library(model):
    pairs = [("neutrino", "quark jet"), ("neutrino", "neutrino mass")]
    expected = CrossEncoder(str(model)).predict(pairs)
    scores = Reranker(model).score("neutrino", [text for _, text in pairs])
    assert scores == pytest.approx(expected, abs=1e-5)
    assert Reranker(model).score("neutrino", []).shape == (0,)


def test_a_search_is_reranked(literature, model):
    hits = literature.search("the neutrino", rerank=model)
    scores = Reranker(model).score("the neutrino", texts_of(hits))
    assert [hit.score for hit in hits] == pytest.approx(scores.tolist(), abs=1e-5)
    assert np.all(np.diff(scores) <= 0)
    assert len(hits) == 4
    assert literature.search("the neutrino", k=1, rerank=model) == hits[:1]


def test_missing_references_are_reranked(literature, model):
    result = literature.missing_references("the neutrino", id="p4", rerank=model)
    scores = Reranker(model).score(
        "the neutrino dark halo. a brane and a neutrino", texts_of(result)
    )
    assert [hit.score for hit in result] == pytest.approx(scores.tolist(), abs=1e-5)
    assert np.all(np.diff(scores) <= 0)
    with pytest.raises(InputError, match="needs a text"):
        literature.missing_references(cites=["p2"], rerank=model)


def test_other_models_are_refused(tiny_bert, tmp_path):
    with pytest.raises(ModelError, match="2 labels"):
        Reranker(write_cross_encoder(tmp_path / "two", tiny_bert, 2)).score("a", ["b"])
    with pytest.raises(ModelError, match="no reranker"):
        Reranker(tmp_path / "none").score("a", ["b"])
    (tmp_path / "specter-graph.json").write_text("{}")
    with pytest.raises(ModelError, match="encodes papers"):
        Reranker(tmp_path)
