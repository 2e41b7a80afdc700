"""Co-views and co-reads: which papers the same people open together (SPECTER, section 3.3).

A group is what a reader viewed in one session, or keeps in its library. Two papers of a group are
read together.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import nsmallest

import numpy as np

from specter_graph.evaluation.protocol import NEGATIVES, POSITIVES
from specter_graph.evaluation.splits import Part, part_of
from specter_graph.loaders.records import draw

QUERIES = 1_000
MAX_GROUP = 1_000
"""Papers of a group that count: a reader with more has opened them together in name only."""


def together(
    groups: Iterable[Sequence[str]],
    papers: Iterable[str],
    *,
    on: Part = "test",
    share: float,
    seed: int = 0,
) -> dict[str, dict[str, int]]:
    """Judgements: for each query the papers most often read with it, and random others.

    Queries are up to 1,000 papers of the part `on`, candidates are training papers, both of
    `papers`: up to 5 read together with the query by the most groups, of equally many some drawn at
    random, and 25 random ones that no group has together with it. A query with neither is none.
    Of a group of more than 1,000 papers as many, drawn at random, count.
    Everything depends on the ids and the seed alone.
    """
    candidates = sorted(paper for paper in papers if part_of(paper, share) == "train")
    known = set(candidates)
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        members = _drawn(set(group), seed)
        for query in (paper for paper in members if part_of(paper, share) == on):
            beside[query].update(paper for paper in members if paper in known)
    drawn = sorted(beside, key=lambda query: (draw(f"{seed} {query}"), query))
    judged: dict[str, dict[str, int]] = {}
    for query in drawn:
        if len(judged) == QUERIES:
            break
        if found := _judge(query, beside[query], candidates, seed):
            judged[query] = found
    return judged


def _drawn(group: set[str], seed: int) -> list[str]:
    if len(group) <= MAX_GROUP:
        return sorted(group)
    return nsmallest(MAX_GROUP, group, key=lambda paper: (draw(f"{seed} group {paper}"), paper))


def _judge(
    query: str, beside: Counter[str], candidates: Sequence[str], seed: int
) -> dict[str, int] | None:
    generator = np.random.default_rng((seed, draw(query)))
    tied = dict(zip(sorted(beside), generator.permutation(len(beside)), strict=True))
    right = sorted(beside, key=lambda paper: (-beside[paper], tied[paper]))[:POSITIVES]
    enough = min(len(candidates), NEGATIVES + len(beside))
    sample = generator.choice(len(candidates), size=enough, replace=False)
    wrong = [candidates[i] for i in sample if candidates[i] not in beside][:NEGATIVES]
    if not right or not wrong:
        return None
    return dict.fromkeys(wrong, 0) | dict.fromkeys(right, 1)
