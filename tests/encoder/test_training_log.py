"""Test the files of a training for people: training.csv, training.svg and README.md."""

import csv
from xml.etree import ElementTree

import pytest

from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import BaseRecord, LogEntry, write_csv, write_plot
from specter_graph.encoder.recipe import FullSettings, HeadSettings
from specter_graph.encoder.static_model import load_base
from tests.encoder.small_corpus import KilledError

pytestmark = pytest.mark.slow

FULL = FullSettings(epochs=2, batch=16, micro_batch=16, learning_rate=2e-3, matryoshka=[8])
HEAD = HeadSettings(dimension=24, epochs=2, batch=32, matryoshka=[8])


def train(folder, tiny_bert, papers, triplets, validation, settings, **options):
    base, job = load_base(str(tiny_bert)), TrainingJob(folder, triplets, validation, **options)
    if isinstance(settings, FullSettings):
        return train_full(job, papers, base, settings)
    return train_head(job, papers, base.encode, BaseRecord.of(base.folder), settings)


@pytest.mark.parametrize(("settings", "steps"), [(FULL, 20), (HEAD, 10)], ids=["full", "head"])
def test_the_log_has_every_step_and_agrees_with_the_record_even_after_a_kill(
    tiny_bert, papers, triplets, validation, tmp_path, settings, steps
):
    def kill(stage, done, total):
        if stage == "train" and done > 0.7 * total:
            raise KilledError

    arguments = tiny_bert, papers, triplets, validation, settings
    record = train(tmp_path / "whole", *arguments)
    with (tmp_path / "whole" / "training.csv").open() as file:
        log = list(csv.DictReader(file))
    assert [int(entry["step"]) for entry in log] == [0, *range(1, 2 * steps + 1)]
    assert float(log[-1]["epoch"]) == 2
    for epoch in record.epochs:
        entry = log[epoch.epoch * steps]
        assert float(entry["validation_accuracy"]) == epoch.validation_accuracy
        assert float(entry["validation_loss"]) == epoch.validation_loss
        if epoch.epoch:
            losses = [float(e["loss"]) for e in log[(epoch.epoch - 1) * steps + 1 :][:steps]]
            assert sum(losses) / steps == pytest.approx(epoch.training_loss, rel=1e-3)
    assert all(entry["learning_rate"] for entry in log[1:])
    with pytest.raises(KilledError):
        train(tmp_path / "model", *arguments, progress=kill)
    assert train(tmp_path / "model", *arguments, resume=True).digest == record.digest
    for name in ("training.csv", "training.svg"):
        assert (tmp_path / "model" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    card = (tmp_path / "whole" / "README.md").read_text()
    assert record.digest in card
    assert "cut to 8 dimensions" in card
    assert f"{record.best.validation_accuracy:.1%} of the validation triplets right" in card


def test_the_chart_has_a_curve_for_each_metric_and_is_reproducible(tmp_path):
    log = [
        LogEntry(0, 0, None, None, 1.0, 0.5),
        LogEntry(1, 0.5, 0.9, 1e-3),
        LogEntry(2, 1, 0.8, 1e-3, 0.9, 0.7),
    ]
    for name in ("a.svg", "b.svg"):
        write_plot(tmp_path / name, log)
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text.count('id="line2d_') > 3
    write_csv(tmp_path / "a.csv", log[:2])
    assert (tmp_path / "a.csv").read_text() == (
        "step,epoch,loss,learning_rate,validation_loss,validation_accuracy\n"
        "0,0,,,1.0,0.5\n1,0.5,0.9,0.001,,\n"
    )
