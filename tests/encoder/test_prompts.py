"""Test prompts before papers and queries: in encoders, trained models and exports."""

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

from specter_graph.core.encoder_card import NO_PROMPTS, Prompts
from specter_graph.core.errors import InputError, ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import BaseRecord, Provenance
from specter_graph.encoder.recipe import FullSettings, HeadSettings
from specter_graph.encoder.static_model import load_base
from specter_graph.encoder.text_encoder import TextEncoder
from specter_graph.loaders.records import PaperText
from specter_graph.pipelines.export_model import export_model

PAPERS = [PaperText("1", "neutrino mass", "in the halo"), PaperText("2", "quark jet", None)]
PROMPTS = Prompts("the ", "of the ")
PROVENANCE = Provenance(corpus="f" * 8, holdout=0.1)


@pytest.fixture(scope="module")
def prompted(tiny_bert, tmp_path_factory):
    """Return a folder with prompts in the format of sentence-transformers."""
    folder = tmp_path_factory.mktemp("prompted") / "model"
    modules = [Transformer(str(tiny_bert)), Pooling(32, pooling_mode="cls")]
    prompts = {"query": PROMPTS.query, "document": PROMPTS.document}
    model = SentenceTransformer(modules=modules, device="cpu", prompts=prompts)
    model.save(str(folder), create_model_card=False)
    return folder


@pytest.mark.parametrize(
    ("texts", "default", "prompts"),
    [
        ({"query": "q: ", "passage": "p: "}, None, Prompts("p: ", "q: ")),
        ({"query": "q: ", "document": "", "passage": "p: "}, None, Prompts("p: ", "q: ")),
        ({"query": "q: ", "document": ""}, None, Prompts("", "q: ")),
        ({"query": "q: ", "all": "a: "}, "all", Prompts("a: ", "q: ")),
        ({}, None, NO_PROMPTS),
        ({"query": None}, "missing", NO_PROMPTS),
    ],
)
def test_prompts_are_chosen_by_name(texts, default, prompts):
    assert Prompts.of(texts, default) == prompts


def test_the_prompts_of_a_folder_precede_papers_and_queries(prompted, tiny_bert, float32):
    encoder, plain = Encoder.load(prompted), Encoder.load(tiny_bert)
    assert encoder.prompts == encoder.card.prompts == PROMPTS
    assert np.array_equal(encoder.encode(["jet"]), plain.encode(["the jet"]))
    assert np.array_equal(encoder.encode_query(["jet"]), plain.model.encode(["of the jet"]))
    assert np.array_equal(encoder.encode_query(["jet"])[0], encoder.encode_query("jet"))
    assert np.array_equal(plain.encode_query("jet"), plain.encode(["jet"])[0])
    theirs = SentenceTransformer(str(prompted), device="cpu")
    assert theirs.encode_query(["jet"]) == pytest.approx(encoder.encode_query(["jet"]), abs=1e-5)
    assert theirs.encode_document(["jet[SEP]"]) == pytest.approx(encoder.encode(["jet"]), abs=1e-5)


def test_only_the_prompt_of_papers_changes_the_digest(prompted):
    encoder = Encoder.load(prompted)
    assert Encoder.load(prompted, query_prompt="query: ").digest == encoder.digest
    plain = Encoder.load(prompted, document_prompt="")
    assert plain.digest != encoder.digest
    assert plain.prompts == Prompts("", PROMPTS.query)


def test_a_head_keeps_the_prompts_of_its_base(prompted, papers, triplets, validation, tmp_path):
    base = load_base(str(prompted))
    settings = HeadSettings(dimension=16, features=None, distillation=None, epochs=1)
    job = TrainingJob(tmp_path / "head", triplets, validation, PROVENANCE)
    train_head(job, papers, base.encode, BaseRecord.of(base.folder), settings)
    encoder = Encoder.load(tmp_path / "head")
    assert encoder.prompts == PROMPTS
    assert Encoder.load(tmp_path / "head", query_prompt="in ").prompts == Prompts("the ", "in ")
    with pytest.raises(ModelError, match="trained with the prompt 'the '"):
        Encoder.load(tmp_path / "head", document_prompt="")


