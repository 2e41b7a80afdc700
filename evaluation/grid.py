"""Tables of short texts: on the terminal, or in Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.table import Table

Cells = Sequence[str]


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
            drawn.add_row(*(f"[bold]{c.strip('*')}[/bold]" if "**" in c else c for c in row))
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
    """The cells with the highest number bold, where there are two numbers or more."""
    cells = list(cells)
    numbers = [float(cell) for cell in cells if cell != "-"]
    if len(numbers) < 2:
        return cells
    return [f"**{c}**" if c != "-" and float(c) == max(numbers) else c for c in cells]
