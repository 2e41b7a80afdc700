"""A cross-encoder is trained on triplets, and reranks."""

import json

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import load_file
from sentence_transformers import CrossEncoder

from specter_graph.core.errors import InputError, ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_files import RERANKER_FOLDER
from specter_graph.encoder.model_record import Provenance, read_record
from specter_graph.encoder.recipe import RerankerSettings, read_recipe
from specter_graph.encoder.reranker import Reranker
from specter_graph.encoder.reranker_training import train_reranker
from specter_graph.encoder.static_model import load_base

SETTINGS = RerankerSettings(layers=1, max_length=32, epochs=4, batch=8, learning_rate=2e-3)


def table(queries):
    """Return triplets where papers cite those on quarks, never on galaxies, for a tiny model."""
    rows = [(query, 4 * turn, 4 * turn + 1) for query in queries for turn in range(0, 20, 5)]
    names = [[f"p{number:02}" for number in column] for column in zip(*rows, strict=True)]
    columns = dict(zip(("query", "positive", "negative"), names, strict=True))
    return pa.table(columns | {"hard": [False] * len(rows)})


@pytest.fixture(scope="module")
def trained(tiny_bert, papers, tmp_path_factory):
    triplets, validation = table(range(2, 60)), table(range(62, 80))
    folder = tmp_path_factory.mktemp("trained") / "reranker"
    steps = []
    job = TrainingJob(
        folder,
        triplets,
        validation,
        Provenance(corpus="f" * 8, holdout=0.1),
        progress=lambda stage, done, total: steps.append((stage, done, total)),
    )
    record = train_reranker(job, papers, load_base(str(tiny_bert)), SETTINGS)
    assert steps[-1] == ("train", 4 * len(triplets) // 8, 4 * len(triplets) // 8)
    return folder, record


def test_a_reranker_learns_from_triplets(trained, papers):
    folder, record = trained
    before, after = record.epochs
    assert after.validation_accuracy > max(0.9, before.validation_accuracy)
    assert after.training_loss < 0.69  # ln 2: an equal chance
    assert record == read_record(folder)
    assert (record.mode, record.holdout, record.settings["layers"]) == ("reranker", 0.1, 1)
    assert not [*folder.parent.glob(".*")]
    scores = Reranker(folder).score(papers[64].passage, [papers[60].passage, papers[61].passage])
    assert scores[0] > scores[1]


def test_its_folder_is_a_cross_encoder_of_the_library(trained, papers, float32):
    folder, _ = trained
    config = json.loads((folder / RERANKER_FOLDER / "config.json").read_text())
    assert config["num_hidden_layers"] == 1
    theirs = CrossEncoder(str(folder / RERANKER_FOLDER), device="cpu")
    assert theirs.max_seq_length == 32
    texts = [paper.passage for paper in papers[:5]]
    expected = theirs.predict([("quark", text) for text in texts])
    assert Reranker(folder).score("quark", texts) == pytest.approx(expected, abs=1e-5)
    assert "reranker" in (folder / "README.md").read_text()


def test_a_reranker_encodes_no_papers(trained):
    with pytest.raises(ModelError, match="is a reranker"):
        Encoder.load(trained[0])


def test_the_recipe_changes_layers_but_has_no_loss():
    recipe = read_recipe("reranker")
    assert recipe.changed({"layers": 2}).training.layers == 2
    with pytest.raises(InputError, match=r"training\.loss"):
        recipe.changed({"loss": "triplet"})


def test_two_trainings_with_one_seed_give_the_same_model(tiny_bert, papers, tmp_path):
    base = load_base(str(tiny_bert))
    triplets = table(range(2, 60)).slice(0, 10)
    settings = SETTINGS.model_copy(update={"epochs": 1})
    weights = []
    for name in ("first", "second"):
        train_reranker(TrainingJob(tmp_path / name, triplets), papers, base, settings)
        file = tmp_path / name / RERANKER_FOLDER / "model.safetensors"
        weights.append(file.read_bytes())
        *_, last = (tmp_path / name / "training.csv").read_text().splitlines()
        assert last.startswith("2,")  # the second step has the last two triplets
    assert weights[0] == weights[1]


def test_a_training_of_one_step_learns(tiny_bert, papers, tmp_path):
    base, triplets = load_base(str(tiny_bert)), table(range(2, 60)).slice(0, SETTINGS.batch)
    weights = []
    for rate in (1e-9, 2e-3):
        settings = SETTINGS.model_copy(update={"epochs": 1, "learning_rate": rate})
        folder = tmp_path / str(rate)
        train_reranker(TrainingJob(folder, triplets), papers, base, settings)
        weights.append(load_file(folder / RERANKER_FOLDER / "model.safetensors"))
    assert any(np.abs(weights[1][name] - weights[0][name]).max() > 1e-4 for name in weights[0])


def test_the_record_counts_the_triplets_that_were_used(tiny_bert, papers, tmp_path, monkeypatch):
    monkeypatch.setattr("specter_graph.encoder.reranker_training.MAX_VALIDATION", 2)
    base, triplets = load_base(str(tiny_bert)), table(range(2, 60))
    settings = SETTINGS.model_copy(update={"epochs": 1, "max_triplets": 4})
    job = TrainingJob(tmp_path / "out", triplets, triplets)
    record = train_reranker(job, papers, base, settings)
    assert (record.triplets.triplets, record.validation.triplets) == (4, 2)
    assert record.triplets.queries <= 4


def test_layers_beyond_those_of_the_base_are_refused(tiny_bert, papers, tmp_path):
    base = load_base(str(tiny_bert))
    settings = SETTINGS.model_copy(update={"layers": 3})
    job = TrainingJob(tmp_path / "out", table(range(9)))
    with pytest.raises(ModelError, match="has 2 layers, not 3"):
        train_reranker(job, papers, base, settings)
    assert not [*tmp_path.iterdir()]
