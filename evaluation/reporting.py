"""Makes the report of the spaces of a graph: scores, a map, and the queries that go worst."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic

import numpy as np

from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation import metrics
from specter_graph.evaluation.ablations import read_ablations
from specter_graph.evaluation.distances import distances
from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.protocol import Ranking, rankings
from specter_graph.evaluation.report_page import (
    COLOURS,
    Page,
    Point,
    Ranked,
    SpaceFacts,
    WorstQuery,
    in_pixels,
    write_page,
)
from specter_graph.evaluation.scoring import (
    Intervals,
    Report,
    Vectors,
    evaluate,
    system_name,
)
from specter_graph.evaluation.space_reports import classes_of
from specter_graph.evaluation.spaces import (
    StoredVectors,
    chosen_spaces,
    held_out_facts,
    row_title,
    systems_of,
)
from specter_graph.evaluation.structure import LEAST_PICTURED, on_a_plane
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import count_papers, paper_texts
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, read_vectors
from specter_graph.graph.split import HeldOutSplit

WORST = 10
"""Queries shown."""
FIRST = 5
"""Papers shown of a ranking, beside those that are right."""


def report_spaces(
    db: Database,
    output: Path,
    names: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    against: str | None = None,
    scheme: str | None = None,
    ablations: Path | None = None,
    rankers: Mapping[str, Intervals] | None = None,
    still_open: Mapping[str, str] | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Path]:
    """Write `report.html` and `report.md` into the folder `output`; returns their paths.

    The map and the worst queries are of the space that is best at `cite`, of several seeds of the
    first; the map is coloured by labels of `scheme`, see `space_reports.classes_of`. `ablations` is
    a file of `bench/ablations.py`. `rankers` are rows without a space, and `still_open` are rows
    without figures, with the reason. Raises as `spaces.evaluate_spaces` does, and InputError for a
    file that has no ablations.
    """
    started = monotonic()
    bars = read_ablations(ablations) if ablations else []
    systems = systems_of(db, names)
    chosen = chosen_spaces(db, [name for system in systems for name in system])
    versus = row_title(systems, against)
    facts = held_out_facts(db, chosen, split, holdout)
    watched = _Watched(db, [each.property for each in chosen])
    report = evaluate(
        watched,
        facts,
        systems=systems,
        seed=seed,
        against=versus,
        progress=progress,
    )
    watched.stop()
    best = {system_name(system): system[0] for system in systems}[_best(report)]
    report = replace(report, spaces=report.spaces | dict(rankers or {}))
    progress("draw the map", 0, 1)
    vectors = Embeddings.of(*read_vectors(db, best))
    points, legend = _map(db, vectors, scheme, seed)
    progress("draw the map", 1, 1)
    page = Page(
        report=report,
        split=split,
        spaces=_facts(db, chosen, watched),
        shown=best,
        points=points,
        legend=legend,
        worst=_worst(db, vectors, facts, rankings(facts, seed)["cite"]),
        ablations=bars,
        still_open=dict(still_open or {}),
        seconds=monotonic() - started,
    )
    return write_page(page, output)


class _Watched(StoredVectors):
    """Notes of each space how many papers there are, and when it was asked for."""

    def __init__(self, db: Database, names: Sequence[str]) -> None:
        super().__init__(db, names)
        self._begun: list[tuple[str, float]] = []
        self.papers: dict[str, int] = {}

    def __getitem__(self, name: str) -> Vectors:
        begun = monotonic()
        ids, vectors = super().__getitem__(name)
        self._begun.append((name, begun))
        self.papers[name] = len(ids)
        return ids, vectors

    def stop(self) -> None:
        """Called after the last space is scored."""
        self._begun.append(("", monotonic()))

    @property
    def seconds(self) -> dict[str, float]:
        """How long it took to read and score each space."""
        return {name: end - start for (name, start), (_, end) in pairwise(self._begun)}


def _best(report: Report) -> str:
    """The space that is best at the first measure that was asked, cite's MAP."""
    first = next(iter(report.spaces.values()))
    task = next(iter(first))
    metric = next(iter(first[task]))
    return max(report.spaces, key=lambda name: report.spaces[name][task][metric].value)


def _map(
    db: Database, vectors: Embeddings, scheme: str | None, seed: int
) -> tuple[list[Point], list[tuple[str, int]]]:
    """The labelled papers on a plane; the labels and their colours, the most frequent first."""
    classes = {p: of for p, of in classes_of(db, scheme, seed).items() if p in vectors}
    if len(classes) < LEAST_PICTURED or len(set(classes.values())) < 2:
        return [], []
    places = in_pixels(
        on_a_plane(vectors.of_papers(classes), list(classes.values()), seed=seed).places
    )
    ordered = sorted(Counter(classes.values()).items(), key=lambda item: (-item[1], item[0]))
    colour = {label: min(place, len(COLOURS)) for place, (label, _) in enumerate(ordered)}
    titles = {text.id: text.title for text in paper_texts(db, [*classes])}
    points = [
        Point(float(x), float(y), colour[label], titles[paper], label)
        for (paper, label), (x, y) in zip(classes.items(), places, strict=True)
    ]
    return points, [*colour.items()]


def _worst(
    db: Database, vectors: Embeddings, facts: Facts, asked: Sequence[Ranking]
) -> list[WorstQuery]:
    """The queries of `cite` with the lowest average precision, the worst first."""
    found = []
    for ranking in asked:
        among = [facts.candidates[place] for place in ranking.among]  # type: ignore[union-attr]
        query = facts.papers[ranking.query].id
        near = next(distances(vectors.of_papers([query]), vectors.of_papers(among)))[0]
        ranks = metrics.ranks_of(near, ranking.relevant)
        found.append(
            (float(metrics.average_precision(ranks[None])[0]), query, among, near, ranking)
        )
    worst = sorted(found, key=lambda each: each[:2])[:WORST]
    shown = {paper for _, query, among, _, _ in worst for paper in (query, *among)}
    titles = {text.id: text.title for text in paper_texts(db, sorted(shown))}
    return [
        WorstQuery(query, titles[query], precision, _ranking(among, near, ranking, titles))
        for precision, query, among, near, ranking in worst
    ]


def _ranking(
    among: Sequence[str],
    near: np.ndarray[tuple[int], np.dtype[np.floating]],
    ranking: Ranking,
    titles: Mapping[str, str],
) -> list[Ranked]:
    """The first papers of a ranking, and those that are right."""
    ranks = metrics.ranks_of(near, np.arange(len(among)))
    right = {among[place] for place in ranking.relevant}
    every = sorted(zip(ranks.tolist(), among, strict=True))
    return [
        Ranked(rank, titles[paper], paper in right)
        for rank, paper in every
        if rank <= FIRST or paper in right
    ]


def _facts(db: Database, chosen: Sequence[EmbeddingSpace], watched: _Watched) -> list[SpaceFacts]:
    papers = count_papers(db)
    return [
        SpaceFacts(
            name=each.property,
            kind=each.kind,
            base=each.base,
            dimension=each.dimension,
            hold_out=f"{each.holdout:.0%}" if each.sees_edges else "sees no citations",
            created=each.created[:16].replace("T", " "),
            papers=papers,
            missing=papers - watched.papers[each.property],
            seconds=watched.seconds[each.property],
        )
        for each in chosen
    ]
