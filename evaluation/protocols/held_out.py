"""The tasks of `evaluate`: for each held-out paper, which papers should be nearest.

After SciDocs (SPECTER, section 3.2), with up to 5 right answers among 25 random others:

- `cite`: papers that the query cites, among papers with no citation to or from it;
- `cocite`: papers that a third paper cites together with the query, among papers that none does.
  Neither has a citation to or from the query, so that this asks for what `cite` does not;
- `retrieval`: all papers that the query cites, among all candidates.

Candidates are never held out themselves. Every choice depends on the seed and on ids alone. No
database: vectors and facts in, a report out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os.path import commonprefix
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.statistics import Interval, bootstrap_means
from specter_graph.evaluation.metrics.ranking import (
    Floats,
    Ints,
    exact_ranks,
    ranks_of,
    score_ranks,
    squared_distances,
)
from specter_graph.loaders.records import draw

POSITIVES = 5
NEGATIVES = 25
RANDOM_DIMENSION = 25
METRICS = {
    "cite": ("map", "ndcg"),
    "cocite": ("map", "ndcg"),
    "retrieval": ("recall@10", "recall@100", "mrr", "ndcg@10"),
}
_CHECKED = 65_536  # vectors at a time

Row: TypeAlias = tuple[str, Iterable[str], Iterable[str], Iterable[str]]
"""A held-out paper's id, and those that it cites, that cite it, that are cited together with it."""

SpaceVectors: TypeAlias = tuple[Sequence[str], NDArray[np.float32]]
"""Ids of papers, and their vectors with shape (papers, d)."""

Scores: TypeAlias = dict[str, dict[str, Floats]]
"""By task and metric: a value in 0..1 for each query of the task, in the order of their ids."""

Intervals: TypeAlias = dict[str, dict[str, Interval]]
"""By task and metric: the mean over the queries with its interval."""


@dataclass(frozen=True, slots=True)
class HeldOutPaper:
    """A query and its citations, which are hidden from training.

    `cites`, `cited_by` and `cocited` (some paper cites both) are ascending positions in
    `Facts.candidates`.
    """

    id: str
    cites: Ints
    cited_by: Ints
    cocited: Ints

    @property
    def linked(self) -> Ints:
        """The candidates with a citation to or from the paper."""
        return np.union1d(self.cites, self.cited_by)


