"""A table for the terminal, Markdown, JSON and HTML, and the tables of all results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from specter_graph.core.statistics import LEVEL, ROUNDS, Interval
from specter_graph.evaluation.metrics.task_results import (
    PairedComparison,
    Systems,
    TaskResult,
    averages,
)
from specter_graph.evaluation.protocols.geometry import Geometry
from specter_graph.evaluation.protocols.held_out import METRICS, VARIANTS, HeldOutResult

if TYPE_CHECKING:
    from rich.table import Table as RichTable

TITLES = {
    "map": "MAP",
    "ndcg": "nDCG",
    "recall@10": "R@10",
    "recall@100": "R@100",
    "mrr": "MRR",
    "ndcg@10": "nDCG@10",
    "f1": "F1",
    "p@1": "P@1",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A value for JSON and its text, which is followed by `mark` and `interval`."""

    value: Any
    text: str
    interval: str = ""
    mark: str = ""
    bold: bool = False

    def inline(self, bold: str) -> str:
        """Return the cell as one line; `bold` is a pattern such as "**{}**"."""
        text = bold.format(self.text) if self.bold else self.text
        return f"{text}{self.mark} ({self.interval})" if self.interval else f"{text}{self.mark}"


Row: TypeAlias = Sequence[Cell]


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of cells with a header; `notes` are lines below the table.

    On the terminal, a stacked table has its intervals below the values, which saves width.
    """

    head: Sequence[str]
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    stacked: bool = False

    def rich(self) -> "RichTable":
        """Return the table for the terminal."""
        from rich import box
        from rich.table import Table as RichTable

        drawn = RichTable(box=box.SIMPLE_HEAD, padding=(0, not self.stacked), pad_edge=False)
        drawn.caption, drawn.caption_justify = "\n".join(self.notes), "left"
        for number, title in enumerate(self.head):
            drawn.add_column(
                title.replace(" ", "\n") if self.stacked else title,
                justify="right" if number else "left",
                no_wrap=not number,
                overflow="fold",  # a cut figure would look like another one
            )
        for row in self.rows:
            drawn.add_row(*(self._rich(cell) for cell in row))
        return drawn

    def _rich(self, cell: Cell) -> str:
        if not self.stacked:
            return cell.inline("[bold]{}[/bold]")
        return f"{replace(cell, interval='').inline('[bold]{}[/bold]')}\n[dim]{cell.interval}[/dim]"

    def markdown(self) -> str:
        """Return the table in Markdown, with the notes as paragraphs."""
        rows = [[cell.inline("**{}**") for cell in row] for row in self.rows]
        rule = ["---", *("---:" for _ in self.head[1:])]
        lines = [f"| {' | '.join(row)} |" for row in (self.head, rule, *rows)]
        return "\n\n".join(["\n".join(lines), *self.notes]) + "\n"

    def records(self) -> list[dict[str, Any]]:
        """Return the values of each row by column, for JSON."""
        return [
            {title: cell.value for title, cell in zip(self.head, row, strict=True)}
            for row in self.rows
        ]

    def with_notes(self, notes: Iterable[str]) -> "ResultTable":
        """Return the table with further notes."""
        return replace(self, notes=[*self.notes, *notes])

    def without(self, title: str) -> "ResultTable":
        """Return the table without a column."""
        columns = [place for place, name in enumerate(self.head) if name != title]
        rows = [[row[place] for place in columns] for row in self.rows]
        return replace(self, head=[self.head[place] for place in columns], rows=rows)


def text_cell(text: str) -> Cell:
    """Return a cell of text."""
    return Cell(text, text)


def percent_cell(value: float | None) -> Cell:
    """Return a share as a percentage; a hyphen for None."""
    return Cell(value, "-" if value is None else f"{100 * value:.1f}")


def interval_cell(interval: Interval | None, mark: str = "") -> Cell:
    """Return a share as a percentage with its interval; a hyphen for None."""
    if interval is None:
        return Cell(None, "-")
    low, high = (f"{100 * bound:.1f}" for bound in (interval.low, interval.high))
    return Cell(interval.value, f"{100 * interval.value:.1f}", f"{low}-{high}", mark)


def embolden_best(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells with the highest printed value in bold, if there are several."""
    printed = [float("-inf") if cell.value is None else float(cell.text) for cell in cells]
    several = sum(cell.value is not None for cell in cells) > 1
    return [
        replace(cell, bold=several and value == max(printed))
        for cell, value in zip(cells, printed, strict=True)
    ]


def held_out_table(report: HeldOutResult, variant: str = "") -> ResultTable:
    """Return a table of all metrics for random vectors and the spaces, the best in bold.

    Args:
        report: The scores.
        variant: One of VARIANTS, by default the main tasks.
    """
    suffix = variant and f"-{variant}"
    tasks = {task: f"{task}{suffix}" for task in METRICS if report.queries.get(f"{task}{suffix}")}
    columns = [(task, metric) for task in tasks for metric in METRICS[task]]
    by_column = [
        [
            interval_cell(report.random[tasks[task]][metric]),
            *embolden_best(
                [
                    interval_cell(
                        scores.get(tasks[task], {}).get(metric),
                        _mark(report.differences.get(name, {}).get(tasks[task], {}).get(metric)),
                    )
                    for name, scores in report.spaces.items()
                ]
            ),
        ]
        for task, metric in columns
    ]
    queries = ", ".join(f"{task} {report.queries[name]:,}" for task, name in tasks.items())
    note = f"Percent, with {LEVEL:.0%} bootstrap intervals; queries: {queries}."
    if variant:
        note = f"{VARIANTS[variant]}; queries: {queries}."
    elif report.compare_to:
        note += f" ▲ better, ▼ worse than {report.compare_to} (paired bootstrap)."
    head = ["space", *(f"{task} {TITLES[metric]}" for task, metric in columns)]
    rows = [
        [text_cell(name), *cells]
        for name, *cells in zip(["(random)", *report.spaces], *by_column, strict=True)
    ]
    return ResultTable(head, rows, [note], stacked=True)


