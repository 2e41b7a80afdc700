import json
import shutil

import numpy as np
import pytest

from specter_graph.core.errors import InputError, ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.model_dir import TrainingJob, locked_output
from specter_graph.encoder.model_record import BaseRecord, EpochMetrics, best_epoch, read_record
from specter_graph.encoder.recipe import FeatureSettings, HeadSettings
from specter_graph.encoder.static_model import load_base
from specter_graph.pipelines.export_model import export_model


@pytest.fixture
def base_folder(tiny_bert, tmp_path):
    return shutil.copytree(tiny_bert, tmp_path / "base")


@pytest.fixture
def model_dir(base_folder, tmp_path, papers, triplets):
    base = load_base(str(base_folder))
    settings = HeadSettings(dimension=8, features=FeatureSettings(dimension=4), epochs=1)
    folder = tmp_path / "model"
    job = TrainingJob(folder, triplets)
    train_head(job, papers, base.encode, BaseRecord.of(base.folder), settings)
    return folder


def test_the_record_states_how_the_model_was_trained(model_dir):
    record = json.loads((model_dir / "specter-graph.json").read_text())
    assert (record["format"], record["mode"], record["seed"]) == (1, "head", 0)
    assert record["triplets"]["queries"] == 64
    assert (record["triplets"]["triplets"], record["triplets"]["hard"]) == (320, 128)
    assert len(record["triplets"]["digest"]) == 64
    assert record["base"]["pooling"] == "cls"
    assert record["settings"]["features"]["dimension"] == 4
    assert {"torch", "transformers", "numpy"} <= set(record["versions"])


def test_who_can_read_the_record_can_read_the_weights(model_dir, tmp_path):
    export_model(str(model_dir), tmp_path / "export")
    for folder in (model_dir, tmp_path / "export"):
        files = [file for file in folder.rglob("*") if file.is_file()]
        assert len({file.stat().st_mode for file in files}) == 1


def test_the_processes_of_one_training_share_the_lock_of_its_output(tmp_path, monkeypatch):
    with locked_output(tmp_path / "new" / "model"):
        with pytest.raises(InputError, match="another run"), locked_output(tmp_path / "new/model"):
            pass
        monkeypatch.setenv("RANK", "1")
        with locked_output(tmp_path / "new" / "model"):
            pass
    assert list((tmp_path / "new").iterdir()) == []


def test_a_foreign_folder_is_a_clear_error(tmp_path):
    with pytest.raises(ModelError, match="has no Transformer"):
        Encoder.load(tmp_path)


@pytest.mark.parametrize("text", ["", "{}", '{"format": 2}'])
def test_a_damaged_record_is_a_clear_error(model_dir, text):
    (model_dir / "specter-graph.json").write_text(text)
    with pytest.raises(ModelError, match="is damaged, or of another version"):
        read_record(model_dir)


@pytest.mark.parametrize("name", ["head.safetensors", "features.json", "features.safetensors"])
def test_damaged_or_missing_files_are_a_clear_error(model_dir, name):
    (model_dir / name).write_bytes((model_dir / name).read_bytes()[:-3])
    with pytest.raises(ModelError, match="were changed after the training"):
        Encoder.load(model_dir)
    (model_dir / name).unlink()
    with pytest.raises(ModelError, match="were changed after the training"):
        Encoder.load(model_dir)


def test_a_base_that_moved_is_loaded_from_the_given_place(model_dir, base_folder, papers):
    vectors = Encoder.load(model_dir).encode(papers[:2])
    moved = base_folder.rename(base_folder.with_name("moved"))
    with pytest.raises(ModelError, match="base model of the head is missing"):
        Encoder.load(model_dir)
    again = Encoder.load(model_dir, base=str(moved)).encode(papers[:2])
    np.testing.assert_array_equal(again, vectors)


def test_another_base_is_refused(model_dir, base_folder):
    weights = base_folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    with pytest.raises(ModelError, match="not the one that the head was trained on"):
        Encoder.load(model_dir)


def test_base_vectors_must_fit(model_dir, papers):
    with pytest.raises(ModelError, match="base vectors of shape"):
        Encoder.load(model_dir).apply_head(papers[:2], np.ones((2, 5), np.float32))


def test_a_base_is_an_encoder_that_saw_no_edges(tiny_bert, papers):
    encoder = Encoder.base(str(tiny_bert))
    assert (encoder.kind, encoder.dimension, encoder.card.holdout) == ("base", 32, 0)
    assert encoder.digest == encoder.card.base_digest == load_base(str(tiny_bert)).folder.digest
    assert (encoder.card.trained_on, encoder.record) == ("", None)
    assert encoder.encode(papers[:2]).shape == (2, 32)


def test_the_best_epoch_has_the_highest_accuracy_then_the_lowest_loss():
    def epoch(number, accuracy, loss):
        return EpochMetrics(epoch=number, validation_accuracy=accuracy, validation_loss=loss)

    epochs = [epoch(0, 0.9, 0.1), epoch(1, 0.7, 0.2), epoch(2, 0.8, 0.4), epoch(3, 0.8, 0.3)]
    assert best_epoch(epochs).epoch == 3
    assert best_epoch([EpochMetrics(epoch=n) for n in range(3)]).epoch == 2