@dataclass(frozen=True, slots=True)
class Facts:
    """The held-out papers and the candidates, each in ascending order of their ids.

    Candidates are the training papers: those with a record that are not held out.
    """

    candidates: tuple[str, ...]
    papers: tuple[HeldOutPaper, ...]

    @classmethod
    def build(cls, candidates: Iterable[str], rows: Iterable[Row]) -> "Facts":
        """Build facts from ids in any order; ids that are not candidates are left out."""
        ordered = tuple(sorted(candidates))
        position = {paper: i for i, paper in enumerate(ordered)}
        papers = [
            HeldOutPaper(
                paper,
                *(
                    np.array(sorted({position[each] for each in ids if each in position}), np.int64)
                    for ids in related
                ),
            )
            for paper, *related in rows
        ]
        return cls(ordered, tuple(sorted(papers, key=lambda paper: paper.id)))


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query of one task.

    `query` is its position in `Facts.papers`; `among` the ascending positions of the papers to be
    ranked in `Facts.candidates`, None for all of them; `relevant` are positions in `among`.
    """

    query: int
    among: Ints | None
    relevant: Ints


Tasks: TypeAlias = Mapping[str, Sequence[Ranking]]


def rankings(facts: Facts, seed: int) -> dict[str, list[Ranking]]:
    """Return the queries of each task; a paper without a right answer is no query of the task."""
    tasks: dict[str, list[Ranking]] = {task: [] for task in METRICS}
    for query, paper in enumerate(facts.papers):
        cocited = np.setdiff1d(paper.cocited, paper.linked)
        drawn = {
            "cite": _draw(facts, query, paper.cites, paper.linked, (seed, 0)),
            "cocite": _draw(facts, query, cocited, np.union1d(paper.linked, cocited), (seed, 1)),
            "retrieval": Ranking(query, None, paper.cites)
            if 0 < len(paper.cites) < len(facts.candidates)
            else None,
        }
        for task, ranking in drawn.items():
            if ranking:
                tasks[task].append(ranking)
    return tasks


def nonempty_rankings(facts: Facts, seed: int) -> dict[str, list[Ranking]]:
    """Return the tasks that have queries; raises InputError when none has."""
    tasks = {task: queries for task, queries in rankings(facts, seed).items() if queries}
    if not tasks:
        raise InputError(
            "no held-out paper has citations to score on",
            "a larger --holdout or more papers with references give more queries",
        )
    return tasks


def _draw(
    facts: Facts, query: int, right: Ints, related: Ints, seeds: tuple[int, int]
) -> Ranking | None:
    """Draw five of the right answers and random candidates that are not related to the query.

    All of them where there are fewer; None where either kind is missing.
    """
    enough = min(len(facts.candidates), NEGATIVES + len(related))
    generator = np.random.default_rng((*seeds, draw(facts.papers[query].id)))
    sample = generator.choice(len(facts.candidates), size=enough, replace=False)
    negatives = sample[~np.isin(sample, related)][:NEGATIVES]
    positives = generator.permutation(right)[:POSITIVES]
    if not len(positives) or not len(negatives):
        return None
    among = np.sort(np.concatenate([positives, negatives]))
    return Ranking(query, among, np.searchsorted(among, np.sort(positives)))


@dataclass(frozen=True, slots=True)
class HeldOutResult:
    """The spaces side by side, in the order they were given.

    A "space" may be several, averaged; see `evaluate`. `random` are the scores of random vectors.
    `differences` are those to the space `against`, by paired bootstrap, empty without one.
    """

    spaces: dict[str, Intervals]
    queries: dict[str, int]
    random: Intervals
    against: str | None
    differences: dict[str, Intervals]

    def as_json(self) -> dict[str, Any]:
        """Return {"spaces": {NAME: {TASK: {METRIC: {"value", "low", "high"}}}}, "queries": {...}}.

        With a space to compare with, also "differences", in the form of "spaces".
        """
        report = asdict(self)
        keys = ("spaces", "queries", *(["differences"] if self.against else []))
        return {key: report[key] for key in keys}


def evaluate(
    vectors: Mapping[str, SpaceVectors],
    facts: Facts,
    *,
    systems: Sequence[Sequence[str]] | None = None,
    seed: int = 0,
    against: str | None = None,
    progress: Progress = silent,
) -> HeldOutResult:
    """Score every space on the same queries.

    A task that no held-out paper can be asked has 0 queries and no scores.

    Args:
        vectors: By space; may read a space when it is asked for it: one is held at a time.
        facts: The held-out papers and the candidates.
        systems: The rows: each a space, or several that differ only in their seeds, and are named
            by `system_name`; the scores of a query are averaged over these.
        seed: Draws candidates, random vectors and resamples.
        against: The title of the row that the others are compared with.
        progress: Receives the number of rows that are scored.

    Raises:
        InputError: No query at all can be asked, or `against` is not a row.
        GraphError: Papers lack vectors.
    """
    rows = by_name(systems or [[name] for name in vectors])
    if against is not None and against not in rows:
        raise InputError(f"there is no space {against!r} among those scored to compare with")
    tasks = nonempty_rankings(facts, seed)
    scores: dict[str, Scores] = {}
    for done, (row, names) in enumerate(rows.items()):
        progress("score spaces", done, len(rows))
        scores[row] = average_scores([score(name, vectors[name], facts, tasks) for name in names])
    progress("score spaces", len(rows), len(rows))
    reference = scores[against] if against else {}
    differences = {
        name: {
            task: {metric: values - reference[task][metric] for metric, values in by.items()}
            for task, by in scores[name].items()
        }
        for name in scores
        if against and name != against
    }
    return HeldOutResult(
        spaces={name: score_intervals(each, seed) for name, each in scores.items()},
        queries={task: len(tasks.get(task, ())) for task in METRICS},
        random=score_intervals(score("random", _random(facts, seed), facts, tasks), seed),
        against=against,
        differences={name: score_intervals(each, seed) for name, each in differences.items()},
    )


def system_name(names: Sequence[str]) -> str:
    """Return a row's title: the space, or the common prefix of several, and their number."""
    if len(names) == 1:
        return names[0]
    common = commonprefix([*names]).rstrip("_-")  # noqa: RUF071, of names, not of paths
    return f"{common or ','.join(names)} ({len(names)} seeds)"


