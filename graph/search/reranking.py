"""Other orders of the best hits: reranked by a model, a minimum score, and diverse hits.

A reranker reads the query and a paper together. Diversity is maximal marginal relevance.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Real

import numpy as np

from specter_graph.core.errors import InputError, require_counts
from specter_graph.core.vectors import Vectors, unit
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.search.hits import SearchHit
from specter_graph.graph.search.vector_search import vectors_or_zeros

Scorer = Callable[[str, Sequence[str]], Vectors]
"""Scores n texts for a query from 0 to 1, (n,) float32: (query, texts)."""

RERANK_CANDIDATES = 50
"""Number of best hits that are scored; more if more are returned."""

DIVERSITY_CANDIDATES = 100
"""Number of best hits among which diverse ones are chosen; further hits follow in their order."""


def rerank_hits(
    db: Database, scorer: Scorer, query: str, hits: Sequence[SearchHit]
) -> list[SearchHit]:
    """Return the hits in the order of the model's scores, which become their scores.

    A hit without a text (a stub) is last, with the score 0.

    Args:
        db: The graph.
        scorer: The model.
        query: The text of the query or draft.
        hits: The hits.

    Raises:
        InputError: The query is empty.
    """
    if not query.strip():
        raise InputError(
            "the reranker needs a text, and the query has none", "give a text, or do not rerank"
        )
    texts = {paper.id: paper.passage for paper in paper_texts(db, [hit.id for hit in hits])}
    with_text = [hit.id for hit in hits if hit.id in texts]
    rated = scorer(query, [texts[paper] for paper in with_text]).tolist()
    scores = dict(zip(with_text, rated, strict=True))
    scored = [replace(hit, score=scores.get(hit.id, 0.0)) for hit in hits]
    return sorted(scored, key=lambda hit: -hit.score)


def candidates(k: int, *, diversity: float = 0, rerank: bool = False) -> int:
    """Return the number of hits to find for a selection of k; raises InputError below 1."""
    require_counts(k=k)
    return max(k, DIVERSITY_CANDIDATES if diversity else 0, RERANK_CANDIDATES if rerank else 0)


def select_hits(
    db: Database,
    hits: Sequence[SearchHit],
    space: str | None,
    k: int,
    *,
    min_score: float,
    diversity: float,
) -> list[SearchHit]:
    """Return the first k hits with a minimum score, or k hits that also differ from each other.

    Args:
        db: The graph.
        hits: The hits, the best first; see `candidates`.
        space: The space that compares hits.
        k: Maximum number of hits.
        min_score: Hits with a lower score are omitted.
        diversity: The weight of differences, from 0 (none) to 1, see `diverse_order`.

    Raises:
        InputError: `diversity` or `min_score` is not from 0 to 1, or the space is missing.
    """
    for name, value in (("diversity", diversity), ("minimum score", min_score)):
        if not (isinstance(value, Real) and 0 <= value <= 1):
            raise InputError(f"the {name} is {value!r}", "choose a number from 0 to 1")
    chosen = [hit for hit in hits if hit.score >= min_score]
    if not diversity or len(chosen) < 2:
        return chosen[:k]
    if space is None:
        raise InputError(
            "diversity compares the vectors of papers, and this search uses no space",
            "name a space, or omit the diversity",
        )
    first, rest = chosen[:DIVERSITY_CANDIDATES], chosen[DIVERSITY_CANDIDATES:]
    vectors = vectors_or_zeros(db, space, [hit.id for hit in first])  # no vector: like no other
    scores = np.array([hit.score for hit in first], np.float32)
    order = diverse_order(scores, vectors, diversity, k)
    return [*(first[place] for place in order), *rest][:k]


def diverse_order(scores: Vectors, vectors: Vectors, diversity: float, k: int) -> list[int]:
    """Choose k hits by maximal marginal relevance (Carbonell and Goldstein 1998).

    The next hit has the highest (1 - diversity) score / highest score - diversity c, with c its
    highest cosine to a chosen hit.

    Args:
        scores: (n,) float32.
        vectors: (n, d) float32.
        diversity: The weight of differences, from 0 to 1.
        k: Number of hits.

    Returns:
        The rows of the chosen hits, in the order of the choice.
    """
    directions = unit(vectors)
    relevance = (1 - diversity) * scores / max(float(scores.max()), 1e-9)
    nearest = np.full(len(scores), -np.inf, np.float32)
    is_open = np.ones(len(scores), np.bool_)
    order: list[int] = []
    for _ in range(min(k, len(scores))):
        penalty = diversity * nearest if order else np.zeros(len(scores), np.float32)
        best = int(np.argmax(np.where(is_open, relevance - penalty, -np.inf)))
        order.append(best)
        is_open[best] = False
        nearest = np.maximum(nearest, directions @ directions[best])
    return order
