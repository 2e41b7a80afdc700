"""Outcomes for people: a row for each figure, a column for each system, the coverage below."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from specter_graph.core.statistics import LEVEL, Interval
from specter_graph.evaluation.grid import Grid, best_bold, percent
from specter_graph.evaluation.outcomes import Outcome, averages

Systems = Mapping[str, Mapping[str, Outcome]]
"""By the name of a system, by task."""

Row = tuple[str, Sequence[Interval | float | None]]
"""A figure's title, and what each system comes to."""

_TITLES = {"map": "MAP", "ndcg": "nDCG", "f1": "F1", "p@1": "P@1"}


def as_json(systems: Systems) -> dict[str, Any]:
    """{SYSTEM: {"tasks": {TASK: {"metrics", "scored", "asked", ...}}, "averages": {...}}}."""
    return {
        name: {
            "tasks": {task: outcome.as_json() for task, outcome in outcomes.items()},
            "averages": averages(outcomes),
        }
        for name, outcomes in systems.items()
    }


def grid(systems: Systems) -> Grid:
    """The table, in percent, with intervals over the items, the best of a row bold."""
    rows = [*_figures(systems), *_averages(systems)]
    cells = [[title, *best_bold(map(_cell, values))] for title, values in rows]
    note = f"Percent, with {LEVEL:.0%} bootstrap intervals over the items of a task."
    return Grid(["task", *systems], cells, [note, *coverage(systems)])


def _cell(value: Interval | float | None) -> str:
    if isinstance(value, Interval):
        return f"{percent(value.value, 1)} ({percent(value.low, 1)}-{percent(value.high, 1)})"
    return percent(value, 1)


def _figures(systems: Systems) -> Iterator[Row]:
    """Each figure of each task, of all systems."""
    tasks = dict.fromkeys(task for outcomes in systems.values() for task in outcomes)
    for task in tasks:
        found = [
            outcomes[task].intervals() if task in outcomes else {} for outcomes in systems.values()
        ]
        for metric in dict.fromkeys(metric for each in found for metric in each):
            yield f"{task} {_TITLES.get(metric, metric)}", [each.get(metric) for each in found]


def _averages(systems: Systems) -> Iterator[Row]:
    """The averages of the groups and of all figures."""
    means = [averages(outcomes) for outcomes in systems.values()]
    for name in dict.fromkeys(name for each in means for name in each):
        yield f"({name})", [each.get(name) for each in means]


def coverage(systems: Systems) -> list[str]:
    """What was scored of each task, and what a reader should know; a line for all that share it."""
    told: dict[str, list[str]] = {}
    for name, outcomes in systems.items():
        for task, outcome in outcomes.items():
            line = (
                f"{task}: {len(outcome.items):,} of {outcome.asked:,} scored,"
                f" {outcome.papers - outcome.missing:,} of {outcome.papers:,} papers with a vector"
                + "".join(f"; {note}" for note in outcome.notes)
            )
            told.setdefault(line, []).append(name)
    return [
        line if len(names) == len(systems) else f"{', '.join(names)}, {line}"
        for line, names in told.items()
    ]
