"""MODEL_DIR, the folder of a trained model.

specter-graph.json      record of the training (`model_record`)
head.safetensors        mode head: the matrix W; with features.json and features.safetensors
transformer/            mode full: a folder in the format of sentence-transformers
README.md               model card (`model_card.md.jinja`)
training.csv            losses and accuracies by step; training.svg is the plot
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment

from specter_graph.core.atomic_files import (
    complete_file,
    require_writable,
    share_weights,
    write_errors,
)
from specter_graph.core.errors import ModelError
from specter_graph.core.parts import locked
from specter_graph.core.progress import Progress, silent
from specter_graph.encoder.device import is_main_process
from specter_graph.encoder.model_files import RECORD_FILE
from specter_graph.encoder.model_record import (
    LOG_FILE,
    PLOT_FILE,
    LogEntry,
    ModelRecord,
    Provenance,
    write_csv,
    write_plot,
)
from specter_graph.encoder.triplets import (
    IndexedTriplets,
    PaperRows,
    TripletTable,
    store_triplets,
    stored_triplets,
)

if TYPE_CHECKING:
    from specter_graph.encoder.encoder import Encoder


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What a training learns from, and the folder of its model.

    Attributes:
        output: The MODEL_DIR.
        triplets: Triplets to learn from.
        validation: Triplets that select the best epoch; without them it is the last one.
        provenance: Facts about the graph for the record.
        resume: Raise an error if the checkpoints in `.OUTPUT.training` are of another training.
        progress: Called after each step, with the stage `train`.
    """

    output: Path
    triplets: TripletTable
    validation: TripletTable | None = None
    provenance: Provenance = field(default_factory=Provenance)
    resume: bool = False
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class Training:
    """The folder for the checkpoints of a training, with its triplets and those for validation."""

    folder: Path
    triplets: IndexedTriplets
    validation: IndexedTriplets | None


def open_training(job: TrainingJob, papers: PaperRows, **identity: object) -> Training:
    """Open the hidden folder beside MODEL_DIR for a training; other processes follow the main one.

    The main process writes the triplets into the folder.

    Args:
        job: The inputs of the training.
        papers: The papers of the corpus.
        **identity: Base and settings, which a resumed training must share with its checkpoints.

    Raises:
        ModelError: The output cannot be replaced, there are no triplets, or the checkpoints are of
            a training with another identity.
    """
    check_output(job.output)
    folder, is_main = _path_beside(job.output, "training"), is_main_process()
    tables = [
        store_triplets(folder / name, table, papers) if is_main else stored_triplets(folder / name)
        for name, table in (("triplets", job.triplets), ("validation", job.validation or []))
    ]
    training = Training(folder, tables[0], tables[1] if len(tables[1]) else None)
    if not len(training.triplets):
        _discard(folder)
        raise ModelError(
            "there are no triplets to train on",
            "load papers that cite each other, or set another triplets.source",
        )
    identity |= {"triplets": tables[0].digest, "validation": tables[1].digest}
    identity |= {"corpus": job.provenance.corpus}
    file = folder / "training.json"
    if _read_identity(file) != identity:
        if job.resume and file.exists():
            raise ModelError(
                f"the checkpoints in {folder} were made with another base, settings or triplets,"
                " or are damaged",
                "train without resume to start again",
            )
        others = {path.name for path in folder.iterdir()} - {"triplets", "validation"}
        for name in others:
            _discard(folder / name)
        if others:
            job.progress("remove the checkpoints of a training with other settings", 1, 1)
        with complete_file(file) as new:
            new.write_text(json.dumps(identity))
    return training


def _read_identity(file: Path) -> object:
    """Return the identity of the training in a folder; None if there is none or it is damaged."""
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None


@contextmanager
def locked_output(folder: Path) -> Iterator[None]:
    """Let no other training write a model directory, or the folders beside it, in the block.

    Of the processes of one training, the main one holds the lock.

    Raises:
        InputError: Another training is writing it, or its parent cannot be written.
    """
    if not is_main_process():
        yield
        return
    with write_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.resolve()):
        yield


def check_output(folder: Path) -> None:
    """Raise ModelError if `folder` exists and is neither a model directory nor empty.

    Raises InputError if its parent cannot be written. A model whose replacement was interrupted is
    restored first.
    """
    old = _path_beside(folder, "old")
    if old.exists() and not folder.exists():
        os.replace(old, folder)
    if folder.exists() and not (
        folder.is_dir() and ((folder / RECORD_FILE).exists() or not any(folder.iterdir()))
    ):
        raise ModelError(f"{folder} exists and is not a model directory", "choose another with -o")
    with write_errors(folder):
        require_writable(next(each for each in folder.absolute().parents if each.is_dir()))


@contextmanager
def new_model_dir(output: Path) -> Iterator[Path]:
    """Yield a folder beside `output` that replaces it and the checkpoints if no error occurs."""
    check_output(output)
    new, old = _path_beside(output, "new"), _path_beside(output, "old")
    try:
        with write_errors(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            _discard(new)
            new.mkdir()
            yield new
            share_weights(new)
            _discard(old)
            if output.exists():
                os.replace(output, old)
            os.replace(new, output)
    finally:
        _discard(new)
    _discard(old)
    _discard(_path_beside(output, "training"))


def describe_model(folder: Path, record: ModelRecord, log: Sequence[LogEntry]) -> None:
    """Write the record, the model card and the training log into the folder of a model."""
    (folder / RECORD_FILE).write_text(record.model_dump_json(indent=2) + "\n", "utf-8")
    (folder / "README.md").write_text(render_card(record), "utf-8")
    write_csv(folder / LOG_FILE, log)
    write_plot(folder / PLOT_FILE, log)


def render_card(record: ModelRecord | None, encoder: "Encoder | None" = None) -> str:
    """Return the README.md of a model directory, or of an exported `encoder`."""
    separator, text = "", ""
    if encoder:
        separator = encoder.model.tokenizer.sep_token or " "
        parts = ('(abstract or "")' if part == "abstract" else part for part in encoder.parts)
        text = f' + "{separator}" + '.join(parts)
    template = files("specter_graph.encoder").joinpath("model_card.md.jinja").read_text("utf-8")
    environment = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)  # noqa: S701
    return environment.from_string(template).render(
        record=record,
        encoder=encoder,
        dimension=encoder.dimension if encoder else record and record.dimension,
        features=bool(encoder and encoder.head and encoder.head.features),
        separator=separator,
        text=text,
    )


def _path_beside(folder: Path, purpose: str) -> Path:
    """Return the path of a hidden folder beside MODEL_DIR."""
    folder = folder.resolve()
    return folder.with_name(f".{folder.name}.{purpose}")


def _discard(path: Path) -> None:
    if path.is_file():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)
