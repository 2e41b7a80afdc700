"""Reranking of the best hits by a model that reads the query and a paper together."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from specter_graph.core.errors import InputError
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.search.hits import SearchHit

Scorer = Callable[[str, Sequence[str]], Vectors]
"""Scores n texts for a query from 0 to 1, (n,) float32: (query, texts)."""

CANDIDATES = 50
"""Number of best hits that are scored; more if more are returned."""


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
            "the reranker needs a text, and the query has none",
            "give a text, or omit --rerank",
        )
    texts = {
        paper.id: f"{paper.title}. {paper.abstract or ''}"
        for paper in paper_texts(db, [hit.id for hit in hits])
    }
    with_text = [hit for hit in hits if hit.id in texts]
    scores = dict(
        zip(
            (hit.id for hit in with_text),
            scorer(query, [texts[hit.id] for hit in with_text]).tolist(),
            strict=True,
        )
    )
    scored = [replace(hit, score=scores.get(hit.id, 0.0)) for hit in hits]
    return sorted(scored, key=lambda hit: -hit.score)
