"""Scores embedding spaces on held-out papers; needs arrays and facts, no database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os.path import commonprefix
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.statistics import Interval, intervals
from specter_graph.evaluation import metrics
from specter_graph.evaluation.distances import among, exact_ranks
from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.protocol import TASKS, Ranking, rankings

METRICS = {
    "cite": ("map", "ndcg"),
    "cocite": ("map", "ndcg"),
    "retrieval": ("recall@10", "recall@100", "mrr", "ndcg@10"),
}
RANDOM_DIMENSION = 25
_CHECKED = 65_536  # vectors at a time

Vectors = tuple[Sequence[str], NDArray[np.float32]]
"""Ids of papers, and their vectors with shape (papers, d)."""

Scores = dict[str, dict[str, NDArray[np.float64]]]
"""By task and metric: a value in 0..1 for each query of the task, in the order of their ids."""

Intervals = dict[str, dict[str, Interval]]
"""By task and metric: the mean over the queries with its interval."""


@dataclass(frozen=True, slots=True)
class Report:
    """The spaces side by side, in the order they were given.

    A "space" may be several, averaged; see `evaluate`. `random` is what vectors that know nothing
    come to. `differences` are those to the space `against`, by paired bootstrap, empty without one.
    """

    spaces: dict[str, Intervals]
    queries: dict[str, int]
    random: Intervals
    against: str | None
    differences: dict[str, Intervals]

    def as_json(self) -> dict[str, Any]:
        """{"spaces": {NAME: {TASK: {METRIC: {"value", "low", "high"}}}}, "queries": {TASK: n}}.

        With a space to compare with, also "differences", in the form of "spaces".
        """
        report = {"spaces": _plain(self.spaces), "queries": self.queries}
        return report | ({"differences": _plain(self.differences)} if self.against else {})


def evaluate(
    vectors: Mapping[str, Vectors],
    facts: Facts,
    *,
    systems: Sequence[Sequence[str]] | None = None,
    seed: int = 0,
    against: str | None = None,
    progress: Progress = silent,
) -> Report:
    """Score every space of `vectors` on the same queries.

    `vectors` may read a space when it is asked for it: one is held at a time. `systems` are the
    rows: each a space, or several that differ in their seeds alone, and are named by
    `system_name`; what a query comes to is averaged over these. `against` is the title of the
    row that the others are compared with.

    A task that no held-out paper can be asked has 0 queries and no scores. Raises InputError when
    no query at all can be asked or `against` is not among the spaces, and
    GraphError when papers lack vectors.
    """
    rows = by_name(systems or [[name] for name in vectors])
    if against is not None and against not in rows:
        raise InputError(f"there is no space {against!r} among those scored to compare with")
    asked = rankings(facts, seed)
    counts = {task: len(asked[task]) for task in TASKS}
    asked = {task: asked[task] for task in TASKS if asked[task]}
    if not asked:
        raise InputError(
            "no held-out paper has anything to find",
            "a larger hold-out or more papers with references give more queries",
        )
    scores: dict[str, Scores] = {}
    for done, (row, names) in enumerate(rows.items()):
        progress("score spaces", done, len(rows))
        scores[row] = averaged([score(name, vectors[name], facts, asked) for name in names])
    progress("score spaces", len(rows), len(rows))
    random = score("random", _random(facts, seed), facts, asked)
    versus = scores[against] if against else None
    return Report(
        spaces={name: _intervals(scores[name], seed) for name in scores},
        queries=counts,
        random=_intervals(random, seed),
        against=against,
        differences={
            name: _intervals(_minus(scores[name], versus), seed)
            for name in scores
            if versus is not None and name != against
        },
    )


def system_name(names: Sequence[str]) -> str:
    """A row's title: the space, or what the names of several have in common, and how many."""
    if len(names) == 1:
        return names[0]
    common = commonprefix([*names]).rstrip("_-")  # noqa: RUF071, of names, not of paths
    return f"{common or ','.join(names)} ({len(names)} seeds)"


def by_name(systems: Sequence[Sequence[str]]) -> dict[str, Sequence[str]]:
    """Rows by their titles; raises InputError when two would have the same."""
    rows = {system_name(each): each for each in systems}
    if len(rows) < len({*map(tuple, systems)}):
        raise InputError("two of the systems of several seeds would have the same name")
    return rows


def averaged(scores: Sequence[Scores]) -> Scores:
    """The mean over spaces, query by query."""
    return {
        task: {metric: np.mean([each[task][metric] for each in scores], axis=0) for metric in by}
        for task, by in scores[0].items()
    }


