"""A report on the spaces of a graph: a self-contained HTML page and a Markdown table.

The page has scores, a map, and the queries on which the best space has the lowest scores.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.atomic_files import create_folder, write_file, write_page
from specter_graph.core.progress import Progress, silent
from specter_graph.core.statistics import Interval
from specter_graph.evaluation.metrics.ranking import Ints, ranks_of, squared_distances
from specter_graph.evaluation.protocols.dataset import PaperVectors
from specter_graph.evaluation.protocols.geometry import (
    MIN_PROJECTED,
    draw_classes,
    project_and_cluster,
)
from specter_graph.evaluation.protocols.held_out import (
    METRICS,
    HeldOutData,
    HeldOutResult,
    Intervals,
    Ranking,
    evaluate,
    rankings,
    score,
)
from specter_graph.evaluation.protocols.space_evaluation import (
    StoredVectors,
    chosen_systems,
    find_system,
    held_out_data,
)
from specter_graph.evaluation.report.table import (
    TITLES,
    Cell,
    ResultTable,
    held_out_table,
    text_cell,
)
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, read_vectors
from specter_graph.graph.split import HeldOutSplit

COLORS = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99",
)  # fmt: skip
"""Paul Tol's bright scheme, which is safe for color-blind readers. Further labels are gray."""

WORST = 10
"""Number of queries shown."""

FIRST = 5
"""Number of papers shown of a ranking, besides the relevant ones."""

_SIDE = 600  # of the map, in pixels
_OTHER = "#999"


class Point(NamedTuple):
    """A paper on the map, `x` and `y` in pixels."""

    x: float
    y: float
    color: str
    title: str
    label: str


class RankedPaper(NamedTuple):
    """A paper in a ranking of `cite`, from rank 1; `right` if the query cites the paper."""

    rank: int
    title: str
    right: bool


class WorstQuery(NamedTuple):
    """A query with a low score, with the top of its ranking and the papers it cites."""

    id: str
    title: str
    precision: float
    ranking: Sequence[RankedPaper]


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """Settings of a report.

    Attributes:
        spaces: The spaces, None for all; names joined by commas are one system over several random
            seeds.
        split: The papers to score: "test" or "validation".
        holdout: The share of held-out papers, by default the smallest one of the spaces.
        compare_to: The system to compare the others with.
        label_scheme: The labels that color the map, see `geometry.draw_classes`.
        seed: Random seed of candidates, resamples and the map.
    """

    spaces: Sequence[str] | None = None
    split: HeldOutSplit = "test"
    holdout: float | None = None
    compare_to: str | None = None
    label_scheme: str | None = None
    seed: int = 0


