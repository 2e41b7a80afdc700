"""The log of a training, step by step: a table (CSV) and a picture (SVG) beside the model."""

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from specter_graph.core.atomic_files import complete_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOG_FILE = "training.csv"
PLOT_FILE = "training.svg"
ENTRIES = 100
"""Entries of an epoch, about."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """State after `step` steps of the optimizer, `epoch` passes over the triplets.

    `loss` is the mean of the triplets since the entry before. A measure that was not taken is None.
    """

    step: int
    epoch: float
    loss: float | None = None
    learning_rate: float | None = None
    validation_loss: float | None = None
    validation_accuracy: float | None = None


def write_csv(file: Path, log: Sequence[LogEntry]) -> None:
    """Write a line for each entry, with the names of the columns first; complete or not at all."""
    with complete_file(file) as part, part.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(field.name for field in fields(LogEntry))
        lines.writerows(asdict(entry).values() for entry in log)


def write_plot(file: Path, log: Sequence[LogEntry]) -> None:
    """Draw the losses, and under them the validation accuracy, over the epochs.

    Does nothing where matplotlib (extra `eval`) is not installed.
    """
    if find_spec("matplotlib") is None:
        return
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # No date and no random names: the same log is the same file.
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