def score(
    name: str, vectors: Vectors, facts: Facts, asked: Mapping[str, Sequence[Ranking]]
) -> Scores:
    """Score one space for each query; `asked` is what `protocol.rankings` gives for `facts`.

    Raises GraphError when vectors are missing or not finite.
    """
    ids, array = vectors
    rows = {paper: row for row, paper in enumerate(ids)}
    needed = [*(paper.id for paper in facts.papers), *facts.candidates]
    _check_coverage(name, rows, needed)
    used = np.array([rows[paper] for paper in needed], np.int64)
    for part in np.array_split(used, 1 + len(used) // _CHECKED):
        if not np.isfinite(array[part]).all():
            raise GraphError(
                f"the space {name!r} has vectors that are not finite", "embed it again"
            )
    queries, candidates = np.split(used, [len(facts.papers)])
    ranks: dict[str, list[metrics.Ints]] = {}
    for task, some in asked.items():
        if all(ranking.among is None for ranking in some):
            own = array[queries[[ranking.query for ranking in some]]]
            relevant = [ranking.relevant for ranking in some]
            ranks[task] = [*exact_ranks(own, array, candidates, relevant)]
        else:
            ranks[task] = [
                metrics.ranks_of(
                    among(array[queries[ranking.query]], array[candidates[ranking.among]]),
                    ranking.relevant,
                )
                for ranking in some
            ]
    return {task: _measure(metrics.pad(ranks[task]), METRICS[task]) for task in asked}


def score_rows(
    rows: Iterable[NDArray[np.float32]], asked: Mapping[str, Sequence[Ranking]]
) -> Scores:
    """Score distances from each held-out paper, in order, to all candidates, (candidates,) each."""
    by_query: dict[int, list[tuple[str, Ranking]]] = {}
    for task in asked:
        for ranking in asked[task]:
            by_query.setdefault(ranking.query, []).append((task, ranking))
    ranks: dict[str, list[metrics.Ints]] = {task: [] for task in asked}
    for query, row in enumerate(rows):
        for task, ranking in by_query.get(query, ()):
            among = row if ranking.among is None else row[ranking.among]
            ranks[task].append(metrics.ranks_of(among, ranking.relevant))
    return {task: _measure(metrics.pad(ranks[task]), METRICS[task]) for task in asked}


def _measure(ranks: metrics.Ints, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    measures: dict[str, Callable[[metrics.Ints], metrics.Floats]] = {
        "map": metrics.average_precision,
        "ndcg": metrics.ndcg,
        "recall@10": lambda ranks: metrics.recall_at(ranks, 10),
        "recall@100": lambda ranks: metrics.recall_at(ranks, 100),
        "mrr": metrics.reciprocal_rank,
        "ndcg@10": lambda ranks: metrics.ndcg_at(ranks, 10),
    }
    return {name: measures[name](ranks) for name in names}


def _check_coverage(name: str, rows: Mapping[str, int], needed: Sequence[str]) -> None:
    missing = [paper for paper in needed if paper not in rows]
    if missing:
        raise GraphError(
            f"{len(missing):,} of the {len(needed):,} papers to be ranked have no vector in the"
            f" space {name!r}, {missing[0]!r} for one",
            "run `specter-graph embed` (or `sgc`) again for it, or choose others with --space",
        )


def _random(facts: Facts, seed: int) -> Vectors:
    """Zero-mean vectors of 25 dimensions (SPECTER, appendix A, Random)."""
    ids = [*facts.candidates, *(paper.id for paper in facts.papers)]
    generator = np.random.default_rng(seed)
    return ids, generator.standard_normal((len(ids), RANDOM_DIMENSION), dtype=np.float32)


def _intervals(scores: Scores, seed: int) -> Intervals:
    return {
        task: dict(
            zip(by_metric, intervals(np.stack([*by_metric.values()], 1), seed=seed), strict=True)
        )
        for task, by_metric in scores.items()
    }


def _minus(scores: Scores, versus: Scores) -> Scores:
    return {
        task: {metric: by_metric[metric] - versus[task][metric] for metric in by_metric}
        for task, by_metric in scores.items()
    }


def _plain(by_name: Mapping[str, Intervals]) -> dict[str, Any]:
    return {
        name: {
            task: {metric: asdict(interval) for metric, interval in by_metric.items()}
            for task, by_metric in by_task.items()
        }
        for name, by_task in by_name.items()
    }
