"""Results on stdout (`--format table|json|jsonl|csv|markdown`), and progress on stderr."""

import csv
import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import click

import specter_graph as sg
from specter_graph.core.errors import summarize_names
from specter_graph.core.progress import Progress
from specter_graph.loaders.parsing.delimited import escape_formula

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from specter_graph.evaluation.report.table import ResultTable

FORMATS = ("table", "json", "jsonl", "csv", "markdown")
Row = Mapping[str, Any]

_WIDTH = 100  # of a table where no terminal says how wide it is
_MAX_WIDTH = 10_000  # a width in which every table is measured
_WRAPPED = 28  # a column with longer texts gives way where a table is wider than the terminal
_MIN_WIDTH = 12
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ESCAPED_C1 = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}  # orjson escapes others


@dataclass(frozen=True, slots=True)
class Output:
    """The format that the user chose."""

    format: str

    def show(self, result: Any, text: Callable[[Any], object] | None = None) -> None:
        """Print a result.

        Args:
            result: A dataclass, a model, a dict, or a list of these, which are rows.
            text: Prints the result for people, instead of a table of rows or a list of values.
        """
        if self.format == "table" and text:
            text(result)
        elif self.format == "table" and not isinstance(result, list | tuple):
            _print_values(rows_of(result)[0])
        elif self.format == "json":
            click.echo(to_json(result))
        else:
            self.show_rows(rows_of(result))

    def show_rows(
        self, rows: Sequence[Row], columns: Sequence[str] | None = None, *, quiet: bool = False
    ) -> None:
        """Print rows; `columns` are needed only where there may be no rows.

        If there are none, stderr says so, unless the output is `quiet`, as cron requires.
        """
        columns = list(columns or dict.fromkeys(key for row in rows for key in row))
        cells = [[row.get(column) for column in columns] for row in rows]
        if self.format == "json":
            click.echo(to_json([dict(row) for row in rows]))
        elif self.format == "jsonl":
            for row in rows:
                click.echo(to_json(row, indent=False))
        elif self.format == "csv":
            click.echo(_csv(columns, cells), nl=False)
        elif self.format == "markdown":
            click.echo(_markdown(columns, cells))
        elif rows:
            print_table(_table(columns, cells))
        if not rows and not quiet:
            click.echo("no rows", err=True)

    def show_list(
        self, result: Sequence[Any], columns: Sequence[str], *, quiet: bool = False
    ) -> None:
        """Print a list of results; a table, or an empty file, has these columns only."""
        is_short = self.format == "table" or not result
        self.show_rows(rows_of(result), columns if is_short else None, quiet=quiet)

    def show_table(self, result: Any, table: "ResultTable") -> None:
        """Print a table of figures; `result` has more than the table, for json."""
        if self.format == "table":
            print_table(table.rich())
        elif self.format == "markdown":
            click.echo(terminal_safe(table.markdown()), nl=False)
        elif self.format == "json":
            click.echo(to_json(result))
        else:
            self.show_rows(table.records())


def terminal_safe(text: str) -> str:
    """Return a text of a stranger, such as a title, without characters that control a terminal."""
    return _CONTROLS.sub("\ufffd", text)


def to_json(value: Any, *, indent: bool = True) -> str:
    """Return a result as JSON text."""
    import orjson

    options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    options |= orjson.OPT_INDENT_2 if indent else 0
    return orjson.dumps(value, default=_plain, option=options).decode().translate(_ESCAPED_C1)


def rows_of(result: Any) -> list[Row]:
    """Return a result as rows: a list is many, anything else is one."""
    if isinstance(result, list | tuple):
        return [row for part in result for row in rows_of(part)]
    if is_dataclass(result) and not isinstance(result, type):
        return [asdict(result)]
    return [result if isinstance(result, Mapping) else _plain(result)]


def print_table(table: "RichTable") -> None:
    """Print a table on stdout, as wide as the terminal, or wider rather than without columns."""
    minimum = _console(_MAX_WIDTH).measure(table).minimum
    _console(max(_console().width, minimum)).print(table)


def fits(table: "RichTable") -> bool:
    """Return True if a table is not wider than the terminal."""
    return _console(_MAX_WIDTH).measure(table).maximum <= _console().width


def _console(width: int | None = None) -> "Console":
    from rich.console import Console

    return Console(width=width or (None if sys.stdout.isatty() else _WIDTH))


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def _csv(columns: Sequence[str], rows: list[list[Any]]) -> str:
    """CSV with a header; lists and objects as JSON, null as nothing, formulas escaped."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in [columns, *rows]:
        cells = (to_json(cell, indent=False) if _is_nested(cell) else cell for cell in row)
        texts = (terminal_safe(cell) if isinstance(cell, str) else cell for cell in cells)
        writer.writerow([escape_formula(cell) if isinstance(cell, str) else cell for cell in texts])
    return text.getvalue()


def _markdown(columns: Sequence[str], rows: list[list[Any]]) -> str:
    lines = [[*map(_cell, columns)], ["---"] * len(columns)]
    lines += [
        [_cell(value).replace("|", "\\|").replace("\n", "; ") for value in row] for row in rows
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _table(columns: Sequence[str], rows: list[list[Any]]) -> "RichTable":
    """Make a table; where it is too wide only columns of long texts give way."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    cells = [[_cell(value) for value in row] for row in rows]
    for place, column in enumerate(columns):
        lines = [line for row in cells for line in row[place].splitlines()]
        widest = max(map(len, [column, *lines]))
        wraps = widest > _WRAPPED and not any(isinstance(row[place], list) for row in rows)
        table.add_column(
            Text(_cell(column)),
            justify="right"
            if all(isinstance(row[place], int | float | None) for row in rows)
            else "left",
            no_wrap=not wraps,
            overflow="fold" if wraps else "ellipsis",
            min_width=min(widest, _MIN_WIDTH if wraps else _WRAPPED),
        )
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def _print_values(record: Row) -> None:
    """Print each value of a record after its name."""
    values = dict(_named_values(record))
    width = max(map(len, values))
    for name, value in values.items():
        click.echo(terminal_safe(f"{name:{width}}  {value}"))


def _named_values(record: Row, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values as text; the names of values in an object begin with the object's name."""
    for key, value in record.items():
        name = f"{prefix}{key}".replace("_", " ")
        if isinstance(value, dict):
            yield from _named_values(value, f"{name} ")
        elif isinstance(value, list | tuple):
            entries = [_cell(entry).replace("\n", " ") for entry in value]
            yield name, f"{len(value)}: {summarize_names(entries, 10)}" if value else "none"
        else:
            yield name, _cell(value)


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple | dict) or is_dataclass(value)


def _cell(value: Any) -> str:
    """One value for people: numbers to three places, one line for each item of a list."""
    return terminal_safe(_describe(value))


def _describe(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if 1e-3 <= abs(value) < 1e3 or not value else f"{value:.4g}"
    if isinstance(value, list | tuple | dict):
        from specter_graph.core.vectors import shorten_vectors

        value = shorten_vectors(value)
    if isinstance(value, list):
        return "\n".join(map(_cell, value))
    if isinstance(value, dict):
        for name in ("id", "text"):
            if name in value:
                return str(value[name])
        return json.dumps(value, ensure_ascii=False)
    return str(value)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show long work: a bar for each stage on a terminal, quiet log lines elsewhere."""
    if sys.stderr.isatty():
        with _bars() as progress:
            yield progress
    else:
        yield _LogLines(sg.Settings().specter_graph_log_seconds)


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
