"""Baselines that rank and have no vectors; and the questions that all are asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from specter_graph.baselines.catalogue import CATALOGUE, baseline
from specter_graph.core.errors import InputError, ModelError
from specter_graph.core.statistics import Interval, intervals
from specter_graph.core.vectors import Vectors
from specter_graph.evaluation import rankers
from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.protocol import Ranking, rankings
from specter_graph.evaluation.scoring import Scores, score, score_rows
from specter_graph.evaluation.spaces import citation_facts
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import spaces, usual_holdout
from specter_graph.graph.evaluation_data import training_references
from specter_graph.graph.split import HeldOutSplit

LEAST_JUDGED = 30
"""Validation papers that settings are chosen by."""


@dataclass(frozen=True, slots=True)
class RankedBaseline:
    """What a ranker came to on held-out papers, by task and metric, and how many were asked."""

    scores: dict[str, dict[str, Interval]]
    queries: dict[str, int]


def rank_baseline(
    db: Database,
    name: str,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
) -> RankedBaseline:
    """Score a ranker on the tasks of `evaluate`, but for those whose answers it is told.

    It sees the citations of training papers alone. Papers are held out under `holdout`, by default
    under the smallest that a space of the graph was made under. Raises InputError for another name,
    or where no held-out paper can be scored.
    """
    baseline(name, "ranking")
    holdout = usual_holdout(spaces(db)) if holdout is None else holdout
    facts, asked = _asked(db, split, holdout, seed)
    asked = {task: asked[task] for task in asked if task not in rankers.BLIND_TO.get(name, ())}
    if name == "bm25":
        texts = {each.id: f"{each.title} {each.abstract or ''}" for each in paper_texts(db)}
        queries = [texts[paper.id] for paper in facts.papers]
        rows = rankers.bm25(queries, [texts[paper] for paper in facts.candidates])
    else:
        ranker = {"coupling": rankers.coupling, "cocitation": rankers.cocitation}[name]
        rows = ranker(facts, dict(training_references(db, holdout)))
    scores: Scores = score_rows(rows, asked)
    return RankedBaseline(
        {
            task: {
                metric: intervals(values[:, None], seed=seed)[0]
                for metric, values in by_metric.items()
            }
            for task, by_metric in scores.items()
        },
        {task: len(some) for task, some in asked.items()},
    )


def all_rankers(
    db: Database,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
) -> tuple[dict[str, dict[str, dict[str, Interval]]], dict[str, str]]:
    """What every ranker comes to; and of those that lack a package, why they are open."""
    ranked, missing = {}, {}
    for name in (name for name, row in CATALOGUE.items() if row.way == "ranking"):
        try:
            ranked[name] = rank_baseline(db, name, split=split, holdout=holdout, seed=seed).scores
        except ModelError as error:
            missing[name] = f"open: {error.message}"
    return ranked, missing


def judge(db: Database, holdout: float) -> Callable[[Sequence[str], Vectors], float]:
    """What vectors of papers come to: the mean of all figures on the validation papers.

    Raises InputError where there are fewer than `LEAST_JUDGED` validation papers.
    """
    facts, asked = _asked(db, "validation", holdout, 0)
    if len(facts.papers) < LEAST_JUDGED:
        raise InputError(
            f"{len(facts.papers)} validation papers with citations are too few to choose settings"
            f" by: it takes {LEAST_JUDGED}",
            "leave --tune out, or hold more papers out",
        )

    def mean(ids: Sequence[str], vectors: Vectors) -> float:
        scores = score("candidate", (ids, vectors), facts, asked)
        return float(np.mean([v.mean() for figures in scores.values() for v in figures.values()]))

    return mean


def _asked(
    db: Database, split: HeldOutSplit, holdout: float, seed: int
) -> tuple[Facts, dict[str, list[Ranking]]]:
    facts = citation_facts(db, split, holdout)
    asked = {task: some for task, some in rankings(facts, seed).items() if some}
    if not asked:
        raise InputError(
            f"no {split} paper of a hold-out of {holdout:g} has citations to score on",
            "a larger --holdout or more papers with references give more queries",
        )
    return facts, asked
