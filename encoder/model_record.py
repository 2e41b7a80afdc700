"""The record of a training, `specter-graph.json` in a model directory, and its log by steps."""

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pydantic

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.encoder_card import NO_PROMPTS, Prompts
from specter_graph.core.errors import ModelError
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts
from specter_graph.encoder.model_files import RECORD_FILE, Pooling, TransformerFolder, read_base
from specter_graph.encoder.recipe import FullSettings, HeadSettings, RerankerSettings
from specter_graph.encoder.triplets import IndexedTriplets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRANSFORMER_FOLDER = "transformer"

_LIBRARIES = (
    "specter-graph", "torch", "transformers", "sentence-transformers", "scikit-learn", "numpy"
)  # fmt: skip
"""Libraries whose versions decide a model's numbers."""

LOG_FILE = "training.csv"
PLOT_FILE = "training.svg"
ENTRIES = 100
"""Approximate number of entries of an epoch."""


class _Record(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


class BaseRecord(_Record):
    """The base model that training started from.

    `precision` is the precision of the base vectors that a head learned from.
    """

    name: str
    digest: str
    revision: str | None
    pooling: Pooling
    max_length: int
    dimension: int
    parts: Parts = TITLE_AND_ABSTRACT
    separate_parts: bool = False
    precision: str = ""
    prompts: Prompts = NO_PROMPTS

    @classmethod
    def of(cls, base: TransformerFolder, precision: str = "") -> "BaseRecord":
        """Describe a base."""
        record = cls.model_validate(base, from_attributes=True)
        return record.model_copy(update={"precision": precision})


class Provenance(_Record):
    """Facts about the graph: fingerprint of the corpus, hold-out, split, source of the triplets."""

    corpus: str = ""
    holdout: float = 0.0
    split: str = ""
    mined: dict[str, Any] = {}
    learned_from: list[str] = []


class TripletsRecord(_Record):
    """Counts and digest of triplets; see `triplets.IndexedTriplets`."""

    queries: int
    triplets: int
    hard: int
    digest: str
    skipped: int = 0

    @classmethod
    def of(cls, rows: IndexedTriplets) -> "TripletsRecord":
        """Count a table of triplets."""
        return cls(
            queries=len(np.unique(rows.query)),
            triplets=len(rows),
            hard=int(rows.hard.sum()),
            digest=rows.digest,
            skipped=rows.skipped,
        )


class EpochMetrics(_Record):
    """Metrics of an epoch; 0 is before training. Without a hold-out, validation is None."""

    epoch: int
    training_loss: float | None = None
    validation_loss: float | None = None
    validation_accuracy: float | None = None


class ModelRecord(_Record):
    """A training and its model; equal digests mean equal models.

    Attributes:
        mined: Source of the triplets with its settings, see `triplet_settings`.
        learned_from: All sources that the model and its base have learned from.
        epochs: Metrics by epoch, from 0 (before training).
        distilled: Validation accuracy of a head with its distilled part and its base.
        corpus: Fingerprint of the corpus.
        holdout: Share of papers held out for test, and again for validation.
        split: Digest of a stored split; "" if the papers were split by a hash of their ids.
    """

    model_config = pydantic.ConfigDict(extra="ignore", frozen=True)

    format: Literal[1] = 1
    mode: Literal["head", "full", "reranker"]
    digest: str
    dimension: int
    base: BaseRecord
    settings: dict[str, Any]
    seed: int
    mined: dict[str, Any]
    learned_from: list[str] = []
    triplets: TripletsRecord
    validation: TripletsRecord | None
    epochs: list[EpochMetrics]
    best_epoch: int
    distilled: float | None = None
    corpus: str
    holdout: float
    split: str = ""
    versions: dict[str, str]
    created: datetime

    @classmethod
    def of(
        cls,
        settings: HeadSettings | FullSettings | RerankerSettings,
        provenance: Provenance,
        tables: tuple[IndexedTriplets, IndexedTriplets | None],
        **values: Any,  # noqa: ANN401
    ) -> "ModelRecord":
        """Describe a training that has just ended.

        Args:
            settings: The settings.
            provenance: Facts about the graph.
            tables: The triplets for training and, if any, for validation.
            **values: The other attributes.
        """
        triplets, validation = tables
        return cls(
            mode=settings.mode,
            settings=settings.model_dump(),
            seed=settings.seed,
            triplets=TripletsRecord.of(triplets),
            validation=TripletsRecord.of(validation) if validation else None,
            versions={name: version(name) for name in _LIBRARIES},
            created=datetime.now(UTC).replace(microsecond=0),
            **dict(provenance),
            **values,
        )

    def require_digest(self, folder: Path | str, digest: str) -> None:
        """Raise ModelError if the files in a model directory have another digest."""
        if digest != self.digest:
            raise ModelError(
                f"files in {folder} were changed after the training",
                "copy the model directory again, or train again",
            )

    @property
    def best(self) -> EpochMetrics:
        """Return the metrics of the best epoch."""
        return next(epoch for epoch in self.epochs if epoch.epoch == self.best_epoch)


def best_epoch(epochs: list[EpochMetrics]) -> EpochMetrics:
    """Return the epoch with the best validation accuracy, of equal ones that with the lowest loss.

    Without validation it is the last epoch.
    """
    trained = [epoch for epoch in epochs if epoch.epoch > 0]
    validated = [epoch for epoch in trained if epoch.validation_accuracy is not None]
    if not validated:
        return trained[-1]
    return max(validated, key=lambda e: (e.validation_accuracy or 0, -(e.validation_loss or 0)))


def read_record(folder: Path) -> ModelRecord:
    """Read the record of a model directory; raises ModelError if it is missing or damaged."""
    try:
        text = (folder / RECORD_FILE).read_bytes()
    except OSError as error:
        raise ModelError(
            f"{folder} is not a model directory: it has no {RECORD_FILE}",
            "make one with: specter-graph train -o MODEL_DIR",
        ) from error
    try:
        return ModelRecord.model_validate_json(text)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ModelError(
            f"{folder / RECORD_FILE} is damaged, or of another version: {where}: {first['msg']}",
            "train again, or use the version of specter-graph that wrote it",
        ) from error


def fine_tuned_folder(folder: Path, base: BaseRecord) -> TransformerFolder:
    """Return the folder of the Transformer of a model of mode `full`."""
    path = folder / TRANSFORMER_FOLDER
    return read_base(
        str(path.resolve()),
        None,
        path,
        max_length=base.max_length,
        parts=base.parts,
        prompts=base.prompts,
    )


@dataclass(frozen=True, slots=True)
class LogEntry:
    """Measures after `step` steps of the optimizer, `epoch` passes over the triplets.

    `loss` is the mean over the triplets since the previous entry. Measures that were not taken are
    None.
    """

    step: int
    epoch: float
    loss: float | None = None
    learning_rate: float | None = None
    validation_loss: float | None = None
    validation_accuracy: float | None = None


def epoch_metrics(log: Sequence[LogEntry]) -> list[EpochMetrics]:
    """Return the metrics of each epoch; epoch 0 is before training."""
    epochs: dict[int, dict[str, float]] = {0: {}}
    previous = 0.0
    for entry in log:
        metrics = epochs.setdefault(math.ceil(entry.epoch), {})
        if entry.loss is not None:
            loss = entry.loss * (entry.epoch - previous)
            metrics["training_loss"] = metrics.get("training_loss", 0.0) + loss
            previous = entry.epoch
        for name in ("validation_loss", "validation_accuracy"):
            if (value := getattr(entry, name)) is not None:
                metrics[name] = value
    return [EpochMetrics(epoch=epoch, **metrics) for epoch, metrics in sorted(epochs.items())]


def write_csv(file: Path, log: Sequence[LogEntry]) -> None:
    """Write a header and a line for each entry, atomically."""
    with complete_file(file) as part, part.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(field.name for field in fields(LogEntry))
        lines.writerows(asdict(entry).values() for entry in log)


def write_plot(file: Path, log: Sequence[LogEntry]) -> None:
    """Plot the losses and, below, the validation accuracy over the epochs.

    Does nothing if matplotlib (extra `eval`) is not installed.
    """
    if find_spec("matplotlib") is None:
        return
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Without a date and random names, equal logs give equal files.
    with mpl.rc_context({"svg.hashsalt": "specter-graph"}):
        figure = Figure(figsize=(7, 6), layout="constrained")
        losses, accuracy = figure.subplots(2, sharex=True)
        _curve(losses, log, "loss", "training")
        _curve(losses, log, "validation_loss", "validation", "o-")
        _curve(accuracy, log, "validation_accuracy", "validation", "o-")
        losses.set_ylabel("loss")
        losses.legend()
        accuracy.set_ylabel("share of triplets right")
        accuracy.set_xlabel("epoch")
        figure.savefig(file, format="svg", metadata={"Date": None})


def _curve(axes: "Axes", log: Sequence[LogEntry], name: str, label: str, line: str = "-") -> None:
    points = [(e.epoch, getattr(e, name)) for e in log if getattr(e, name) is not None]
    axes.plot([x for x, _ in points], [y for _, y in points], line, label=label)
