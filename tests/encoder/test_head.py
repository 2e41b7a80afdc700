import errno
import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from specter_graph.core.errors import InputError, ModelError
from specter_graph.encoder import head_training
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.head import TextFeatures
from specter_graph.encoder.head_training import HeadTrainer, train_head
from specter_graph.encoder.model_dir import TrainingJob, check_output
from specter_graph.encoder.model_record import BaseRecord, Provenance
from specter_graph.encoder.recipe import FeatureSettings, HeadSettings
from specter_graph.encoder.triplets import PaperRows, store_triplets
from specter_graph.loaders.records import PaperText
from tests.encoder.small_corpus import KilledError, kill_at, validation_accuracy

SETTINGS = HeadSettings(
    base_share=0,
    dimension=16,
    features=FeatureSettings(dimension=8),
    epochs=4,
    batch=32,
    learning_rate=1e-2,
)
PROVENANCE = Provenance(corpus="f" * 8, holdout=0.1)


@pytest.fixture(scope="module")
def base_vectors(base, papers):
    return base.encode(papers)


@pytest.fixture
def train(base, base_vectors, papers, triplets, validation):
    def run(output, settings=SETTINGS, *, held=validation, learned=triplets, **options):
        job = TrainingJob(output, learned, held, PROVENANCE, **options)
        vector_of = dict(zip([paper.id for paper in papers], base_vectors, strict=True))
        return train_head(
            job,
            papers,
            lambda texts: np.stack([vector_of[text.id] for text in texts]),
            BaseRecord.of(base.folder),
            settings,
        )

    return run


@pytest.mark.parametrize("loss", ["contrastive", "triplet"])
def test_a_head_learns_from_triplets(train, tmp_path, loss):
    record = train(tmp_path / "model", SETTINGS.model_copy(update={"loss": loss}))
    before, after = record.epochs[0], record.best
    assert [epoch.epoch for epoch in record.epochs] == [0, 1, 2, 3, 4]
    assert after.validation_accuracy > before.validation_accuracy
    assert after.validation_loss < before.validation_loss
    assert after.validation_accuracy > 0.8
    assert after.validation_accuracy == max(e.validation_accuracy for e in record.epochs[1:])


def test_an_epoch_reads_a_limited_number_of_triplets(train, tmp_path):
    done = []
    settings = SETTINGS.model_copy(update={"epochs": 2, "epoch_triplets": 70})
    train(
        tmp_path / "model",
        settings,
        progress=lambda stage, seen, total: done.append((seen, total)) if stage == "train" else 0,
    )
    assert done == [(32, 140), (64, 140), (70, 140), (102, 140), (134, 140), (140, 140)]


@pytest.mark.parametrize(
    "other",
    [{"symmetric": True}, {"random_negatives": 32}, {"matryoshka": [4, 8]}],
    ids=["symmetric", "random negatives", "matryoshka"],
)
def test_other_losses_learn_too_and_resume(train, tmp_path, other):
    settings = SETTINGS.model_copy(update=other)
    expected = train(tmp_path / "whole", settings)
    assert expected.best.validation_accuracy > 0.8
    assert expected.digest != train(tmp_path / "plain", SETTINGS).digest
    with pytest.raises(KilledError):
        train(tmp_path / "model", settings, progress=kill_at(320 + 32))
    assert train(tmp_path / "model", settings, resume=True).digest == expected.digest


def test_random_negatives_are_candidates_of_all_rows(base_vectors, papers, triplets, tmp_path):
    """The citations of a row's query, and the query itself, are not its negatives."""
    rows = store_triplets(tmp_path, triplets, PaperRows.of(papers))
    settings = SETTINGS.model_copy(update={"distillation": None})
    trainer = HeadTrainer(base_vectors, rows, None, settings)
    batch, others = np.arange(8), np.array([1, 4, 77])
    query, positive, negative = rows.query[batch], rows.positive[batch], rows.negative[batch]
    candidates = np.concatenate([positive, negative, others])
    known = set(zip(rows.query.tolist(), rows.positive.tolist(), strict=True))
    weight = trainer.weight.detach().numpy()
    unit = base_vectors @ weight
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    losses = []
    for row, q in enumerate(query):
        scores = [
            np.exp(unit[q] @ unit[c] / settings.temperature)
            for place, c in enumerate(candidates)
            if place == row or not (q == c or (q, c) in known or (c, q) in known)
        ]
        own = np.exp(unit[q] @ unit[positive[row]] / settings.temperature)
        losses.append(-np.log(own / sum(scores)))
    loss = trainer.loss(trainer.weight, rows, batch, trainer.known, others)
    assert loss.item() == pytest.approx(np.mean(losses), rel=1e-4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"loss": "triplet", "symmetric": True},
        {"loss": "triplet", "random_negatives": 1},
        {"matryoshka": [512]},
        {"matryoshka": [64, 64]},
        {"matryoshka": [0]},
    ],
)
def test_incompatible_settings_are_refused(wrong):
    """512 of the 768 dimensions are learned from triplets: no truncation can be longer."""
    with pytest.raises(ValueError, match=r"contrastive loss|matryoshka"):
        HeadSettings(**wrong)


