"""What the commands show while they work: everything on stderr, so that stdout is for results."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from specter_graph.core.progress import Progress

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from specter_graph.evaluation.report.table import Table

_WIDTH = 100  # of a table where no terminal says how wide it is


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show long work: a bar for each stage on a terminal, quiet log lines elsewhere.

    with progress_bar() as progress:
        load_papers(db, papers, progress=progress)
    """
    if sys.stderr.isatty():
        with _bars() as progress:
            yield progress
    else:
        from specter_graph.settings import Settings

        yield _LogLines(Settings().specter_graph_log_seconds)


def print_table(table: "RichTable") -> None:
    """Print a table on stdout, as wide as the terminal."""
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)


def print_results(table: "Table", results: object, *, as_json: bool, as_markdown: bool) -> None:
    """Print a table of results on stdout as wide as the terminal, in Markdown, or as JSON.

    The JSON is that of `results`.
    """
    if as_json:
        print(json.dumps(results))
    elif as_markdown:
        print(table.markdown(), end="")
    else:
        print_table(table.rich())


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
    )
    tasks: dict[str, rich_progress.TaskID] = {}
    console = Console(stderr=True)
    with rich_progress.Progress(*columns, console=console, refresh_per_second=4) as bars:

        def show(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show


class _LogLines:
    """A line when a stage begins, when it ends, and every so many seconds in between."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._shown: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        last = self._shown.get(stage)
        ended = total is not None and done >= total
        if last is None or now - last > self._seconds or (ended and last != float("inf")):
            of_total = "" if total is None else f"/{total}"
            print(f"{stage}: {done}{of_total}", file=sys.stderr, flush=True)
            self._shown[stage] = float("inf") if ended else now
