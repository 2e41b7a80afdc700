"""Fine-tune with two processes that torchrun starts, on the CPU."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from specter_graph.core.errors import ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import BaseRecord, read_record
from specter_graph.encoder.recipe import FullSettings, HeadSettings
from specter_graph.encoder.static_model import load_base

pytestmark = pytest.mark.slow

SCRIPT = """
import os, pickle, sys
import torch
torch.set_num_threads(1)
from specter_graph.encoder import device
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.static_model import load_base
device._has = lambda *probes: False  # in float32, as the test itself
base, papers, triplets, validation, settings_of_runs, folders = pickle.load(open(sys.argv[1], "rb"))
def progress(stage, done, total):
    print("progress of", os.environ["RANK"], stage, done, flush=True)
def mined():
    open(f"{sys.argv[1]}.{os.environ['RANK']}", "w").close()
    yield from triplets.to_batches()
for settings, folder in zip(settings_of_runs, folders):
    job = TrainingJob(folder, mined(), validation, progress=progress)
    record = train_full(job, papers, load_base(base), settings)
    print("record", record.digest, flush=True)
"""


def losses(folder):
    return np.genfromtxt(folder / "training.csv", delimiter=",", names=True)


@pytest.mark.usefixtures("float32")
def test_two_processes_train_the_same_model_as_one(
    bert_without_dropout, papers, triplets, validation, tmp_path
):
    """Compare the losses of each step and the vectors."""
    settings_of_runs = [
        FullSettings(epochs=2, batch=32, micro_batch=4, learning_rate=1e-4),
        FullSettings(loss="contrastive", epochs=1, batch=32, micro_batch=4, symmetric=True),
    ]
    triplets = triplets.slice(0, 150)  # the last batch is padded with rows
    folders = [tmp_path / "triplet", tmp_path / "contrastive"]
    arguments = (str(bert_without_dropout), papers, triplets, validation, settings_of_runs, folders)
    (tmp_path / "arguments").write_bytes(pickle.dumps(arguments))
    (tmp_path / "script.py").write_text(SCRIPT)
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc-per-node", "2", str(tmp_path / "script.py"), str(tmp_path / "arguments")),
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    assert "progress of 0 train 10" in ran.stdout
    assert "progress of 1" not in ran.stdout
    assert [(tmp_path / f"arguments.{rank}").exists() for rank in (0, 1)] == [True, False]
    for settings, folder in zip(settings_of_runs, folders, strict=True):
        alone = tmp_path / f"{folder.name}-alone"
        base = load_base(str(bert_without_dropout))
        train_full(TrainingJob(alone, triplets, validation), papers, base, settings)
        assert ran.stdout.count(read_record(folder).digest) == 2
        one, two = losses(alone), losses(folder)
        assert len(one) == 5 * settings.epochs + 1
        for column in one.dtype.names:
            np.testing.assert_allclose(two[column], one[column], rtol=1e-3, err_msg=column)
        vectors = [Encoder.load(each).encode(papers) for each in (alone, folder)]
        np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-3)
    assert not list(tmp_path.glob(".*.training"))


def test_batches_that_processes_cannot_share_are_a_clear_error(
    tiny_bert, papers, triplets, tmp_path, monkeypatch
):
    monkeypatch.setenv("WORLD_SIZE", "3")
    base, job = load_base(str(tiny_bert)), TrainingJob(tmp_path / "model", triplets)
    with pytest.raises(ModelError, match="among 3 processes, 4 triplets at a time") as caught:
        train_full(job, papers, base, FullSettings())
    assert caught.value.hint == "set batch=36"
    with pytest.raises(ModelError, match="one process"):
        train_head(job, papers, base.encode, BaseRecord.of(base.folder), HeadSettings())
