import os
import shutil

import numpy as np
import pytest
from transformers import TrainerState

from specter_graph.core.errors import ModelError
from specter_graph.encoder import finetune
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import Provenance
from specter_graph.encoder.recipe import FullSettings
from specter_graph.encoder.static_model import load_base
from tests.encoder.small_corpus import KilledError, kill_at, validation_accuracy

pytestmark = pytest.mark.slow

SETTINGS = FullSettings(epochs=2, batch=16, micro_batch=8, learning_rate=2e-3)
PROVENANCE = Provenance(corpus="f" * 8, holdout=0.1)


@pytest.fixture
def train(tiny_bert, papers, triplets, validation):
    def run(
        output,
        settings=SETTINGS,
        *,
        base=tiny_bert,
        held=validation,
        learned=triplets,
        provenance=PROVENANCE,
        **options,
    ):
        job = TrainingJob(output, learned, held, provenance, **options)
        return train_full(job, papers, load_base(str(base)), settings)

    return run


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory, tiny_bert, papers, triplets, validation):
    """Return the record of an uninterrupted training."""
    output = tmp_path_factory.mktemp("uninterrupted") / "model"
    job = TrainingJob(output, triplets, validation, PROVENANCE)
    return train_full(job, papers, load_base(str(tiny_bert)), SETTINGS)


def test_nothing_is_printed(train, tmp_path, triplets, capfd):
    train(tmp_path / "model", SETTINGS, learned=triplets.slice(0, 32))
    assert capfd.readouterr() == ("", "")


def test_fine_tuning_learns_and_is_loaded_as_it_was_trained(
    train, tmp_path, tiny_bert, papers, validation
):
    steps = []
    patient = FullSettings(epochs=4, batch=8, micro_batch=8, learning_rate=2e-3)
    record = train(tmp_path / "model", patient, progress=lambda *call: steps.append(call))
    encoder = Encoder.load(tmp_path / "model")
    vectors = encoder.encode(papers)
    assert [epoch.epoch for epoch in record.epochs] == [0, 1, 2, 3, 4]
    assert record.best.validation_accuracy > record.epochs[0].validation_accuracy + 0.1
    assert record.best.validation_accuracy == pytest.approx(
        validation_accuracy(encoder, papers, validation), abs=0.001
    )
    assert record.epochs[4].training_loss < record.epochs[1].training_loss
    assert (encoder.kind, encoder.dimension, encoder.card.holdout) == (
        "full",
        32,
        PROVENANCE.holdout,
    )
    assert encoder.digest == record.digest != encoder.card.base_digest
    assert encoder.card.base_digest == load_base(str(tiny_bert)).folder.digest
    assert not np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert steps[-1] == ("train", 160, 160)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("kind", ["cosine", "dot", "squared_l2"])
def test_a_loss_with_another_distance_decreases(train, tmp_path, kind):
    settings = FullSettings(
        epochs=4, batch=8, micro_batch=8, learning_rate=1e-3, distance=kind, margin=0.5
    )
    record = train(tmp_path / "model", settings)
    assert record.epochs[4].training_loss < record.epochs[1].training_loss
    assert record.best.validation_loss < record.epochs[0].validation_loss


@pytest.mark.usefixtures("float32")
def test_sentence_transformers_loads_the_transformer(train, tmp_path, papers, triplets):
    from sentence_transformers import SentenceTransformer

    once = SETTINGS.model_copy(update={"epochs": 1})
    train(tmp_path / "model", once, learned=triplets.slice(0, 64))
    other = SentenceTransformer(str(tmp_path / "model" / "transformer"))
    texts = [f"{paper.title}[SEP]{paper.abstract or ''}" for paper in papers[:3]]
    ours = Encoder.load(tmp_path / "model").encode(papers[:3])
    np.testing.assert_allclose(other.encode(texts), ours, atol=1e-4)


