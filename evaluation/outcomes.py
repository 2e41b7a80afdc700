"""What a system comes to on the tasks of SPECTER, and the averages of its tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from specter_graph.evaluation.measures import Measure

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

    def as_json(self) -> dict[str, Any]:
        """The values by metric, and the coverage."""
        return {
            "metrics": {name: measure.value() for name, measure in self.measures.items()},
            "scored": len(self.items),
            "asked": self.asked,
            "papers": self.papers,
            "missing": self.missing,
            "notes": list(self.notes),
        }


def averages(outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    """The mean of all figures of each group, as in SPECTER's table 2, then `average`, of them all.

    Groups without a task in `outcomes` are left out.
    """
    figures: dict[str, list[float]] = {group: [] for group in get_args(Group)}
    for outcome in outcomes.values():
        figures[outcome.group] += [measure.value() for measure in outcome.measures.values()]
    figures["average"] = [figure for values in figures.values() for figure in values]
    return {name: sum(values) / len(values) for name, values in figures.items() if values}
