"""Tables of short texts: on the terminal, or in Markdown."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.table import Table

Cells = Sequence[str]

_BOLD = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells below a head; `notes` are lines below the table."""

    head: Cells
    rows: Sequence[Cells]
    notes: Sequence[str] = field(default=())

    def table(self) -> Table:
        """A rich table; what is bold in Markdown is bold."""
        drawn = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
        drawn.caption, drawn.caption_justify = "\n".join(self.notes), "left"
        for number, title in enumerate(self.head):
            drawn.add_column(title, justify="right" if number else "left", no_wrap=not number)
        for row in self.rows:
            drawn.add_row(*(_BOLD.sub(r"[bold]\1[/bold]", cell) for cell in row))
        return drawn

    def markdown(self) -> str:
        """The same in Markdown."""
        rule = ["---", *("---:" for _ in self.head[1:])]
        lines = [f"| {' | '.join(row)} |" for row in (self.head, rule, *self.rows)]
        return "\n\n".join(["\n".join(lines), *self.notes]) + "\n"


def percent(value: float | None, decimals: int = 2) -> str:
    """A share in percent; nothing is a hyphen."""
    return "-" if value is None else f"{100 * value:.{decimals}f}"


def best_bold(cells: Iterable[str]) -> list[str]:
    """The cells with the highest number bold, where there are two or more; more may follow it."""
    cells = list(cells)
    numbers = [float("-inf") if cell == "-" else float(cell.split(" ", 1)[0]) for cell in cells]
    if len(cells) - cells.count("-") < 2:
        return cells
    best = max(numbers)
    return [
        re.sub(r"^\S+", r"**\g<0>**", cell) if number == best else cell
        for number, cell in zip(numbers, cells, strict=True)
    ]
