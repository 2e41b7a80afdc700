"""Progress on stderr; stdout is for results."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from specter_graph.core.progress import Progress


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


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
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
    """Prints a line when a stage starts, when it ends, and every few seconds in between."""

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