@pytest.mark.slow
def test_an_exported_model_has_the_prompts(prompted, papers, triplets, tmp_path, float32):
    settings = FullSettings(epochs=1, batch=64, micro_batch=64)
    base = load_base(str(prompted))
    job = TrainingJob(tmp_path / "full", triplets, provenance=PROVENANCE)
    train_full(job, papers, base, settings)
    encoder = Encoder.load(tmp_path / "full")
    assert encoder.prompts == PROMPTS
    export_model(str(tmp_path / "full"), tmp_path / "exported")
    theirs = SentenceTransformer(str(tmp_path / "exported"), device="cpu")
    queries = ["dwarf galaxy", "string"]
    assert theirs.encode_query(queries) == pytest.approx(encoder.encode_query(queries), abs=1e-5)
    assert theirs.encode(["jet[SEP]"]) == pytest.approx(encoder.encode(["jet"]), abs=1e-5)


def test_a_sentence_transformer_encodes_papers(prompted, float32):
    model = SentenceTransformer(str(prompted), device="cpu")
    encoder, ours = TextEncoder(model), Encoder.load(prompted)
    assert encoder.card.prompts == PROMPTS
    assert (encoder.card.name, encoder.card.dimension) == ("", 32)
    assert encoder.encode(PAPERS) == pytest.approx(ours.encode(PAPERS), abs=1e-5)
    assert encoder.encode_query(["jet"]) == pytest.approx(ours.encode_query(["jet"]), abs=1e-5)
    same = SentenceTransformer(str(prompted), device="cpu")
    assert TextEncoder(same).card.digest == encoder.card.digest
    same[1].pooling_mode = "mean"
    assert TextEncoder(same).card.digest != encoder.card.digest


class Lengths:
    """Encoder without PyTorch that embeds a text by its length."""

    def __init__(self, factor=1):
        self.factor = factor

    def encode(self, texts):
        return [[len(text), self.factor * text.count("a")] for text in texts]


def test_an_object_with_encode_is_an_encoder():
    encoder = TextEncoder(Lengths())
    assert encoder.encode(PAPERS).tolist() == [[25, 2], [10, 1]]
    assert encoder.encode_query(["ab"]).tolist() == [[2, 1]]
    assert encoder.card.digest == TextEncoder(Lengths()).card.digest
    assert encoder.card.digest != TextEncoder(Lengths(3)).card.digest


def test_other_objects_are_refused():
    with pytest.raises(InputError, match="a dict is not an encoder"):
        TextEncoder({})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Lengths is a class, not an encoder") as caught:
        TextEncoder(Lengths)  # type: ignore[arg-type]
    assert caught.value.hint == "give an object: Lengths()"
    with pytest.raises(ModelError, match=r"shape \(3,\) for 3 texts"):
        _ = TextEncoder(type("Flat", (), {"encode": lambda self, texts: [1] * len(texts)})()).card


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([["a"]] * 3, "did not return an array of numbers"),
        ([[1.0], [1.0, 2.0], [1.0]], "did not return an array of numbers"),
        (None, r"shape \(\) for 3 texts"),
        (np.ones((3, 0)), r"shape \(3, 0\) for 3 texts"),
    ],
)
def test_a_model_that_returns_no_vectors_is_an_error(returned, message):
    model = type("Odd", (), {"encode": lambda self, texts: returned})()
    with pytest.raises(ModelError, match=message):
        _ = TextEncoder(model).card


def test_a_model_whose_dimension_changes_is_an_error():
    encoder = TextEncoder(Lengths())
    assert encoder.card.dimension == 2
    encoder.model = type("Wide", (), {"encode": lambda self, texts: np.ones((len(texts), 3))})()
    with pytest.raises(ModelError, match=r"shape \(2, 3\) for 2 texts") as caught:
        encoder.encode(PAPERS)
    assert "(n, 2)" in (caught.value.hint or "")
