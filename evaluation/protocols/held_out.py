"""The held-out tasks: rank candidates by their distance to each held-out paper, the query.

`cite` and `cocite` follow SciDocs (SPECTER, section 3.2): up to 5 relevant papers among 25 random
ones.

- `cite`: the relevant papers are cited by the query; the others have no citation to or from it.
- `cocite`: a third paper cites the relevant papers together with the query, and no paper does so
  for the others. No candidate has a citation to or from the query, so that the relevant papers
  differ from those of `cite`.
- `retrieval`: all papers that the query cites, among all candidates.

`VARIANTS` are the same tasks with other queries or candidates, such as `cite-older`.

Candidates are never held out. All choices depend only on the seed and the ids. This module needs no
database.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os.path import commonprefix
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent, tracked
from specter_graph.core.statistics import Interval, bootstrap_means
from specter_graph.encoder.baselines.text_vectors import random_vectors
from specter_graph.evaluation.metrics.ranking import (
    Floats,
    Ints,
    distances,
    ranks_of,
    score_ranks,
    squared_distances,
)
from specter_graph.loaders.records import sample_key

POSITIVES = 5
NEGATIVES = 25
METRICS = {
    "cite": ("map", "ndcg"),
    "cocite": ("map", "ndcg"),
    "retrieval": ("recall@10", "recall@100", "mrr", "ndcg@10"),
}
VARIANTS = {
    "older": "Candidates older than the query",
    "distinct": "Queries without a near-duplicate among the candidates",
    "short": "Queries with 1 to 4 references",
    "high": "Most often co-cited papers, as in SciDocs",
}
"""Variants of the tasks, by the suffix of their names."""

SpaceVectors: TypeAlias = tuple[Sequence[str], NDArray[np.float32]]
"""Ids of papers and their vectors, (papers, d)."""

Scores: TypeAlias = dict[str, dict[str, Floats]]
"""By task and metric: values in 0..1, (queries,), ordered by id, or (seeds, queries)."""

Intervals: TypeAlias = dict[str, dict[str, Interval]]
"""By task and metric: the mean over the queries, with its interval."""


class HeldOutRow(NamedTuple):
    """A held-out paper with the ids of related papers.

    Attributes:
        id: The paper.
        cites: The papers that it cites.
        cited_by: The papers that cite it.
        cocited: How many papers cite it together with each of these papers.
        is_distinct: It is known that no candidate is a near-duplicate of the paper.
        is_short: The paper has too few references for the main tasks.
    """

    id: str
    cites: Iterable[str]
    cited_by: Iterable[str]
    cocited: Mapping[str, int]
    is_distinct: bool = False
    is_short: bool = False


@dataclass(frozen=True, slots=True)
class HeldOutPaper:
    """A query and its citations, which training has not seen.

    `cites`, `cited_by` and `cocited` (a paper cites both) are ascending positions in
    `HeldOutData.candidates`; `times` are the numbers of papers that cite both. `date` is 0 if
    unknown.
    """

    id: str
    cites: Ints
    cited_by: Ints
    cocited: Ints
    times: Ints
    date: int
    is_distinct: bool
    is_short: bool

    @property
    def linked(self) -> Ints:
        """The candidates with a citation to or from the paper."""
        return np.union1d(self.cites, self.cited_by)


@dataclass(frozen=True, slots=True)
class HeldOutData:
    """The held-out papers and the candidates (the training papers), each ordered by id.

    Attributes:
        candidates: Ids of the candidates.
        dates: The dates of the candidates as numbers, such as 20020131; 0 if unknown.
        papers: The held-out papers.
    """

    candidates: tuple[str, ...]
    dates: Ints
    papers: tuple[HeldOutPaper, ...]

    @classmethod
    def build(
        cls,
        candidates: Iterable[str],
        rows: Iterable[HeldOutRow],
        dates: Mapping[str, str] | None = None,
    ) -> "HeldOutData":
        """Build data from ids in any order; ids that are not candidates are ignored.

        Args:
            candidates: The candidates.
            rows: The held-out papers.
            dates: Dates by paper that begin with YYYY, YYYY-MM or YYYY-MM-DD.

        Raises:
            InputError: A held-out paper is a candidate, too, or has two rows.
        """
        ordered = tuple(sorted({*candidates}))
        position = {paper: i for i, paper in enumerate(ordered)}
        dates = dates or {}

        def places(ids: Iterable[str]) -> Ints:
            return np.array(sorted({position[id] for id in ids if id in position}), np.int64)

        papers = [
            HeldOutPaper(
                row.id,
                places(row.cites),
                places(row.cited_by),
                cocited := places(row.cocited),
                np.array([row.cocited[ordered[place]] for place in cocited], np.int64),
                _date_number(dates.get(row.id, "")),
                row.is_distinct,
                row.is_short,
            )
            for row in rows
        ]
        for paper, rows_of in Counter(paper.id for paper in papers).items():
            if paper in position or rows_of > 1:
                role = "is a candidate, too" if paper in position else f"has {rows_of} rows"
                raise InputError(
                    f"the held-out paper {paper!r} {role}",
                    "give each held-out paper in one row, and the other papers as candidates",
                )
        return cls(
            ordered,
            np.array([_date_number(dates.get(paper, "")) for paper in ordered], np.int64),
            tuple(sorted(papers, key=lambda paper: paper.id)),
        )

    def older(self, date: int) -> NDArray[np.bool_]:
        """Mark the candidates with a known date before this one."""
        return (self.dates > 0) & (self.dates < date)


def _date_number(date: str) -> int:
    """Return YYYYMMDD of a date or a time, with zeros for what is missing; 0 if it is neither."""
    match = re.match(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", date)
    return int("".join(part or "00" for part in match.groups())) if match else 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """A query of a task.

    Attributes:
        query: Position in `HeldOutData.papers`.
        among: Ascending positions of the papers to rank in `HeldOutData.candidates`; None for all.
        relevant: Positions of the relevant papers in `among`.
        before: If `among` is None, only candidates older than this date are ranked; 0 means all.
    """

    query: int
    among: Ints | None
    relevant: Ints
    before: int = 0


Tasks: TypeAlias = Mapping[str, Sequence[Ranking]]


def metrics_of(task: str) -> tuple[str, ...]:
    """Return the metrics of a task or of its variant."""
    return METRICS[task.partition("-")[0]]


def rankings(data: HeldOutData, seed: int, *, variants: bool = False) -> dict[str, list[Ranking]]:
    """Return the queries of each task; papers without a relevant paper are skipped.

    Args:
        data: The held-out papers and the candidates.
        seed: Random seed of the candidates.
        variants: Add the variants of the tasks, such as "cite-older".
    """
    tasks: dict[str, list[Ranking]] = {task: [] for task in METRICS}

    def add(suffix: str, drawn: Mapping[str, Ranking | None]) -> None:
        for task, ranking in drawn.items():
            if ranking:
                tasks.setdefault(task + suffix, []).append(ranking)

    for query, paper in enumerate(data.papers):
        drawn = _rankings_of(data, query, seed)
        if not paper.is_short:
            add("", drawn)
        if not variants:
            continue
        if paper.is_short:
            add("-short", drawn)
            continue
        add("-older", _rankings_of(data, query, seed, paper.date) if paper.date else {})
        add("-distinct", drawn if paper.is_distinct else {})
        generator = np.random.default_rng((seed, 2, sample_key(paper.id)))
        shuffled = generator.permutation(len(paper.cocited))
        frequent = paper.cocited[np.lexsort((shuffled, -paper.times))][:POSITIVES]
        add("-high", {"cocite": _draw(data, query, frequent, paper.cocited, (seed, 1))})
    return tasks


def _rankings_of(
    data: HeldOutData, query: int, seed: int, before: int = 0
) -> dict[str, Ranking | None]:
    """Return the tasks of a query, with all candidates or with those older than a date."""
    paper = data.papers[query]
    newer = np.flatnonzero(~data.older(before)) if before else np.empty(0, np.int64)
    linked = np.union1d(paper.linked, newer)
    cites = np.setdiff1d(paper.cites, newer)
    cocited = np.setdiff1d(paper.cocited, linked)
    return {
        "cite": _draw(data, query, cites, linked, (seed, 0)),
        "cocite": _draw(data, query, cocited, np.union1d(linked, cocited), (seed, 1)),
        "retrieval": Ranking(query, None, cites, before)
        if 0 < len(cites) < len(data.candidates) - len(newer)
        else None,
    }


def nonempty_rankings(
    data: HeldOutData, seed: int, *, variants: bool = False
) -> dict[str, list[Ranking]]:
    """Return the tasks that have queries; raises InputError if no task has queries."""
    tasks = {
        task: queries
        for task, queries in rankings(data, seed, variants=variants).items()
        if queries
    }
    if not tasks:
        raise InputError(
            "no held-out paper has citations to score on",
            "use a larger holdout, or load more papers with references",
        )
    return tasks


def _draw(
    data: HeldOutData, query: int, relevant: Ints, excluded: Ints, seeds: tuple[int, int]
) -> Ranking | None:
    """Draw up to 5 relevant papers and 25 candidates that are not excluded.

    Returns None if one of the two kinds is missing.
    """
    size = min(len(data.candidates), NEGATIVES + len(excluded))
    generator = np.random.default_rng((*seeds, sample_key(data.papers[query].id)))
    sample = generator.choice(len(data.candidates), size=size, replace=False)
    negatives = sample[~np.isin(sample, excluded)][:NEGATIVES]
    positives = generator.permutation(relevant)[:POSITIVES]
    if not len(positives) or not len(negatives):
        return None
    among = np.sort(np.concatenate([positives, negatives]))
    return Ranking(query, among, np.searchsorted(among, np.sort(positives)))


@dataclass(frozen=True, slots=True)
class HeldOutResult:
    """The scores of several systems: spaces, or averages over the seeds of a system.

    Attributes:
        spaces: Scores by system.
        queries: Number of queries by task, with variants that have queries.
        random: Scores of random vectors.
        compare_to: The system that the others are compared with.
        differences: Differences to this system by paired bootstrap.
    """

    spaces: dict[str, Intervals]
    queries: dict[str, int]
    random: Intervals
    compare_to: str | None
    differences: dict[str, Intervals]

    def as_json(self) -> dict[str, Any]:
        """Return {"spaces": {NAME: {TASK: {METRIC: {"value", "low", "high"}}}}, "queries": {...}}.

        A comparison adds "differences", in the format of "spaces".
        """
        report = asdict(self)
        keys = ("spaces", "queries", *(["differences"] if self.compare_to else []))
        return {key: report[key] for key in keys}


def evaluate(
    vectors: Mapping[str, SpaceVectors],
    data: HeldOutData,
    *,
    systems: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    compare_to: str | None = None,
    progress: Progress = silent,
) -> HeldOutResult:
    """Score spaces on the same queries.

    Args:
        vectors: Vectors by space, read one space at a time.
        data: The held-out papers and the candidates.
        systems: The systems by name (`systems_by_name`). A system is a space, or several spaces
            that differ only in their seeds; their scores are averaged for each query. By default
            each space is a system.
        seed: Random seed of candidates, random vectors and resamples.
        compare_to: The name of the system (`system_name`) that the others are compared with.
        progress: Called with the number of scored systems.

    Returns:
        The scores of the systems and of random vectors on all tasks and variants, with intervals.

    Raises:
        InputError: No task has queries, or `compare_to` is not one of the systems.
        GraphError: Papers lack vectors.
    """
    rows = systems or {name: [name] for name in vectors}
    if compare_to is not None and compare_to not in rows:
        raise InputError(f"{compare_to!r}, which the others are compared with, is not scored")
    tasks = nonempty_rankings(data, seed, variants=True)
    scores: dict[str, Scores] = {}
    for row, names in tracked(rows.items(), "score spaces", progress):
        scores[row] = stack_seeds([score(name, vectors[name], data, tasks) for name in names])
    return HeldOutResult(
        spaces={name: score_intervals(by_task, seed) for name, by_task in scores.items()},
        queries={task: len(tasks.get(task, ())) for task in {**METRICS, **tasks}},
        random=score_intervals(score("random", _random(data, seed), data, tasks), seed),
        compare_to=compare_to,
        differences={
            name: score_intervals(by_task, seed, minus=scores[compare_to])
            for name, by_task in scores.items()
            if compare_to and name != compare_to
        },
    )


def system_name(names: Sequence[str]) -> str:
    """Return the name of a system: its space, or the common prefix and number of its spaces."""
    if len(names) == 1:
        return names[0]
    common = commonprefix([*names]).rstrip("_-")  # noqa: RUF071, these are names, not paths
    return f"{common or ','.join(names)} ({len(names)} seeds)"


def systems_by_name(systems: Sequence[Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the systems by name; raises InputError when two have the same name."""
    rows = {system_name(names): names for names in systems}
    if len(rows) < len({*map(tuple, systems)}):
        raise InputError("two systems of several seeds have the same name")
    return rows


