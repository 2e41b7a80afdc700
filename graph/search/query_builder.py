"""Construction of questions from texts, similar papers and dissimilar papers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.queries.library_queries import current_ids, require_vectors
from specter_graph.graph.search.hits import Question
from specter_graph.graph.search.lucene import tokenize
from specter_graph.graph.search.query_syntax import NOTHING, Query
from specter_graph.graph.search.search_filters import NO_FILTERS, Filters

Vector = NDArray[np.float32]

AWAY = 0.25
"""Weight with which a vector moves away from the `unlike` papers."""


def build_question(
    db: Database,
    space: str | None = None,
    *,
    query: Query = NOTHING,
    vector: Vector | None = None,
    like: Sequence[str] = (),
    unlike: Sequence[str] = (),
    filters: Filters = NO_FILTERS,
) -> Question:
    """Build a question from a query and its vector, from papers, or from both.

    The vectors of the query and of the `like` papers are averaged and moved away from those of the
    `unlike` papers (see `rocchio`). The titles of the `like` papers are words of the question. The
    papers themselves are excluded from the results.

    Args:
        db: The graph.
        space: The embedding space.
        query: The parsed query.
        vector: Its vector, (d,) float32.
        like: Ids of papers to find others like.
        unlike: Ids of papers to move away from.
        filters: Conditions on the results.

    Raises:
        GraphError: A paper is unknown, or has no vector in the space.
    """
    current = current_ids(db, [*like, *unlike])
    like, unlike = current[: len(like)], current[len(like) :]
    papers = _papers(db, current, space)
    titles = tokenize(*(papers[paper]["title"] or "" for paper in like))
    return Question(
        words=query.words or tuple(titles),
        lucene=" ".join([query.lucene, *titles]).strip(),
        restricts=query.restricts,
        vector=_vector(vector, [papers[p] for p in like], [papers[p] for p in unlike]),
        papers=tuple(like),
        filters=replace(filters, without=(*filters.without, *like, *unlike)),
    )


def _papers(db: Database, ids: list[str], space: str | None) -> dict[str, dict[str, Any]]:
    if not ids:
        return {}
    rows = db.read(statement("search/given_papers").text, ids=ids, space=space)
    papers = {row["id"]: row for row in rows}
    if space is not None:
        require_vectors(db, ids, [space])
    return papers


def _vector(
    text: Vector | None, like: list[dict[str, Any]], unlike: list[dict[str, Any]]
) -> Vector | None:
    near = [np.array(row["vector"], dtype=np.float32) for row in like if row["vector"]]
    near += [] if text is None else [text]
    far = [np.array(row["vector"], dtype=np.float32) for row in unlike if row["vector"]]
    return rocchio(near, far) if near else None


def rocchio(near: Sequence[Vector], far: Sequence[Vector]) -> Vector:
    """Move the mean n of (d,) vectors away from the mean f of others.

    The result is n + AWAY (n - f) (Rocchio 1971), rescaled to the length of n: spaces use Euclidean
    distance, and a vector of another length would be far from all papers.
    """
    mean: Vector = np.mean(near, axis=0, dtype=np.float32)
    if not far:
        return mean
    moved = mean + AWAY * (mean - np.mean(far, axis=0, dtype=np.float32))
    length = float(np.linalg.norm(moved))
    return np.asarray(moved * (np.linalg.norm(mean) / length) if length else mean, np.float32)
