"""Ranking of candidates by their distance to a query: co-views, co-reads, citations.

As in SPECTER, sections 3.2 and 3.3, vectors are compared by L2 distance without any training, and
the ranking is scored by MAP and nDCG.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

import numpy as np

from specter_graph.core.errors import counted
from specter_graph.evaluation.metrics.ranking import trec_eval
from specter_graph.evaluation.metrics.task_results import Group, Mean, TaskResult
from specter_graph.evaluation.protocols.dataset import PaperVectors, Part
from specter_graph.evaluation.protocols.held_out import NEGATIVES, POSITIVES
from specter_graph.loaders.records import sample_key

Judgments = Mapping[str, Mapping[str, int]]
"""By query and candidate: 1 for a relevant candidate, else 0."""

MAX_QUERIES = 1_000
MAX_GROUP = 1_000
"""Maximum number of papers of a group that count."""

_METRICS = ("map", "ndcg")
_DECIMALS = 5  # of a distance, as in the run files of SciDocs, which makes ties


def rank_candidates(judgments: Judgments, vectors: PaperVectors, group: Group) -> TaskResult:
    """Rank the candidates of each query by distance, as SciDocs does.

    Queries without a vector are excluded from the mean. Candidates without a vector are not ranked:
    relevant ones count as not retrieved. The notes of the result count these queries and
    candidates. Equal distances, rounded to 5 decimals, are ordered by descending id.

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
    relevant, others = sum(missing), len(missing) - sum(missing)
    return tuple(
        f"{counted(count, *noun)} without a vector, {effect}"
        for count, noun, effect in (
            (queries, ("query", "queries"), "excluded from the mean"),
            (relevant, ("relevant candidate",), "counted as missed"),
            (others, ("other candidate",), "not ranked"),
        )
        if count
    )


def judge_coviews(
    groups: Iterable[Sequence[str]],
    parts: Mapping[str, Part],
    *,
    split: Part = "test",
    seed: int = 0,
) -> dict[str, dict[str, int]]:
    """Return judgments from groups of papers that were opened together (SPECTER, section 3.3).

    Queries are up to 1,000 papers of a split. The candidates of a query are training papers: the 5
    that share the most groups with the query (ties are broken at random), and 25 random ones that
    share none. Papers that lack candidates of a kind are not queries. The judgments depend only on
    the ids and the seed.

    Args:
        groups: The papers that a reader viewed in one session, or saved. Groups of more than 1,000
            papers are sampled.
        parts: The parts of the papers that can be queries or candidates.
        split: The part of the queries.
        seed: The random seed.
    """
    together: dict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        members = [paper for paper in _sample_group(set(group), seed) if paper in parts]
        for query in (paper for paper in members if parts[paper] == split):
            together[query].update(paper for paper in members if parts[paper] == "train")
    return _judge_all(together, [paper for paper in parts if parts[paper] == "train"], seed)


def judge_last_readings(
    histories: Iterable[Sequence[str]], papers: Iterable[str], *, seed: int = 0
) -> dict[str, dict[str, int]]:
    """Return judgments from the last reading of each reader, which training does not use.

    Queries are up to 1,000 papers that were the last but one of a reader. The candidates of a query
    are the last papers of these readers, at most 5, and 25 random papers that they have not read.

    Args:
        histories: The papers of each reader, ordered by time.
        papers: The papers that can be candidates.
        seed: The random seed.
    """
    together: dict[str, Counter[str]] = defaultdict(Counter)
    for *earlier, last in filter(None, histories):
        if earlier:
            together[earlier[-1]].update({last: 1, **dict.fromkeys(earlier, 0)})
    return _judge_all(together, papers, seed)


def _judge_all(
    together: Mapping[str, Counter[str]], papers: Iterable[str], seed: int
) -> dict[str, dict[str, int]]:
    """Judge up to 1,000 queries; `together` counts related papers, 0 means no candidate."""
    candidates = sorted(papers)
    judgments: dict[str, dict[str, int]] = {}
    for query in sorted(together, key=lambda query: (sample_key(f"{seed} {query}"), query)):
        if len(judgments) == MAX_QUERIES:
            break
        if relevance := _judge(query, together[query], candidates, seed):
            judgments[query] = relevance
    return judgments


def _sample_group(group: set[str], seed: int) -> list[str]:
    if len(group) <= MAX_GROUP:
        return sorted(group)
    return nsmallest(
        MAX_GROUP, group, key=lambda paper: (sample_key(f"{seed} group {paper}"), paper)
    )


def _judge(
    query: str, together: Counter[str], candidates: Sequence[str], seed: int
) -> dict[str, int] | None:
    generator = np.random.default_rng((seed, sample_key(query)))
    ties = dict(zip(sorted(together), generator.permutation(len(together)), strict=True))
    ordered = sorted(together, key=lambda paper: (-together[paper], ties[paper]))
    relevant = [paper for paper in ordered[:POSITIVES] if together[paper]]
    size = min(len(candidates), NEGATIVES + len(together))
    sample = generator.choice(len(candidates), size=size, replace=False)
    others = [candidates[i] for i in sample if candidates[i] not in together][:NEGATIVES]
    if not relevant or not others:
        return None
    return dict.fromkeys(others, 0) | dict.fromkeys(relevant, 1)
