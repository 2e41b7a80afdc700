"""Spaces store the prompts of their encoder, and searches use them."""

import threading

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from specter_graph import Encoder, InputError, LiteratureGraph
from specter_graph.encoder import device
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.loaders.records import Paper

PAPERS = [Paper("p1", "neutrino mass", "in the halo"), Paper("p2", "quark jet", references=("p1",))]


class Recorder:
    """Encoder that embeds texts by their first letters and records them."""

    def __init__(self):
        self.documents, self.queries = [], []

    def encode(self, texts):
        return np.array([[ord(text[:1] or " "), 1] for text in texts])

    def encode_document(self, texts):
        self.documents += texts
        return self.encode(texts)

    def encode_query(self, texts):
        self.queries += texts
        return self.encode(texts)


@pytest.fixture
def literature(graph):
    literature = LiteratureGraph(graph.driver, graph.name)
    literature.load(PAPERS)
    return literature


def test_texts_are_embedded_while_the_fastest_precision_is_chosen(
    literature, tiny_bert, monkeypatch
):
    literature.embed(Encoder.load(tiny_bert), "base")
    opened = LiteratureGraph(literature.database.driver, literature.database.name)
    opened.spaces.fast_texts = True
    monkeypatch.setattr("specter_graph.encoder.device.fast_precisions", lambda _: ("int8",))
    monkeypatch.setattr("specter_graph.encoder.device._MIN_SPEEDUP", 0)
    may_compare = threading.Event()
    compare = device.benchmark
    monkeypatch.setattr(
        device,
        "benchmark",
        lambda *args, **options: may_compare.wait(60) and compare(*args, **options),
    )
    exact = opened.spaces.embed_text("the quark jet", "base")
    assert opened.spaces.encoder_of("base").model.used == "float32"
    may_compare.set()
    for thread in threading.enumerate():
        if thread.name == "choose precision":
            thread.join()
    vector = opened.spaces.embed_text("the quark jet", "base")
    assert opened.spaces.encoder_of("base").model.used == "int8"
    assert vector @ exact > 0.99 * np.linalg.norm(vector) * np.linalg.norm(exact)
    assert vector.tolist() != exact.tolist()


def test_the_prompts_of_a_space_are_stored_and_used(literature, tiny_bert):
    encoder = Encoder.load(tiny_bert, document_prompt="the ", query_prompt="of the ")
    literature.embed(encoder, "e5")
    record = literature.spaces.get("e5")
    assert (record.document_prompt, record.query_prompt) == ("the ", "of the ")
    again = LiteratureGraph(literature.database.driver, literature.database.name)
    assert again.spaces.open_encoder("e5").prompts == encoder.prompts
    [expected] = Encoder.load(tiny_bert).model.encode(["of the quark"])
    assert again.spaces.embed_text("quark", "e5") == pytest.approx(expected, abs=1e-6)
    literature.sgc("e5", output_space="sgc")
    assert again.spaces.embed_text("quark", "sgc") == pytest.approx(expected, abs=1e-6)
    _, vectors = read_vectors(literature.database, "e5", ["p2"])
    plain = Encoder.load(tiny_bert).encode(["the quark jet"])
    assert vectors == pytest.approx(plain, abs=0.05)


def test_the_model_of_a_space_keeps_its_prompts(literature, tiny_bert):
    literature.embed(Encoder.load(tiny_bert, document_prompt="the "), "e5")
    encoder = literature.spaces.open_encoder("e5", model=str(tiny_bert), query_prompt="of ")
    assert (encoder.prompts.document, encoder.prompts.query) == ("the ", "of ")
    assert literature.spaces.open_encoder("other", model=str(tiny_bert)).prompts.document == ""


def test_another_query_prompt_embeds_no_paper_again(literature, tiny_bert):
    literature.embed(Encoder.load(tiny_bert, query_prompt="a "), "e5")
    summary = literature.embed(Encoder.load(tiny_bert, query_prompt="b "), "e5")
    assert (summary.embedded, literature.spaces.get("e5").query_prompt) == (0, "b ")
    summary = literature.embed(Encoder.load(tiny_bert, document_prompt="the "), "e5")
    assert (summary.embedded, summary.replaced) == (2, True)


def test_any_object_with_encode_makes_a_space(literature):
    model = Recorder()
    literature.embed(model, "letters")
    assert "quark jet " in model.documents
    hits = literature.search("quarks", space="letters", mode="vector")
    assert hits[0].id == "p2"
    literature.missing_references("neutrinos", space="letters")
    assert model.queries == ["quarks", "neutrinos"]
    assert literature.embed(Recorder(), "letters").embedded == 0


def test_a_space_embedded_by_a_model_object_needs_the_object_in_a_new_graph(literature, tiny_bert):
    model = SentenceTransformer(str(tiny_bert), device="cpu")
    literature.embed(model, "sentences")
    again = LiteratureGraph(literature.database.driver, literature.database.name)
    with pytest.raises(InputError, match="no model that embeds texts"):
        again.search("quark", space="sentences")
    again.spaces.register(model)
    assert again.search("quark", space="sentences")


def test_a_path_names_an_encoder(literature, tiny_bert):
    assert literature.embed(tiny_bert, "tiny").embedded == 2
    assert literature.spaces.get("tiny").model == str(tiny_bert)
