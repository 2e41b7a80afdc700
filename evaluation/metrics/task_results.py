"""Results of systems on tasks: metrics with their items, averages, and paired comparisons.

Each metric stores the values of its items (queries, papers or clicks), so that items can be
resampled.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent, tracked
from specter_graph.core.statistics import (
    Interval,
    bootstrap_interval,
    holm,
    randomization_test,
)
from specter_graph.evaluation.metrics.ranking import Floats, Ints

_Key = TypeVar("_Key", bound=str)
Group = Literal["classification", "usage", "citation", "recommendation"]
"""The groups of tasks in SPECTER's table 2."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over items, weighted where there are weights, then over seeds: sum(w v) / sum(w).

    `values` are (items,) or (seeds, items) float64, `weights` (items,).
    """

    values: Floats
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self._by_seed[0])

    @property
    def seeds(self) -> int:
        """The number of seeds."""
        return len(self._by_seed)

    @property
    def _by_seed(self) -> Floats:
        return np.atleast_2d(self.values)

    @property
    def of_items(self) -> Floats:
        """The mean over the seeds of each item, (items,)."""
        values: Floats = self._by_seed.mean(axis=0)
        return values

    def value(self, items: Ints | None = None, seeds: Ints | None = None) -> float:
        """Return the mean over all items and seeds, or over these positions, which may repeat."""
        values = self._by_seed if seeds is None else self._by_seed[seeds]
        values = values.mean(axis=0) if len(values) > 1 else values[0]
        values = values if items is None else values[items]
        if self.weights is None:
            return float(values.mean())
        weights = self.weights if items is None else self.weights[items]
        return float(values @ weights / weights.sum())

    def combine(self, others: Sequence["Mean"]) -> "Mean":
        """Combine systems that differ only in their seeds into one."""
        return Mean(np.vstack([self.values, *(other.values for other in others)]), self.weights)


@dataclass(frozen=True, slots=True)
class MacroF1:
    """The F1 of each class, 2 TP / (2 TP + FP + FN), averaged over classes, then over seeds.

    `truth` (items,) and `predicted` (seeds, items) are int64, numbers of classes. As in
    scikit-learn, the classes are those that are true or predicted for some item.
    """

    truth: Ints
    predicted: Ints

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def seeds(self) -> int:
        """The number of seeds."""
        return len(self.predicted)

    def value(self, items: Ints | None = None, seeds: Ints | None = None) -> float:
        """Return the F1 over all items and seeds, or over these positions, which may repeat."""
        every = slice(None) if items is None else items
        predicted = self.predicted if seeds is None else self.predicted[seeds]
        truth, predicted = self.truth[every], predicted[:, every]
        classes = int(max(truth.max(), predicted.max())) + 1
        return float(np.mean([_macro_f1(truth, seed, classes) for seed in predicted]))

    def combine(self, others: Sequence["MacroF1"]) -> "MacroF1":
        """Combine systems that differ only in their seeds into one."""
        return MacroF1(self.truth, np.vstack([self.predicted, *(o.predicted for o in others)]))


Metric: TypeAlias = Mean | MacroF1
"""A metric of one system on one task, in 0..1 except `mvdd` of the arXiv protocol."""


def _macro_f1(truth: Ints, predicted: Ints, classes: int) -> float:
    correct = np.bincount(truth[truth == predicted], minlength=classes)
    total = np.bincount(truth, minlength=classes) + np.bincount(predicted, minlength=classes)
    present = total > 0
    return float(np.mean(2 * correct[present] / total[present]))


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The metrics of one system on one task.

    Attributes:
        items: The scored queries, papers or clicks; each metric is over these items.
        total: The number of items of the task.
        papers: The number of papers of the task.
        missing: The number of papers without a vector.
        notes: Remarks to print below a table.
    """

    group: Group
    items: tuple[str, ...]
    metrics: Mapping[str, Metric]
    total: int
    papers: int
    missing: int = 0
    notes: tuple[str, ...] = ()

    def intervals(self) -> dict[str, Interval]:
        """Return the values by metric, with their intervals over the items and seeds."""
        return {
            name: bootstrap_interval(metric.value, len(metric), metric.seeds, seed=0)
            for name, metric in self.metrics.items()
        }

    def as_json(self) -> dict[str, Any]:
        """Return the values by metric with their intervals, and the coverage."""
        intervals = self.intervals()
        return {
            "metrics": {name: each.value for name, each in intervals.items()},
            "intervals": {name: [each.low, each.high] for name, each in intervals.items()},
            "scored": len(self.items),
            "total": self.total,
            "papers": self.papers,
            "missing": self.missing,
            "notes": list(self.notes),
        }


