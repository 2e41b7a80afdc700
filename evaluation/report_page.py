"""The report that people look at: one HTML page that needs no network, and its table in Markdown.

What is on it is made by `reporting`; here are its records, its figures, and the writing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.files import complete_file
from specter_graph.core.statistics import Interval
from specter_graph.evaluation.ablations import AblatedMeasure
from specter_graph.evaluation.scoring import Intervals, Report
from specter_graph.evaluation.table import HEADS, columns, is_best, mark, markdown, rows

COLOURS = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99",
)  # fmt: skip
"""Paul Tol's bright scheme: told apart by the colour-blind too. What comes after is grey."""

SIDE = 600
"""The map's, in pixels."""


@dataclass(frozen=True, slots=True)
class SpaceFacts:
    """How a space was made; `missing` papers have no vector in it."""

    name: str
    kind: str
    base: str
    dimension: int
    hold_out: str
    created: str
    papers: int
    missing: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Point:
    """A paper on the map, `x` and `y` in pixels; `colour` is a place in `COLOURS`, or behind."""

    x: float
    y: float
    colour: int
    title: str
    label: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A paper in a ranking of `cite`, from 1; `right` if the query cites it."""

    rank: int
    title: str
    right: bool


@dataclass(frozen=True, slots=True)
class WorstQuery:
    """A query that a space ranks badly, with the first of its ranking and all that it cites."""

    id: str
    title: str
    precision: float
    ranking: Sequence[Ranked]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page; `shown` is the space of the map and of the worst queries.

    `still_open` are baselines that have no figures, and why.
    """

    report: Report
    split: str
    spaces: Sequence[SpaceFacts]
    shown: str
    points: Sequence[Point]
    legend: Sequence[tuple[str, int]]
    worst: Sequence[WorstQuery]
    ablations: Sequence[AblatedMeasure]
    still_open: Mapping[str, str]
    seconds: float

    @property
    def rows(self) -> list[tuple[str, list[tuple[Interval | None, bool, str]]]]:
        """The table: of each row the interval, whether it is the best, and its mark."""
        return [
            (name, [self._cell(name, of, column) for column in columns(self.report)])
            for name, of in rows(self.report)
        ]

    def _cell(
        self, name: str, of: Intervals, column: tuple[str, str]
    ) -> tuple[Interval | None, bool, str]:
        task, metric = column
        if task not in of:
            return None, False, ""
        report = self.report
        return of[task][metric], is_best(report, name, column), mark(report, name, column)

    @property
    def heads(self) -> list[str]:
        """The titles of the table's columns."""
        return [f"{task} {HEADS[metric]}" for task, metric in columns(self.report)]

    @property
    def bars(self) -> list[tuple[str, list[tuple[str, Interval]]]]:
        """By column of the table: each space's interval."""
        return [
            (
                title,
                [(name, of[task][metric]) for name, of in self.report.spaces.items() if task in of],
            )
            for title, (task, metric) in zip(self.heads, columns(self.report), strict=True)
        ]

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours of the map."""
        return COLOURS


def in_pixels(places: NDArray[np.floating]) -> NDArray[np.float64]:
    """Put points (n, 2) into a square of SIDE pixels with a margin, both axes on one scale."""
    low, high = places.min(axis=0), places.max(axis=0)
    scale = (SIDE - 20) / max(float((high - low).max()), 1e-9)
    centred = (places - (low + high) / 2) * scale
    return np.asarray(centred * (1, -1) + SIDE / 2, np.float64)


def write_page(page: Page, folder: Path) -> list[Path]:
    """Write `report.html` and `report.md` into a folder; each appears when it is whole."""
    from jinja2 import Environment, PackageLoader

    folder.mkdir(parents=True, exist_ok=True)
    template = Environment(
        loader=PackageLoader("specter_graph.evaluation", "."), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    ).get_template("report.html")  # fmt: skip
    texts = {"report.html": template.render(page=page), "report.md": _markdown(page)}
    for name, text in texts.items():
        with complete_file(folder / name) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _markdown(page: Page) -> str:
    """The table, and the rows that have no figures."""
    reasons = "".join(f"- `{name}`: {why}\n" for name, why in page.still_open.items())
    return markdown(page.report) + (f"\n{reasons}" if reasons else "")
