"""Ranking judged candidates by their distance to a query: co-views, co-reads, citations.

SPECTER, sections 3.2 and 3.3: the raw vectors are compared by L2 distance, nothing is trained, and
the ranking is scored by MAP and nDCG.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

import numpy as np

from specter_graph.evaluation.metrics.ranking import trec_eval
from specter_graph.evaluation.metrics.task_results import Group, Mean, TaskResult
from specter_graph.evaluation.protocols.dataset import PaperVectors, Part, part_of
from specter_graph.evaluation.protocols.held_out import NEGATIVES, POSITIVES
from specter_graph.loaders.records import draw

Judgments = Mapping[str, Mapping[str, int]]
"""By query, by candidate: 1 for a right answer, 0 for a wrong one."""

MAX_QUERIES = 1_000
MAX_GROUP = 1_000
"""Papers of a group that count: a reader with more did not open them together."""

_METRICS = ("map", "ndcg")
_DECIMALS = 5  # of a distance, as in SciDocs' run files: what is equally near is tied


def rank_candidates(judgments: Judgments, vectors: PaperVectors, group: Group) -> TaskResult:
    """Rank the candidates of every query, the nearest first, as SciDocs does.

    A query without a vector is left out of the mean. A candidate without one is not in the ranking:
    a right answer without a vector counts as not found, and a wrong one does no harm. Equal
    distances, after rounding to 5 decimals, are ordered by id, the greater first. The notes of the
    result count the queries and papers concerned.

    Raises InputError when no query has a vector.
    """
    vectors.require_any(judgments, "queries")
    runs = {
        query: _run(query, candidates, vectors)
        for query, candidates in judgments.items()
        if query in vectors
    }
    scored = {query: dict(judgments[query]) for query in runs}
    items = tuple(sorted(runs))
    papers = {paper for query in judgments for paper in (query, *judgments[query])}
    return TaskResult(
        group=group,
        items=items,
        metrics={
            metric: Mean(np.array([values.get(query, 0.0) for query in items]))
            for metric, values in trec_eval(scored, runs, _METRICS).items()
        },
        total=len(judgments),
        papers=len(papers),
        missing=vectors.count_missing(papers),
        notes=_notes(judgments, vectors),
    )


def _run(query: str, candidates: Mapping[str, int], vectors: PaperVectors) -> dict[str, float]:
    present = [paper for paper in candidates if paper in vectors]
    rows = vectors.get([query, *present])
    distances = np.linalg.norm(rows[1:] - rows[0], axis=1).round(_DECIMALS)
    return dict(zip(present, (-distances).tolist(), strict=True))


def _notes(judgments: Judgments, vectors: PaperVectors) -> tuple[str, ...]:
    queries = vectors.count_missing(judgments)
    missing = [
        relevance > 0
        for query, candidates in judgments.items()
        if query in vectors
        for paper, relevance in candidates.items()
        if paper not in vectors
    ]
    right, wrong = sum(missing), len(missing) - sum(missing)
    return tuple(
        note
        for count, note in (
            (queries, f"{queries:,} queries have no vector and are left out of the mean"),
            (right, f"{right:,} right answers have no vector and count as not found"),
            (wrong, f"{wrong:,} wrong answers have no vector and cannot be ranked too high"),
        )
        if count
    )


def judge_coviews(
    groups: Iterable[Sequence[str]],
    papers: Iterable[str],
    *,
    on: Part = "test",
    share: float,
    seed: int = 0,
) -> dict[str, dict[str, int]]:
    """Judge papers by which of them people open together (SPECTER, section 3.3).

    A group is what a reader viewed in one session, or keeps in its library. Queries are up to 1,000
    papers of the part `on`, candidates are training papers, both of `papers`: up to 5 that are in
    the most groups with the query, of equally many some drawn at random, and 25 random ones that
    are in no group with it. A paper without candidates of both kinds is not a query. Of a group of
    more than 1,000 papers as many, drawn at random, count. Everything depends on the ids and the
    seed alone.
    """
    candidates = sorted(paper for paper in papers if part_of(paper, share) == "train")
    known = set(candidates)
    together: dict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        members = _sample_group(set(group), seed)
        for query in (paper for paper in members if part_of(paper, share) == on):
            together[query].update(paper for paper in members if paper in known)
    judgments: dict[str, dict[str, int]] = {}
    for query in sorted(together, key=lambda query: (draw(f"{seed} {query}"), query)):
        if len(judgments) == MAX_QUERIES:
            break
        if judged := _judge(query, together[query], candidates, seed):
            judgments[query] = judged
    return judgments


def _sample_group(group: set[str], seed: int) -> list[str]:
    if len(group) <= MAX_GROUP:
        return sorted(group)
    return nsmallest(MAX_GROUP, group, key=lambda paper: (draw(f"{seed} group {paper}"), paper))


def _judge(
    query: str, together: Counter[str], candidates: Sequence[str], seed: int
) -> dict[str, int] | None:
    generator = np.random.default_rng((seed, draw(query)))
    tied = dict(zip(sorted(together), generator.permutation(len(together)), strict=True))
    right = sorted(together, key=lambda paper: (-together[paper], tied[paper]))[:POSITIVES]
    enough = min(len(candidates), NEGATIVES + len(together))
    sample = generator.choice(len(candidates), size=enough, replace=False)
    wrong = [candidates[i] for i in sample if candidates[i] not in together][:NEGATIVES]
    if not right or not wrong:
        return None
    return dict.fromkeys(wrong, 0) | dict.fromkeys(right, 1)