def held_out_tables(report: HeldOutResult) -> list[ResultTable]:
    """Return the table of the main tasks, then one for each variant that has queries."""
    variants = [
        name for name in VARIANTS if any(task.endswith(f"-{name}") for task in report.queries)
    ]
    return [held_out_table(report, name) for name in ("", *variants)]


def _mark(difference: Interval | None) -> str:
    if difference is None or not difference.excludes_zero():
        return ""
    return " ▲" if difference.value > 0 else " ▼"


def task_table(systems: Systems) -> ResultTable:
    """Return a table with a row for each metric, and the averages; systems are columns."""
    rows: list[tuple[str, list[Cell]]] = []
    for task in dict.fromkeys(task for results in systems.values() for task in results):
        intervals = [
            results[task].intervals() if task in results else {} for results in systems.values()
        ]
        for metric in dict.fromkeys(metric for by_metric in intervals for metric in by_metric):
            cells = [interval_cell(by_metric.get(metric)) for by_metric in intervals]
            rows.append((f"{task} {TITLES.get(metric, metric)}", cells))
    means = [averages(results) for results in systems.values()]
    for name in dict.fromkeys(name for own in means for name in own):
        rows.append((f"({name})", [percent_cell(own.get(name)) for own in means]))
    note = f"Percent, with {LEVEL:.0%} bootstrap intervals over the items of a task."
    return ResultTable(
        ["task", *systems],
        [[text_cell(title), *embolden_best(cells)] for title, cells in rows],
        [note, *coverage(systems)],
    )


def coverage(systems: Systems) -> list[str]:
    """Return the coverage and notes of each task; systems with equal lines share one."""
    lines: dict[str, list[str]] = {}
    for name, results in systems.items():
        for task, result in results.items():
            line = (
                f"{task}: {len(result.items):,} of {result.total:,} scored,"
                f" {result.papers - result.missing:,} of {result.papers:,} papers with a vector"
                + "".join(f"; {note}" for note in result.notes)
            )
            lines.setdefault(line, []).append(name)
    return [
        line if len(names) == len(systems) else f"{', '.join(names)}, {line}"
        for line, names in lines.items()
    ]


def comparison_table(
    names: tuple[str, str], comparisons: Sequence[PairedComparison]
) -> ResultTable:
    """Return a table of comparisons; differences significant after correction are bold."""
    rows = [
        [
            text_cell(comparison.figure),
            percent_cell(comparison.one),
            percent_cell(comparison.other),
            Cell(
                comparison.difference.value,
                f"{100 * comparison.difference.value:+.1f}"
                f" ({100 * comparison.difference.low:+.1f}"
                f" to {100 * comparison.difference.high:+.1f})",
                bold=comparison.p_holm < 1 - LEVEL,
            ),
            Cell(comparison.p, f"{comparison.p:.4f}"),
            Cell(comparison.p_holm, f"{comparison.p_holm:.4f}"),
        ]
        for comparison in comparisons
    ]
    note = (
        f"Differences with {LEVEL:.0%} intervals by paired bootstrap; p by paired randomization,"
        f" {ROUNDS:,} rounds; p (Holm) corrected for {len(comparisons)} figures,"
        f" bold below {1 - LEVEL:.2f}."
    )
    return ResultTable(["figure", *names, "difference", "p", "p (Holm)"], rows, [note])


def arxiv_table(
    results: Mapping[tuple[str, str], TaskResult], pooling: Mapping[str, str], k: int, beta: float
) -> ResultTable:
    """Return a table of the arXiv protocol, by system and distance."""
    titles = {"precision": f"precision@{k}", "recall": f"recall@{k}", "f": f"f{beta:g}@{k}"}
    head: list[str] = []
    rows = []
    for (system, distance), result in results.items():
        intervals = result.intervals()
        head = [titles.get(name, name) for name in intervals]
        cells = {name: interval_cell(interval) for name, interval in intervals.items()}
        mvdd = intervals["mvdd"]
        cells["mvdd"] = Cell(mvdd.value, f"{mvdd.value:.1f}", f"{mvdd.low:.1f} to {mvdd.high:.1f}")
        space = system.split()[0]
        rows.append([*map(text_cell, (system, pooling.get(space, "-"), distance)), *cells.values()])
    note = f"Percent, except mvdd; with {LEVEL:.0%} bootstrap intervals."
    return ResultTable(["space", "pooling", "distance", *head], rows, [note], stacked=True)


def geometry_table(geometries: Mapping[str, Geometry]) -> ResultTable:
    """Return a table of the geometry of spaces."""
    head = [figure.name for figure in fields(Geometry)]
    rows = [
        [text_cell(name), *(Cell(v, "-" if v is None else f"{v:,.4g}") for v in astuple(geometry))]
        for name, geometry in geometries.items()
    ]
    return ResultTable(["space", *head], rows)
