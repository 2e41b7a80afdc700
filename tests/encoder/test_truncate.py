"""Test Matryoshka vectors, which can be truncated."""

import numpy as np
import pytest

from specter_graph.core.errors import InputError, ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import BaseRecord
from specter_graph.encoder.recipe import FeatureSettings, FullSettings, HeadSettings
from specter_graph.encoder.static_model import load_base
from specter_graph.pipelines.export_model import export_model
from tests.encoder.small_corpus import validation_accuracy

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model_dir(base, papers, triplets, validation, tmp_path_factory):
    folder = tmp_path_factory.mktemp("head") / "model"
    settings = HeadSettings(
        dimension=24, base_share=0, matryoshka=[8], features=FeatureSettings(dimension=8), epochs=2,
        batch=32, learning_rate=1e-2,
    )  # fmt: skip
    job = TrainingJob(folder, triplets, validation)
    train_head(job, papers, base.encode, BaseRecord.of(base.folder), settings)
    return folder


def test_a_truncated_vector_is_the_normalized_beginning_of_the_full_one(model_dir, papers):
    complete = Encoder.load(model_dir)
    cut = complete.truncate(8)
    vectors = complete.encode(papers)[:, :8]
    expected = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(cut.encode(papers), expected, rtol=1e-5)
    assert (cut.dimension, cut.kind, cut.card.base_digest) == (8, "head", complete.card.base_digest)
    assert cut.digest not in (complete.digest, complete.truncate(9).digest)
    assert cut.encode_query("dwarf galaxy").shape == (8,)


def test_a_truncated_model_is_loaded_by_its_name(model_dir, papers, tmp_path):
    cut = Encoder.load(model_dir).truncate(8)
    again = Encoder.load(cut.name)
    assert (again.name, again.digest, again.dimension) == (f"{model_dir}#8", cut.digest, 8)
    assert Encoder.load(cut.name).truncate(24).digest == Encoder.load(model_dir).digest
    for dimension in (0, 25):
        with pytest.raises(ModelError, match=f"truncated to {dimension}"):
            Encoder.load(f"{model_dir}#{dimension}")
    with pytest.raises(ModelError, match="truncates its vectors"):
        export_model(cut.name, tmp_path / "out")


def test_vectors_of_a_base_without_normalization_are_truncated_only(tiny_bert, papers):
    encoder = Encoder.base(str(tiny_bert))
    np.testing.assert_array_equal(encoder.truncate(5).encode(papers), encoder.encode(papers)[:, :5])


def test_matryoshka_fine_tuning_improves_truncated_vectors(
    bert_without_dropout, papers, triplets, tmp_path
):
    base = load_base(str(bert_without_dropout))
    defaults = FullSettings(epochs=1, batch=16, micro_batch=16, learning_rate=2e-3)
    losses, accuracies = {}, {}
    for name, dimensions in {"whole": [], "cut": [4]}.items():
        scores = []
        for seed in range(3):  # with one seed, another processor could change the order
            settings = defaults.model_copy(update={"matryoshka": dimensions, "seed": seed})
            folder = tmp_path / f"{name}-{seed}"
            record = train_full(TrainingJob(folder, triplets), papers, base, settings)
            losses[name] = record.best.training_loss
            encoder = Encoder.load(folder).truncate(4)
            scores.append(validation_accuracy(encoder, papers, triplets))
        accuracies[name] = np.mean(scores)
    assert losses["cut"] > losses["whole"]
    assert accuracies["cut"] > accuracies["whole"]
    settings = defaults.model_copy(update={"matryoshka": [32]})
    with pytest.raises(ModelError, match="matryoshka"):
        train_full(TrainingJob(tmp_path / "no", triplets), papers, base, settings)


def test_an_encoder_is_shown_by_its_name_and_its_kind(tiny_bert):
    encoder = Encoder.load(tiny_bert)
    assert repr(encoder) == f"<Encoder {encoder.name!r}: base, {encoder.dimension} dimensions>"


def test_a_name_instead_of_a_model_is_an_error_that_names_load():
    with pytest.raises(InputError, match="'model' is a name, not a model") as caught:
        Encoder("model")
    assert caught.value.hint == "Encoder.load('model')"