def stack_seeds(scores: Sequence[Scores]) -> Scores:
    """Stack the scores of spaces that differ only in their seeds: (seeds, queries)."""
    return {
        task: {
            metric: np.stack([of_space[task][metric] for of_space in scores])
            for metric in by_metric
        }
        for task, by_metric in scores[0].items()
    }


def score_intervals(scores: Scores, seed: int, minus: Scores | None = None) -> Intervals:
    """Return the mean of each metric with its interval, or the differences to other scores."""

    def columns(by_metric: Mapping[str, Floats]) -> Floats:
        return np.stack([*by_metric.values()], -1)

    intervals: Intervals = {}
    for task, by_metric in scores.items():
        others = columns(minus[task]) if minus else None
        means = bootstrap_means(columns(by_metric), others, seed=seed)
        intervals[task] = dict(zip(by_metric, means, strict=True))
    return intervals


def score(name: str, vectors: SpaceVectors, data: HeldOutData, tasks: Tasks) -> Scores:
    """Score a space on the queries of tasks.

    Args:
        name: The name of the space, for errors.
        vectors: Ids of papers and their vectors.
        data: The held-out papers and the candidates.
        tasks: The rankings of `data`.

    Raises:
        GraphError: Vectors are missing or not finite.
        InputError: The numbers of ids and vectors differ.
    """
    ids, array = vectors[0], np.asarray(vectors[1], np.float32)
    if array.ndim != 2 or len(ids) != len(array):
        raise InputError(
            f"{name!r} has {len(ids):,} ids, but vectors of shape {array.shape}",
            "give (ids, vectors), with the vectors as an array (papers, d) in the order of the ids",
        )
    rows = {paper: row for row, paper in enumerate(ids)}
    needed = [*(paper.id for paper in data.papers), *data.candidates]
    require_in_space(name, rows, needed)
    array = array[[rows[paper] for paper in needed]]
    if not np.isfinite(array).all():
        raise GraphError(f"the space {name!r} has vectors that are not finite", "embed it again")
    queries, candidates = np.split(array, [len(data.papers)])
    scores = {}
    for task, queries_of_task in tasks.items():
        own = queries[[ranking.query for ranking in queries_of_task]]
        if all(ranking.among is None for ranking in queries_of_task):
            rows_of_task = (row for block in distances(own, candidates) for row in block)
        else:
            rows_of_task = (
                squared_distances(query, candidates[ranking.among])
                for query, ranking in zip(own, queries_of_task, strict=True)
            )
        ranks = []
        for row, ranking in zip(rows_of_task, queries_of_task, strict=True):
            if ranking.before:
                row[~data.older(ranking.before)] = np.inf
            ranks.append(ranks_of(row, ranking.relevant))
        scores[task] = score_ranks(ranks, metrics_of(task))
    return scores