def by_name(systems: Sequence[Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return rows by their titles; raises InputError when two would have the same."""
    rows = {system_name(each): each for each in systems}
    if len(rows) < len({*map(tuple, systems)}):
        raise InputError("two of the systems of several seeds would have the same name")
    return rows


def average_scores(scores: Sequence[Scores]) -> Scores:
    """Average over spaces, query by query."""
    return {
        task: {metric: np.mean([each[task][metric] for each in scores], axis=0) for metric in by}
        for task, by in scores[0].items()
    }


def score_intervals(scores: Scores, seed: int) -> Intervals:
    """Return the mean of each metric over the queries, with its interval."""
    return {
        task: dict(zip(by, bootstrap_means(np.stack([*by.values()], 1), seed=seed), strict=True))
        for task, by in scores.items()
    }


def score(name: str, vectors: SpaceVectors, facts: Facts, tasks: Tasks) -> Scores:
    """Score one space for each query; `tasks` are rankings of `facts`.

    Raises GraphError when vectors are missing or not finite.
    """
    ids, array = vectors
    rows = {paper: row for row, paper in enumerate(ids)}
    needed = [*(paper.id for paper in facts.papers), *facts.candidates]
    _require_vectors(name, rows, needed)
    used = np.array([rows[paper] for paper in needed], np.int64)
    for part in np.array_split(used, 1 + len(used) // _CHECKED):
        if not np.isfinite(array[part]).all():
            raise GraphError(
                f"the space {name!r} has vectors that are not finite", "embed it again"
            )
    queries, candidates = np.split(used, [len(facts.papers)])
    scores = {}
    for task, asked in tasks.items():
        relevant = [ranking.relevant for ranking in asked]
        own = queries[[ranking.query for ranking in asked]]
        if all(ranking.among is None for ranking in asked):
            ranks = [*exact_ranks(array[own], array, candidates, relevant)]
        else:
            ranks = [
                ranks_of(
                    squared_distances(array[row], array[candidates[ranking.among]]),
                    ranking.relevant,
                )
                for row, ranking in zip(own, asked, strict=True)
            ]
        scores[task] = score_ranks(ranks, METRICS[task])
    return scores


def score_rows(rows: Iterable[NDArray[np.float32]], tasks: Tasks) -> Scores:
    """Score distances from each held-out paper, in order, to all candidates, (candidates,) each."""
    by_query: dict[int, list[tuple[str, Ranking]]] = {}
    for task, asked in tasks.items():
        for ranking in asked:
            by_query.setdefault(ranking.query, []).append((task, ranking))
    ranks: dict[str, list[Ints]] = {task: [] for task in tasks}
    for query, row in enumerate(rows):
        for task, ranking in by_query.get(query, ()):
            among = row if ranking.among is None else row[ranking.among]
            ranks[task].append(ranks_of(among, ranking.relevant))
    return {task: score_ranks(ranks[task], METRICS[task]) for task in tasks}


def _require_vectors(name: str, rows: Mapping[str, int], needed: Sequence[str]) -> None:
    missing = [paper for paper in needed if paper not in rows]
    if missing:
        raise GraphError(
            f"{len(missing):,} of the {len(needed):,} papers to be ranked have no vector in the"
            f" space {name!r}, {missing[0]!r} for one",
            "run `specter-graph embed` (or `sgc`) again for it, or choose others with --space",
        )


def _random(facts: Facts, seed: int) -> SpaceVectors:
    """Draw zero-mean vectors of 25 dimensions (SPECTER, appendix A, Random)."""
    ids = [*facts.candidates, *(paper.id for paper in facts.papers)]
    generator = np.random.default_rng(seed)
    return ids, generator.standard_normal((len(ids), RANDOM_DIMENSION), dtype=np.float32)