def test_a_model_dir_is_loaded_as_it_was_trained(train, tmp_path, base, base_vectors, papers):
    record = train(tmp_path / "model")
    encoder = Encoder.load(tmp_path / "model")
    vectors = encoder.encode(papers)
    assert encoder.record == record
    assert (encoder.kind, encoder.dimension, vectors.shape) == ("head", 16, (80, 16))
    assert (encoder.card.holdout, encoder.card.trained_on) == (
        PROVENANCE.holdout,
        PROVENANCE.corpus,
    )
    assert (encoder.digest, encoder.card.base_digest) == (record.digest, base.folder.digest)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(encoder.apply_head(papers, base_vectors), vectors)
    assert encoder.encode_query("dwarf galaxy").shape == (16,)
    assert np.array_equal(encoder.encode("dwarf galaxy"), encoder.encode(["dwarf galaxy"])[0])
    wrong = base_vectors.copy()
    wrong[3, 5] = np.nan
    with pytest.raises(InputError, match="row 3 of `base_vectors` has a NaN"):
        encoder.apply_head(papers, wrong)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("distilled", [True, False])
def test_the_reported_accuracy_is_that_of_the_loaded_model(
    train, tmp_path, papers, validation, distilled
):
    settings = SETTINGS if distilled else SETTINGS.model_copy(update={"distillation": None})
    record = train(tmp_path / "model", settings)
    measured = validation_accuracy(Encoder.load(tmp_path / "model"), papers, validation)
    accuracy = record.distilled if distilled else record.best.validation_accuracy
    assert accuracy == pytest.approx(measured)
    assert record.dimension == 16


def test_training_is_deterministic_under_the_seed(train, tmp_path):
    first, again = train(tmp_path / "a"), train(tmp_path / "b")
    other = train(tmp_path / "c", SETTINGS.model_copy(update={"seed": 1}))
    assert first.digest == again.digest
    assert first.epochs == again.epochs
    assert other.digest != first.digest


def test_the_same_call_finishes_a_killed_training_with_the_same_inputs(train, tmp_path):
    expected = train(tmp_path / "whole")
    with pytest.raises(KilledError):
        train(tmp_path / "model", progress=kill_at(2 * 320 + 32))
    assert not (tmp_path / "model").exists()
    calls = []
    resumed = train(tmp_path / "model", progress=lambda *call: calls.append(call[:2]))
    assert resumed.digest == expected.digest
    assert resumed.epochs == expected.epochs
    assert "inputs" not in {stage for stage, _ in calls}


@pytest.mark.parametrize(
    "name", ["training.json", "features.json", "features.safetensors", "inputs.npy"]
)
def test_a_damaged_file_of_a_killed_training_is_replaced(train, tmp_path, name):
    with pytest.raises(KilledError):
        train(tmp_path / "model", progress=kill_at(32))
    file = tmp_path / ".model.training" / name
    file.write_bytes(file.read_bytes()[:9])
    if name == "training.json":
        with pytest.raises(ModelError, match="are damaged"):
            train(tmp_path / "model", resume=True)
    assert train(tmp_path / "model").digest == train(tmp_path / "whole").digest


def test_another_training_is_not_resumed(train, tmp_path, triplets):
    with pytest.raises(KilledError):
        train(tmp_path / "model", progress=kill_at(320 + 32))
    with pytest.raises(ModelError, match="another base, settings or triplets"):
        train(tmp_path / "model", resume=True, learned=triplets.slice(5))
    with pytest.raises(ModelError, match="another base, settings or triplets"):
        train(tmp_path / "model", SETTINGS.model_copy(update={"margin": 0.5}), resume=True)
    stages = []
    other = train(
        tmp_path / "model",
        learned=triplets.slice(5),
        progress=lambda stage, done, total: stages.append(stage),
    )
    assert stages[0] == "remove the checkpoints of a training with other settings"
    assert other.digest == train(tmp_path / "fresh", learned=triplets.slice(5)).digest