def score_rows(rows: Iterable[NDArray[np.float32]], tasks: Tasks) -> Scores:
    """Score a system by its distances.

    Args:
        rows: For each held-out paper, its distances to all candidates, (candidates,) float32.
        tasks: The rankings.
    """
    by_query: dict[int, list[tuple[str, Ranking]]] = {}
    for task, queries in tasks.items():
        for ranking in queries:
            by_query.setdefault(ranking.query, []).append((task, ranking))
    ranks: dict[str, list[Ints]] = {task: [] for task in tasks}
    for query, row in enumerate(rows):
        for task, ranking in by_query.get(query, ()):
            among = row if ranking.among is None else row[ranking.among]
            ranks[task].append(ranks_of(among, ranking.relevant))
    return {task: score_ranks(ranks[task], metrics_of(task)) for task in tasks}


def require_in_space(name: str, rows: Mapping[str, int], needed: Sequence[str]) -> None:
    """Raise GraphError if papers have no row in a space."""
    missing = [paper for paper in needed if paper not in rows]
    if missing:
        raise GraphError(
            f"{len(missing):,} of the {len(needed):,} papers to be ranked"
            f" {'has' if len(missing) == 1 else 'have'} no vector in the space {name!r},"
            f" such as {missing[0]!r}",
            "run `specter-graph embed` (or `sgc`, or `spaces load`) again, or name other spaces",
        )


def _random(data: HeldOutData, seed: int) -> SpaceVectors:
    """Draw zero-mean vectors of 25 dimensions (SPECTER, appendix A, Random)."""
    ids = [*data.candidates, *(paper.id for paper in data.papers)]
    return ids, random_vectors(len(ids), seed)
