"""Outcomes for people: a row for each figure, a column for each system, the coverage below."""

from collections.abc import Iterator, Mapping
from typing import Any

from specter_graph.evaluation.grid import Grid, best_bold, percent
from specter_graph.evaluation.outcomes import Outcome, averages

Systems = Mapping[str, Mapping[str, Outcome]]
"""By the name of a system, by task."""

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
    """The table, in percent, the best of a row bold."""
    return Grid(
        ["task", *systems],
        [[title, *best_bold(map(percent, values))] for title, values in rows(systems)],
        coverage(systems),
    )


def rows(systems: Systems) -> Iterator[tuple[str, list[float | None]]]:
    """The figures of all systems, then the averages of their groups and of all figures."""
    tasks = dict.fromkeys(task for outcomes in systems.values() for task in outcomes)
    for task in tasks:
        there = [outcomes[task] for outcomes in systems.values() if task in outcomes]
        for metric in there[0].measures:
            yield (
                f"{task} {_TITLES.get(metric, metric)}",
                [
                    outcomes[task].measures[metric].value() if task in outcomes else None
                    for outcomes in systems.values()
                ],
            )
    means = [averages(outcomes) for outcomes in systems.values()]
    for name in dict.fromkeys(name for each in means for name in each):
        yield f"({name})", [each.get(name) for each in means]


def coverage(systems: Systems) -> list[str]:
    """A line for each task of a system: what was scored, and what a reader should know."""
    return [
        f"{name}, {task}: {len(outcome.items):,} of {outcome.asked:,} scored,"
        f" {outcome.papers - outcome.missing:,} of {outcome.papers:,} papers with a vector"
        + "".join(f"; {note}" for note in outcome.notes)
        for name, outcomes in systems.items()
        for task, outcome in outcomes.items()
    ]