Systems: TypeAlias = Mapping[str, Mapping[str, TaskResult]]
"""Results by system and task."""


def combine_seeds(results: Sequence[TaskResult]) -> TaskResult:
    """Combine the metrics of systems that differ only in their seeds.

    Raises InputError when their items differ.
    """
    first, *others = results
    if any(other.items != first.items for other in others):
        raise InputError("the seeds cannot be combined: they have vectors of different papers")
    metrics: dict[str, Metric] = {
        name: metric.combine([other.metrics[name] for other in others])  # type: ignore[misc]
        for name, metric in first.metrics.items()
    }
    notes = dict.fromkeys(note for result in results for note in result.notes)
    missing = max(result.missing for result in results)
    return replace(first, metrics=metrics, missing=missing, notes=tuple(notes))


def score_systems(
    systems: Mapping[str, Sequence[str]],
    score: Callable[[str], Mapping[_Key, TaskResult]],
    progress: Progress = silent,
) -> dict[str, dict[_Key, TaskResult]]:
    """Score each system, the spaces of which differ only in their seeds.

    Args:
        systems: The spaces by the name of the system.
        score: Scores a space; returns its results by task or by distance.
        progress: Called with the number of systems.

    Returns:
        The results by system, and by task or by distance.

    Raises:
        InputError: The spaces of a system have vectors of different papers.
    """
    results = {}
    for name, spaces in tracked(systems.items(), "score spaces", progress):
        by_seed = [score(space) for space in spaces]
        results[name] = {key: combine_seeds([of[key] for of in by_seed]) for key in by_seed[0]}
    return results


def averages(results: Mapping[str, TaskResult]) -> dict[str, float]:
    """Return the mean of all metrics of each group, as in SPECTER's table 2, then `average`.

    Groups without a task in `results` are omitted; `average` is the mean of all metrics.
    """
    values: dict[str, list[float]] = {group: [] for group in get_args(Group)}
    for result in results.values():
        values[result.group] += [metric.value() for metric in result.metrics.values()]
    values["average"] = [value for group in values.values() for value in group]
    return {name: sum(group) / len(group) for name, group in values.items() if group}


def systems_json(systems: Systems) -> dict[str, Any]:
    """Return {SYSTEM: {"tasks": {TASK: {"metrics", "scored", ...}}, "averages": {...}}}."""
    return {
        name: {
            "tasks": {task: result.as_json() for task, result in results.items()},
            "averages": averages(results),
        }
        for name, results in systems.items()
    }


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """One figure of two systems.

    Attributes:
        difference: `one` - `other`, with its interval.
        p: The p-value of the randomization test.
        p_holm: p after Holm's correction for all figures that were compared together.
    """

    figure: str
    items: int
    one: float
    other: float
    difference: Interval
    p: float
    p_holm: float


def compare(
    one: Mapping[str, Mean], other: Mapping[str, Mean], *, seed: int = 0
) -> list[PairedComparison]:
    """Compare two systems by all figures of the first, with paired tests.

    Args:
        one: Means without weights by the name of a figure, such as "cite map".
        other: The means of the other system, over the same items in the same order.
        seed: Seed of the resamples and of the random exchanges.
    """
    p = [
        randomization_test(mean.of_items, other[figure].of_items, seed=seed)
        for figure, mean in one.items()
    ]
    return [
        PairedComparison(
            figure,
            len(mean),
            mean.value(),
            other[figure].value(),
            paired_bootstrap(mean, other[figure], seed=seed),
            single,
            corrected,
        )
        for (figure, mean), single, corrected in zip(one.items(), p, holm(p), strict=True)
    ]


def paired_bootstrap(one: Metric, other: Metric, *, seed: int = 0) -> Interval:
    """Return the difference and its interval; both are computed on the same resampled items.

    The seeds of each system are resampled by themselves.
    """
    return bootstrap_interval(
        lambda items, seeds, others: one.value(items, seeds) - other.value(items, others),
        len(one),
        one.seeds,
        other.seeds,
        seed=seed,
    )
