"""The log of a training by steps, as a table (CSV) and a plot (SVG), and its metrics by epochs."""

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from specter_graph.core.atomic_files import complete_file
from specter_graph.encoder.model_record import EpochMetrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOG_FILE = "training.csv"
PLOT_FILE = "training.svg"
ENTRIES = 100
"""Approximate number of entries of an epoch."""


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