def test_without_validation_the_last_epoch_is_saved(train, tmp_path):
    record = train(tmp_path / "model", held=None)
    assert record.best_epoch == 4
    assert record.validation is None
    assert record.best.validation_accuracy is None


def test_a_head_without_features(train, tmp_path, papers):
    train(tmp_path / "model", SETTINGS.model_copy(update={"features": None}))
    assert Encoder.load(tmp_path / "model").encode(papers[:3]).shape == (3, 16)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "README.md",
        "head.safetensors",
        "specter-graph.json",
        "training.csv",
        "training.svg",
    ]


def test_a_model_is_replaced_but_no_other_folder(train, tmp_path):
    train(tmp_path / "model")
    train(tmp_path / "model")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ModelError, match="exists and is not a model directory"):
        train(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_a_folder_that_cannot_be_written_is_an_error_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda folder, mode: Path(folder) != tmp_path)
    for output in (tmp_path / "model", tmp_path / "new" / "model"):
        with pytest.raises(InputError, match=f"{output} cannot be written: no permission"):
            check_output(output)


def test_a_training_without_triplets_is_a_clear_error(train, tmp_path):
    nothing = pa.table(
        {"query": [], "positive": [], "negative": [], "hard": pa.array([], pa.bool_())}
    )
    with pytest.raises(ModelError, match="no triplets to train on") as caught:
        train(tmp_path / "model", learned=nothing)
    assert "triplets.source" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


class Streamed:
    """Iterable that yields the papers of its first reading, then those of the later readings."""

    def __init__(self, papers, later=None):
        self.readings = [papers]
        self.later = papers if later is None else later

    def __iter__(self):
        return iter(self.readings.pop() if self.readings else self.later)


@pytest.fixture
def train_streamed(base, triplets, validation):
    def run(output, texts, settings=SETTINGS):
        job = TrainingJob(output, triplets, validation, PROVENANCE)
        return train_head(job, texts, base.encode, BaseRecord.of(base.folder), settings)

    return run


def test_texts_and_base_vectors_are_read_a_batch_at_a_time(
    train_streamed, tmp_path, papers, monkeypatch
):
    in_memory = train_streamed(tmp_path / "in memory", papers)
    monkeypatch.setattr(head_training, "_BATCH", 7)
    came_in = [*papers[:40], PaperText("new", "a new paper"), *papers[40:]]
    streamed = train_streamed(tmp_path / "streamed", Streamed(papers, came_in))
    assert streamed.best.validation_accuracy == pytest.approx(in_memory.best.validation_accuracy)
    assert streamed.epochs[-1].training_loss == pytest.approx(
        in_memory.epochs[-1].training_loss, rel=1e-3
    )


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="cannot reserve disk space")
def test_a_full_disk_stops_a_training_with_an_error_and_it_continues_later(
    train_streamed, tmp_path, papers, monkeypatch
):
    def is_full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    output = tmp_path / "model"
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", is_full)
        with pytest.raises(InputError, match=r"the disk of .*inputs.* is full"):
            train_streamed(output, papers)
    with monkeypatch.context() as patch:
        patch.setattr(head_training, "describe_model", is_full)
        with pytest.raises(InputError, match=rf"the disk of {output} is full"):
            train_streamed(output, papers)
    assert [path.name for path in tmp_path.iterdir()] == [".model.training"]
    train_streamed(output, papers)
    assert [*tmp_path.iterdir()] == [output]


def test_a_paper_that_is_deleted_during_training_is_a_clear_error(train_streamed, tmp_path, papers):
    with pytest.raises(ModelError, match="1 paper was deleted during the training"):
        train_streamed(tmp_path / "model", Streamed(papers, papers[1:]))


def test_word_features_have_no_word_of_papers_that_are_in_no_triplet(
    train_streamed, tmp_path, papers
):
    others = [PaperText(f"x{n}", "zirconium quark", "held out") for n in range(9)]
    train_streamed(tmp_path / "model", [*papers, *others])
    terms = json.loads((tmp_path / "model" / "features.json").read_text())
    assert "quark" in terms
    assert "zirconium" not in terms


def test_word_features_are_fitted_on_some_papers_of_a_large_corpus(
    train_streamed, tmp_path, papers, monkeypatch
):
    fitted = []
    fit = TextFeatures.fit
    monkeypatch.setattr(head_training, "MAX_FITTED", 30)
    monkeypatch.setattr(
        TextFeatures, "fit", lambda features, *rest: fitted.append(features) or fit(features, *rest)
    )
    one, other = (train_streamed(tmp_path / name, papers).digest for name in ("one", "other"))
    assert [len(features) for features in fitted] == [30, 30]
    assert one == other
