"""The report for people: a table on the terminal, and the same in Markdown for the docs."""

from collections.abc import Iterator

from rich import box
from rich.table import Table

from specter_graph.core.statistics import LEVEL
from specter_graph.evaluation.scoring import METRICS, Intervals, Report

HEADS = {
    "map": "MAP",
    "ndcg": "nDCG",
    "recall@10": "R@10",
    "recall@100": "R@100",
    "mrr": "MRR",
    "ndcg@10": "nDCG@10",
}


def table(report: Report) -> Table:
    """A rich table in percent: each space's mean over its interval, the best of a column bold."""
    drawn = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, caption=caption(report))
    drawn.caption_justify = "left"
    drawn.add_column("space", no_wrap=True)
    for task, metric in _narrow(report):
        title = f"{task}\n{HEADS[metric]}"
        drawn.add_column(title, justify="right", no_wrap=True)
    for name, means in rows(report):
        cells = []
        for column in _narrow(report):
            value, interval, mark = _cell(report, name, means, column)
            value = f"[bold]{value}[/bold]" if is_best(report, name, column) else value
            cells.append(f"{value}{mark}\n[dim]{interval}[/dim]")
        drawn.add_row(name, *cells)
    return drawn


def markdown(report: Report) -> str:
    """The same table in Markdown, with its caption below."""
    head = ["space", *(f"{task} {HEADS[metric]}" for task, metric in columns(report))]
    lines = [head, ["---", *("---:" for _ in columns(report))]]
    for name, means in rows(report):
        cells = []
        for column in columns(report):
            value, interval, mark = _cell(report, name, means, column)
            value = f"**{value}**" if is_best(report, name, column) else value
            cells.append(f"{value}{mark} ({interval})" if interval else value)
        lines.append([name, *cells])
    drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{drawn}\n\n{caption(report)}\n"


def caption(report: Report) -> str:
    """How many queries there were, and what the intervals and marks are."""
    queries = ", ".join(f"{task} {n:,}" for task, n in report.queries.items())
    text = f"Percent, with {LEVEL:.0%} bootstrap intervals; queries: {queries}."
    if report.against:
        text += f" ▲ better, ▼ worse than {report.against} (paired bootstrap)."
    return text


def columns(report: Report) -> list[tuple[str, str]]:
    """The task and metric of each column: those of tasks that have queries."""
    return [(task, metric) for task in METRICS if report.queries[task] for metric in METRICS[task]]


def _narrow(report: Report) -> list[tuple[str, str]]:
    """As many columns as a terminal of 80 characters has room for."""
    return [(task, metric) for task, metric in columns(report) if metric != "ndcg@10"]


def rows(report: Report) -> Iterator[tuple[str, Intervals]]:
    """The lines of the table: what knows nothing, then the spaces."""
    yield "(random)", report.random
    yield from report.spaces.items()


def _cell(
    report: Report, name: str, means: Intervals, column: tuple[str, str]
) -> tuple[str, str, str]:
    task, metric = column
    shown = means.get(task, {}).get(metric)
    if shown is None:
        return "-", "", ""
    interval = f"{_percent(shown.low)}-{_percent(shown.high)}"
    return _percent(shown.value), interval, mark(report, name, column)


def is_best(report: Report, name: str, column: tuple[str, str]) -> bool:
    """Whether no space has a higher value in a column, as it is printed."""
    task, metric = column
    values = {
        other: _percent(means[task][metric].value)
        for other, means in report.spaces.items()
        if task in means
    }
    return name in values and float(values[name]) == max(map(float, values.values()))


def mark(report: Report, name: str, column: tuple[str, str]) -> str:
    """Whether a space is better or worse than the one that all are compared with."""
    task, metric = column
    difference = report.differences.get(name, {}).get(task, {}).get(metric)
    if difference is None or not difference.excludes_zero():
        return ""
    return " ▲" if difference.value > 0 else " ▼"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"
