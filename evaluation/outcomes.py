"""What a system comes to on the tasks of SPECTER, and the averages of its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from specter_graph.core.errors import InputError
from specter_graph.core.statistics import Interval, interval
from specter_graph.evaluation.measures import Measure, SeedMean

Group = Literal["classification", "usage", "citation", "recommendation"]
"""The groups of tasks in SPECTER's table 2."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One system on one task.

    The task belongs to `group`. `items` are the names of the queries, papers or clicks that were
    scored, of `asked` that the task has; every measure is over these items. Of the `papers` that
    the task names, `missing` have no vector. `notes` are what a reader of the figures should know.
    """

    group: Group
    items: tuple[str, ...]
    measures: Mapping[str, Measure]
    asked: int
    papers: int
    missing: int
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all items were scored, all papers with a vector."""
        return len(self.items) == self.asked and not self.missing

    def intervals(self) -> dict[str, Interval]:
        """The values by metric, with their intervals over the items."""
        return {
            name: interval(measure.value, len(measure), seed=0)
            for name, measure in self.measures.items()
        }

    def as_json(self) -> dict[str, Any]:
        """The values by metric with their intervals, and the coverage."""
        found = self.intervals()
        return {
            "metrics": {name: each.value for name, each in found.items()},
            "intervals": {name: [each.low, each.high] for name, each in found.items()},
            "scored": len(self.items),
            "asked": self.asked,
            "papers": self.papers,
            "missing": self.missing,
            "notes": list(self.notes),
        }


def over_seeds(outcomes: Sequence[Outcome]) -> Outcome:
    """What systems that differ in their seeds alone come to on one task: the mean of each figure.

    Raises InputError when they were not scored on the same items.
    """
    first = outcomes[0]
    if len(outcomes) == 1:
        return first
    if any(each.items != first.items for each in outcomes):
        raise InputError("the seeds have vectors of other papers: they have no mean")
    measures = {
        name: SeedMean(tuple(each.measures[name] for each in outcomes)) for name in first.measures
    }
    notes = dict.fromkeys(note for each in outcomes for note in each.notes)
    missing = max(each.missing for each in outcomes)
    return replace(first, measures=measures, missing=missing, notes=tuple(notes))


def averages(outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    """The mean of all figures of each group, as in SPECTER's table 2, then `average`, of them all.

    Groups without a task in `outcomes` are left out.
    """
    figures: dict[str, list[float]] = {group: [] for group in get_args(Group)}
    for outcome in outcomes.values():
        figures[outcome.group] += [measure.value() for measure in outcome.measures.values()]
    figures["average"] = [figure for values in figures.values() for figure in values]
    return {name: sum(values) / len(values) for name, values in figures.items() if values}
