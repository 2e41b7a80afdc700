"""Ranking judged candidates by their distance to a query: co-views, co-reads, citations.

SPECTER, sections 3.2 and 3.3: the raw vectors are compared by L2 distance, nothing is trained, and
the ranking is scored by MAP and nDCG. The values are trec_eval's.
"""

from collections.abc import Mapping

import numpy as np

from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.measures import Mean
from specter_graph.evaluation.outcomes import Group, Outcome

Judgements = Mapping[str, Mapping[str, int]]
"""By query, by candidate: 1 for a right answer, 0 for a wrong one."""

_DECIMALS = 5  # of a distance, as SciDocs writes it into its run file: what is as near, is tied


def proximity(judgements: Judgements, embeddings: Embeddings, group: Group) -> Outcome:
    """Rank the candidates of every query, the nearest first, as SciDocs does.

    That is: a query without a vector is left out of the mean; a candidate without one is not in the
    ranking, so that a right answer without a vector counts as not found, and a wrong one does no
    harm; equal distances, after rounding to 5 decimals, are ordered by id, the greater first. The
    outcome says how many queries and papers were concerned.

    Raises InputError when no query has a vector.
    """
    import pytrec_eval

    embeddings.require_any(judgements, "queries")
    run = {
        query: _scores(query, candidates, embeddings)
        for query, candidates in judgements.items()
        if query in embeddings
    }
    judged = {query: dict(judgements[query]) for query in run}
    found = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg"}).evaluate(run)
    items = tuple(sorted(run))
    papers = {paper for query in judgements for paper in (query, *judgements[query])}
    return Outcome(
        group=group,
        items=items,
        measures={
            metric: Mean(np.array([found.get(query, {}).get(metric, 0.0) for query in items]))
            for metric in ("map", "ndcg")
        },
        asked=len(judgements),
        papers=len(papers),
        missing=embeddings.missing(papers),
        notes=_notes(judgements, embeddings),
    )


def _scores(query: str, candidates: Mapping[str, int], embeddings: Embeddings) -> dict[str, float]:
    there = [paper for paper in candidates if paper in embeddings]
    vectors = embeddings.of_papers([query, *there])
    distances = np.linalg.norm(vectors[1:] - vectors[0], axis=1).round(_DECIMALS)
    return dict(zip(there, (-distances).tolist(), strict=True))


def _notes(judgements: Judgements, embeddings: Embeddings) -> tuple[str, ...]:
    without = embeddings.missing(judgements)
    lost = [
        relevance > 0
        for query, candidates in judgements.items()
        if query in embeddings
        for paper, relevance in candidates.items()
        if paper not in embeddings
    ]
    told = []
    if without:
        told.append(f"{without:,} queries have no vector and are left out of the mean")
    if any(lost):
        told.append(f"{sum(lost):,} right answers have no vector and count as not found")
    if not all(lost):
        told.append(
            f"{len(lost) - sum(lost):,} wrong answers have no vector and cannot be ranked too high"
        )
    return tuple(told)