def write_report(
    db: Database,
    output: Path,
    settings: ReportSettings,
    *,
    rankers: Mapping[str, Intervals] | None = None,
    missing: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> list[Path]:
    """Write `report.html` and `report.md` into a folder, atomically.

    The map and the worst queries show the space that is best at `cite` (of several seeds, the
    first).

    Args:
        db: The graph.
        output: The folder, which is created if necessary.
        settings: The settings.
        rankers: Scores of baselines without a space.
        missing: Baselines without scores, with the reason.
        progress: Called with the stages.

    Returns:
        The paths of both files. For errors, see `Evaluations.report`.
    """
    seed = settings.seed
    systems, chosen = chosen_systems(db, settings.spaces)
    data = held_out_data(db, chosen, settings.split, settings.holdout)
    stored = StoredVectors(db)
    report = evaluate(
        stored,
        data,
        systems=systems,
        seed=seed,
        compare_to=find_system(systems, settings.compare_to),
        progress=progress,
    )
    spaces_table = _spaces_table(db, chosen, stored.papers)
    best = systems[_find_best_space(report)][0]
    report = replace(report, spaces=report.spaces | dict(rankers or {}))
    table = held_out_table(report)
    progress("draw the map", 0, 1)
    vectors = PaperVectors.build(*read_vectors(db, best), best)
    points, legend = _map(db, vectors, settings.label_scheme, seed)
    progress("draw the map", 1, 1)
    worst = _find_worst_queries(db, vectors, data, rankings(data, seed)["cite"])
    html, markdown = output / "report.html", output / "report.md"
    create_folder(output)
    write_page(
        html,
        "specter_graph.evaluation.report",
        "report.html",
        split=settings.split,
        table=table,
        missing=missing or {},
        charts=_charts(report),
        best=best,
        points=points,
        legend=legend,
        worst=worst,
        spaces=spaces_table,
    )
    reasons = "".join(f"- `{name}`: {reason}\n" for name, reason in (missing or {}).items())
    write_file(markdown, table.markdown() + (f"\n{reasons}" if reasons else ""))
    return [html, markdown]


def _charts(report: HeldOutResult) -> dict[str, list[tuple[str, Interval]]]:
    """Return the intervals of all spaces, by column of the table."""
    return {
        f"{task} {TITLES[metric]}": [
            (name, of[task][metric]) for name, of in report.spaces.items() if task in of
        ]
        for task, metrics in report.random.items()
        if task in METRICS
        for metric in metrics
    }


def _spaces_table(
    db: Database, spaces: Sequence[EmbeddingSpace], scored: Mapping[str, int]
) -> ResultTable:
    """Return a table of the origin of each space and of missing vectors."""
    papers = stats(db).papers
    head = (
        "space", "kind", "base", "dimensions", "hold-out", "made", "papers", "without vector",
    )  # fmt: skip
    rows = [
        [
            text_cell(record.name),
            text_cell(record.kind),
            text_cell(record.base),
            Cell(record.dimension, str(record.dimension)),
            text_cell(f"{record.holdout:.0%}" if record.sees_edges else "uses no citations"),
            text_cell(record.created[:16].replace("T", " ")),
            *(Cell(n, f"{n:,}") for n in (papers, papers - scored[record.name])),
        ]
        for record in spaces
    ]
    return ResultTable(head, rows)


def _find_best_space(report: HeldOutResult) -> str:
    """Return the space that is best by the first metric, the MAP of cite."""
    task = next(iter(report.random))
    metric = next(iter(report.random[task]))
    return max(report.spaces, key=lambda name: report.spaces[name][task][metric].value)


def _map(
    db: Database, vectors: PaperVectors, scheme: str | None, seed: int
) -> tuple[list[Point], dict[str, str]]:
    """Project the labeled papers; return the points, and colors by label, most frequent first."""
    classes = {p: of for p, of in draw_classes(db, scheme, seed).items() if p in vectors}
    if len(classes) < MIN_PROJECTED or len(set(classes.values())) < 2:
        return [], {}
    places = _to_pixels(
        project_and_cluster(vectors.get(classes), list(classes.values()), seed=seed).places
    )
    ordered = sorted(Counter(classes.values()).items(), key=lambda item: (-item[1], item[0]))
    colors = {
        label: COLORS[place] if place < len(COLORS) else _OTHER
        for place, (label, _) in enumerate(ordered)
    }
    titles = {text.id: text.title for text in paper_texts(db, [*classes])}
    points = [
        Point(float(x), float(y), colors[label], titles[paper], label)
        for (paper, label), (x, y) in zip(classes.items(), places, strict=True)
    ]
    return points, colors


def _to_pixels(places: NDArray[np.floating]) -> NDArray[np.float64]:
    """Scale points (n, 2) to a square with a margin; both axes have the same scale."""
    low, high = places.min(axis=0), places.max(axis=0)
    scale = (_SIDE - 20) / max(float((high - low).max()), 1e-9)
    centered = (places - (low + high) / 2) * scale
    return np.asarray(centered * (1, -1) + _SIDE / 2, np.float64)


def _find_worst_queries(
    db: Database, vectors: PaperVectors, data: HeldOutData, queries: Sequence[Ranking]
) -> list[WorstQuery]:
    """Return the queries of `cite` with the lowest average precision, the lowest first."""
    if not queries:
        return []
    space = (list(vectors.rows), vectors.array)
    precision = score(vectors.name, space, data, {"cite": queries})["cite"]["map"]
    ids = [data.papers[ranking.query].id for ranking in queries]
    worst = sorted(zip(precision.tolist(), ids, queries, strict=True), key=lambda row: row[:2])
    among = {
        query: [data.candidates[place] for place in ranking.among]  # type: ignore[union-attr]
        for _, query, ranking in worst[:WORST]
    }
    shown = {paper for query, papers in among.items() for paper in (query, *papers)}
    titles = {text.id: text.title for text in paper_texts(db, sorted(shown))}
    return [
        WorstQuery(
            query,
            titles[query],
            average,
            _ranking(vectors, query, among[query], ranking.relevant, titles),
        )
        for average, query, ranking in worst[:WORST]
    ]


def _ranking(
    vectors: PaperVectors,
    query: str,
    papers: Sequence[str],
    relevant: Ints,
    titles: Mapping[str, str],
) -> list[RankedPaper]:
    """Return the first papers of a ranking, and the relevant ones."""
    own, *others = (vectors.array[vectors.rows[paper]] for paper in (query, *papers))
    ranks = ranks_of(squared_distances(own, np.stack(others)), np.arange(len(papers)))
    right = {papers[place] for place in relevant}
    return [
        RankedPaper(rank, titles[paper], paper in right)
        for rank, paper in sorted(zip(ranks.tolist(), papers, strict=True))
        if rank <= FIRST or paper in right
    ]
