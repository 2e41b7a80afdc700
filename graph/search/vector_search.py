"""Vector search: the k papers nearest to a paper or vector that pass the filters.

If the index cannot apply a filter, it is queried for more candidates. If too few of them pass, the
papers that pass are compared without the index.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from neo4j.exceptions import ClientError
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError
from specter_graph.core.vectors import Vectors
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import (
    indexed_properties,
    read_dialect,
    render_placeholders,
    require_index,
)
from specter_graph.graph.embeddings.spaces import bolt_vector, get_space, read_vectors
from specter_graph.graph.queries.library_queries import require_vectors
from specter_graph.graph.search.hits import SearchHit
from specter_graph.graph.search.search_filters import (
    NO_FILTERS,
    Filters,
    Resolved,
    render_filters,
    require_language,
    resolve,
)

MIN_CANDIDATES = 100
CANDIDATES_PER_HIT = 2
MAX_CANDIDATES = 1_000_000
"""Beyond it, all papers are compared: the index allocates memory for every candidate in advance."""
EXACT_PER_CANDIDATE = 4
"""Number of papers that can be compared without the index in the time of one candidate."""
WIDENING = (1, 8)
"""Factors on the number of candidates in successive attempts."""


def similar(
    db: Database, id: str, space: str, k: int = 10, filters: Filters = NO_FILTERS
) -> list[SearchHit]:
    """Return the k papers nearest to a paper, the nearest first, without the paper itself.

    Raises:
        GraphError: The space, the paper or a name in the filters is not in the graph, or the paper
            has no vector in the space.
    """

    def require() -> str:
        get_space(db, space)
        [current] = require_vectors(db, [id], [space])
        return current

    passing = resolve(db, filters)
    if rows := _query_index(db, "search/similar", space, k, k, passing, require, id=id):
        return _make_hits(rows)
    if (current := require()) != id:  # of a merged paper
        return similar(db, current, space, k, filters)
    _, [vector] = read_vectors(db, space, [id])
    rows = _compare_all(db, vector, space, k + 1, passing)
    if not rows:
        require_language(db, filters.language)
    return _make_hits([row for row in rows if row["id"] != id][:k])


def nearest(
    db: Database,
    vector: NDArray[np.float32],
    space: str,
    k: int = 10,
    filters: Filters = NO_FILTERS,
    *,
    enough: int | None = None,
) -> list[SearchHit]:
    """Return the k papers nearest to a vector, the nearest first.

    Args:
        db: The graph.
        vector: (d,) float32.
        space: The embedding space.
        k: Maximum number of papers.
        filters: Conditions on the papers.
        enough: Number of papers after which the index is not queried again; default: k.

    Raises:
        GraphError: The space or a name in the filters is not in the graph, or the space has another
            dimension.
    """

    def require() -> None:
        dimension = get_space(db, space).dimension
        if vector.shape != (dimension,):
            raise GraphError(
                f"the vector has shape {vector.shape}, but {space!r} has {dimension} dimensions",
                "embed the text with the model of the space",
            )

    passing = resolve(db, filters)
    wanted = min(k, k if enough is None else enough)
    rows = _query_index(
        db, "search/nearest", space, k, wanted, passing, require, vector=bolt_vector(db, vector)
    )
    if rows:
        return _make_hits(rows)
    require()
    return _make_hits(_compare_all(db, vector, space, k, passing))


def _query_index(
    db: Database,
    name: str,
    space: str,
    k: int,
    wanted: int,
    filters: Resolved,
    require: Callable[[], object],
    **parameters: object,
) -> list[dict[str, Any]] | None:
    """Query the index for more and more candidates, until enough of them pass the filters.

    `require` raises the error of an invalid search. It is called only if the index fails; if the
    rows are not enough, the caller does it. Most searches are valid.

    Returns:
        At least `wanted` rows; None if comparing all papers of the most selective condition takes
        less time.
    """
    indexed = {"since", "until", "language"} & filters.values.keys()
    within = filters.within(indexed_properties(db, space) if indexed else ())
    text = render_placeholders(statement(name).text, {"space": space}, read_dialect(db), within)
    parameters |= {"space": space, "k": k, **filters.values}
    expected = math.ceil(2 * wanted / filters.share)
    for times in WIDENING:
        candidates = times * max(MIN_CANDIDATES, CANDIDATES_PER_HIT * k, expected)
        is_small = filters.smaller and filters.size <= EXACT_PER_CANDIDATE * candidates
        if is_small or candidates > MAX_CANDIDATES:
            return None
        query = render_filters(text, filters)
        try:
            rows: list[dict[str, Any]] = db.value(query, candidates=candidates, **parameters)
        except ClientError:
            require()
            require_index(db, space)
            raise
        if len(rows) >= wanted:
            return rows
    return None


def _compare_all(
    db: Database, vector: NDArray[np.float32], space: str, k: int, filters: Resolved
) -> list[dict[str, Any]]:
    text = render_filters("search/exact", filters)
    rows: list[dict[str, Any]] = db.value(
        text, vector=bolt_vector(db, vector), space=space, k=k, **filters.values
    )
    return rows


def _make_hits(rows: list[dict[str, Any]]) -> list[SearchHit]:
    return [SearchHit(**row, distance=distance_of_similarity(row["score"])) for row in rows]


def vectors_or_zeros(db: Database, space: str, ids: Sequence[str]) -> Vectors:
    """Return the vectors of papers in this order, (n, d) float32; zeros for a missing one."""
    known, stored = read_vectors(db, space, ids)
    rows = {paper: row for row, paper in enumerate(known)}
    vectors = np.zeros((len(ids), stored.shape[1]), np.float32)
    for place, paper in enumerate(ids):
        if paper in rows:
            vectors[place] = stored[rows[paper]]
    return vectors


def distance_of_similarity(similarity: float) -> float:
    """Return the Euclidean distance d of a similarity 1 / (1 + d^2)."""
    return math.sqrt(max(1 / similarity - 1, 0.0))