def test_the_same_call_continues_a_killed_fine_tuning(train, tmp_path, uninterrupted):
    with pytest.raises(KilledError):
        train(tmp_path / "model", progress=kill_at(25))
    assert not (tmp_path / "model").exists()
    steps = []
    resumed = train(tmp_path / "model", progress=lambda _, done, __: steps.append(done))
    assert steps[0] == 21
    assert resumed.digest == uninterrupted.digest
    assert resumed.epochs == uninterrupted.epochs


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory, tiny_bert, papers, triplets, validation):
    """Train `model` in a folder until all checkpoints are written; return it and a copy of it."""

    def kill(output):
        raise KilledError

    folder = tmp_path_factory.mktemp("killed")
    job = TrainingJob(folder / "model", triplets, validation, PROVENANCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finetune, "new_model_dir", kill)
        with pytest.raises(KilledError):
            train_full(job, papers, load_base(str(tiny_bert)), SETTINGS)
    return folder, shutil.copytree(folder, tmp_path_factory.mktemp("copy") / "killed")


@pytest.fixture
def killed_at_the_end(checkpoints):
    """Return the folder of `checkpoints` as it was after the kill: its files name its path."""
    folder, copy = checkpoints
    shutil.rmtree(folder)
    return shutil.copytree(copy, folder)


def test_a_kill_after_the_last_checkpoint_changes_nothing(train, killed_at_the_end, uninterrupted):
    (killed_at_the_end / ".model.training" / "train" / "transformer" / ".tmp").write_text(
        "half a file"
    )
    steps = []
    resumed = train(killed_at_the_end / "model", progress=lambda _, done, __: steps.append(done))
    assert not steps
    assert not (killed_at_the_end / "model" / "transformer" / ".tmp").exists()
    assert resumed.digest == uninterrupted.digest


def test_checkpoints_are_written_within_an_epoch_too(train, tmp_path, triplets):
    often = SETTINGS.model_copy(update={"checkpoint_minutes": 1e-9, "epochs": 1})
    some = triplets.slice(0, 96)
    with pytest.raises(KilledError):
        train(tmp_path / "model", often, learned=some, progress=kill_at(4))
    steps = []
    train(
        tmp_path / "model",
        often,
        learned=some,
        resume=True,
        progress=lambda _, done, __: steps.append(done),
    )
    assert steps == [4, 5, 6]


def test_a_kill_while_a_checkpoint_is_saved_keeps_the_previous_one(
    train, tmp_path, monkeypatch, uninterrupted
):
    save = TrainerState.save_to_json

    def kill_in_the_second(state, path):
        if state.epoch == 2:
            raise KilledError
        save(state, path)

    with monkeypatch.context() as patch:
        patch.setattr(TrainerState, "save_to_json", kill_in_the_second)
        with pytest.raises(KilledError):
            train(tmp_path / "model")
    [started] = tmp_path.glob(".model.training/train/checkpoint-40")
    (started / "trainer_state.json").write_text('{"epoch": 2')
    steps = []
    resumed = train(
        tmp_path / "model", resume=True, progress=lambda _, done, __: steps.append(done)
    )
    assert steps[0] == 21
    assert resumed.digest == uninterrupted.digest


@pytest.mark.parametrize(
    ("damaged", "step"),
    [
        ("checkpoint-40/tokenizer.json", 21),
        ("checkpoint-40/rng_state.pth", 21),
        ("checkpoint-40/1_Pooling/config.json", 21),
        ("checkpoint-20/model.safetensors", 1),  # the best, which the last names
    ],
)
def test_a_damaged_checkpoint_is_not_resumed(
    train, killed_at_the_end, uninterrupted, damaged, step
):
    folder = killed_at_the_end / ".model.training" / "train"
    state = folder / "checkpoint-40" / "trainer_state.json"
    if step == 1:
        state.write_text(state.read_text().replace("checkpoint-40", "checkpoint-20"))
    os.truncate(folder / damaged, 100)
    steps = []
    resumed = train(killed_at_the_end / "model", progress=lambda _, done, __: steps.append(done))
    assert steps[0] == step
    assert resumed.digest == uninterrupted.digest


