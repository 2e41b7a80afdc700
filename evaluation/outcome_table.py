"""Outcomes for people: a row for each figure, a column for each system, the coverage below."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich import box
from rich.table import Table

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


def table(systems: Systems) -> Table:
    """A rich table in percent, the best of a row bold."""
    drawn = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    drawn.caption, drawn.caption_justify = "\n".join(coverage(systems)), "left"
    drawn.add_column("task", no_wrap=True)
    for name in systems:
        drawn.add_column(name, justify="right")
    for title, values in rows(systems):
        drawn.add_row(title, *_cells(values, "[bold]{}[/bold]"))
    return drawn


def markdown(systems: Systems) -> str:
    """The same in Markdown."""
    lines = [["task", *systems], ["---", *("---:" for _ in systems)]]
    lines += [[title, *_cells(values, "**{}**")] for title, values in rows(systems)]
    drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([drawn, *coverage(systems)]) + "\n"


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


def _cells(values: list[float | None], best: str) -> list[str]:
    shown = ["-" if value is None else f"{100 * value:.2f}" for value in values]
    numbers = [float(each) for each in shown if each != "-"]
    if len(numbers) < 2:
        return shown
    return [best.format(e) if e != "-" and float(e) == max(numbers) else e for e in shown]
