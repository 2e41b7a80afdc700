"""MODEL_DIR: one folder format for all trained models.

specter-graph.json      the record of the training (`model_record`)
head.safetensors        mode head: the matrix W; with features.json and features.safetensors
transformer/            mode full: a sentence-transformers folder, readable by both libraries
README.md               the record for people (`model_card.md.jinja`)
training.csv            losses and accuracies, step by step; training.svg is their picture
"""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from jinja2 import Environment

from specter_graph.core.errors import ModelError
from specter_graph.encoder.model_files import RECORD_FILE
from specter_graph.encoder.model_record import ModelRecord
from specter_graph.encoder.training_log import (
    LOG_FILE,
    PLOT_FILE,
    LogEntry,
    write_csv,
    write_plot,
)

if TYPE_CHECKING:
    from specter_graph.encoder.encoder import Encoder

ExportFormat = Literal["sentence-transformers", "onnx"]


def check_output(folder: Path) -> None:
    """Raise ModelError, before hours of training, when `folder` is not a model directory.

    A model whose replacement was interrupted is restored first.
    """
    old = _beside(folder, "old")
    if old.exists() and not folder.exists():
        os.replace(old, folder)
    if folder.exists() and not (
        folder.is_dir() and ((folder / RECORD_FILE).exists() or not any(folder.iterdir()))
    ):
        raise ModelError(
            f"{folder} exists and is not a model directory", "choose another one with -o"
        )


def write_model_dir(
    folder: Path,
    write_files: Callable[[Path], None],
    record: Callable[[Path], ModelRecord],
    log: Sequence[LogEntry],
) -> ModelRecord:
    """Write a model beside `folder` and rename it, so that it is complete or absent.

    `write_files` writes the files of the model into a folder, `record` describes them. A model at
    `folder` is replaced.
    """
    check_output(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = _beside(folder, "new")
    _discard(new)
    new.mkdir()
    write_files(new)
    written = record(new)
    (new / RECORD_FILE).write_text(written.model_dump_json(indent=2) + "\n", "utf-8")
    (new / "README.md").write_text(render_card(written), "utf-8")
    write_csv(new / LOG_FILE, log)
    write_plot(new / PLOT_FILE, log)
    old = _beside(folder, "old")
    _discard(old)
    if folder.exists():
        os.replace(folder, old)
    os.replace(new, folder)
    _discard(old)
    return written


def render_card(
    record: ModelRecord | None,
    encoder: "Encoder | None" = None,
    form: ExportFormat | None = None,
) -> str:
    """Return the README.md of a model directory, or of an `encoder` that is exported."""
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
        form=form,
        dimension=encoder.dimension if encoder else record and record.dimension,
        features=bool(encoder and encoder.head and encoder.head.features),
        separator=separator,
        text=text,
    )


def training_folder(folder: Path, *, resume: bool) -> Path:
    """Return the folder beside MODEL_DIR for the checkpoints of a training, removed at its end."""
    path = _beside(folder, "training")
    if not resume:
        _discard(path)
    path.mkdir(parents=True, exist_ok=True)
    return path


def require_same_training(checkpoints: Path, **identity: object) -> None:
    """Raise ModelError when the checkpoints there were begun with another identity."""
    file = checkpoints / "training.json"
    if file.exists() and json.loads(file.read_text()) != identity:
        raise ModelError(
            f"the checkpoints in {checkpoints} were made with another base, settings or triplets",
            "train without --resume to start again",
        )
    file.write_text(json.dumps(identity))


def discard_training(folder: Path) -> None:
    """Remove the checkpoints of a training that has ended."""
    _discard(_beside(folder, "training"))


def _beside(folder: Path, purpose: str) -> Path:
    """Return a hidden folder beside MODEL_DIR."""
    folder = folder.resolve()
    return folder.with_name(f".{folder.name}.{purpose}")


def _discard(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