def test_a_training_of_one_step_learns(train, tmp_path, tiny_bert, triplets, papers):
    once = SETTINGS.model_copy(update={"epochs": 1})
    train(tmp_path / "model", once, learned=triplets.slice(0, 10), held=None)
    learned = Encoder.load(tmp_path / "model").encode(papers[:3])
    assert np.abs(learned - load_base(str(tiny_bert)).encode(papers[:3])).max() > 1e-3


def test_a_corpus_that_has_changed_is_not_resumed(train, tmp_path, triplets):
    some = triplets.slice(0, 20)
    former = Provenance(corpus="a")
    with pytest.raises(KilledError):
        train(tmp_path / "model", learned=some, provenance=former, progress=kill_at(1))
    with pytest.raises(ModelError, match="another base, settings or triplets"):
        train(tmp_path / "model", learned=some, provenance=Provenance(corpus="b"), resume=True)


def test_another_training_is_not_resumed(train, tmp_path, triplets):
    with pytest.raises(KilledError):
        train(tmp_path / "model", progress=kill_at(1))
    with pytest.raises(ModelError, match="another base, settings or triplets"):
        train(tmp_path / "model", learned=triplets.slice(5), resume=True)


def test_the_contrastive_loss_learns_vectors_of_length_one(train, tmp_path, papers, validation):
    settings = FullSettings(
        loss="contrastive", epochs=4, batch=8, micro_batch=8, learning_rate=2e-3
    )
    record = train(tmp_path / "model", settings)
    vectors = Encoder.load(tmp_path / "model").encode(papers)
    assert record.best.validation_accuracy > record.epochs[0].validation_accuracy + 0.1
    assert record.best.validation_accuracy == pytest.approx(
        validation_accuracy(Encoder.load(tmp_path / "model"), papers, validation), abs=0.001
    )
    assert record.epochs[3].training_loss < record.epochs[1].training_loss
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.usefixtures("float32")
def test_accumulated_gradients_make_the_same_step(train, tmp_path, bert_without_dropout, papers):
    """Eight micro batches of 4 equal one batch of 32 (without dropout)."""
    one = {"epochs": 1, "batch": 32, "learning_rate": 1e-4}
    vectors = []
    for micro in (4, 32):
        settings = FullSettings(**one, micro_batch=micro)
        train(tmp_path / str(micro), settings, base=bert_without_dropout, held=None)
        vectors.append(Encoder.load(tmp_path / str(micro)).encode(papers))
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-3)


def test_gradient_checkpointing_changes_no_result(train, tmp_path, triplets):
    digests = {}
    for chosen in (False, True):
        settings = SETTINGS.model_copy(update={"epochs": 1, "gradient_checkpointing": chosen})
        folder = tmp_path / str(chosen)
        digests[chosen] = train(folder, settings, held=None, learned=triplets.slice(0, 32)).digest
    assert digests[True] == digests[False]


def test_without_validation_the_last_epoch_is_saved(train, tmp_path, triplets):
    record = train(tmp_path / "model", held=None, learned=triplets.slice(0, 64))
    assert (record.best_epoch, record.validation) == (2, None)


def test_a_batch_is_a_multiple_of_a_micro_batch():
    with pytest.raises(ValueError, match="not a multiple"):
        FullSettings(batch=10, micro_batch=4)


def test_a_damaged_transformer_is_a_clear_error(train, tmp_path, triplets):
    once = SETTINGS.model_copy(update={"epochs": 1})
    train(tmp_path / "model", once, held=None, learned=triplets.slice(0, 32))
    weights = tmp_path / "model" / "transformer" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    with pytest.raises(ModelError, match="were changed after the training"):
        Encoder.load(tmp_path / "model")
