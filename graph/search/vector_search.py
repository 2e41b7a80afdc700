"""Papers near a paper or a vector: always k of those that pass the filters, where k exist.

What the index cannot filter on is met by asking it for more, and more again; when that does not do,
few papers pass, and these are compared without an index.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from neo4j.exceptions import ClientError
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import dialect, held, require_index, splice
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.queries.library import require_vectors
from specter_graph.graph.search.filters import NONE, Filters, Resolved, resolve, spliced
from specter_graph.graph.search.results import Hit

LEAST_CANDIDATES = 100
CANDIDATES_PER_HIT = 5
COMPARED = 4
"""How many papers are compared without the index in the time that one candidate takes."""
WIDER = (1, 8)
"""How many times the first candidates each try asks for."""


def similar(
    db: Database,
    paper_id: str,
    space: str = "specter",
    k: int = 10,
    filters: Filters = NONE,
) -> list[Hit]:
    """Find the k papers nearest to a paper, the nearest first, without itself.

    Raises GraphError when there is no such space or paper, or the paper has no vector in it.
    """
    current = paper_id

    def require() -> None:
        nonlocal current
        find_space(db, space)
        [current] = require_vectors(db, [paper_id], [space])

    passing = resolve(db, filters)
    asked = _from_index(db, "search/similar", space, k, passing, k, id=paper_id)
    if rows := _enough(db, space, asked, k, require):
        return _hits(rows)
    if current != paper_id:
        return similar(db, current, space, k, filters)
    _, [vector] = read_vectors(db, space, [paper_id])
    rows = _without_index(db, vector, space, k + 1, passing)
    return _hits([row for row in rows if row["id"] != paper_id][:k])


def nearest(
    db: Database,
    vector: NDArray[np.float32],
    space: str = "specter",
    k: int = 10,
    filters: Filters = NONE,
    *,
    enough: int | None = None,
) -> list[Hit]:
    """Find the k papers nearest to a vector, (d,) float32, the nearest first.

    With `enough`, so many do: the rest come only as far as the index gives them at once. Raises
    GraphError when there is no such space or it has another dimension.
    """

    def require() -> None:
        dimension = find_space(db, space).dimension
        if vector.shape != (dimension,):
            raise GraphError(
                f"a vector of shape {vector.shape} for {space!r}, which has {dimension} dimensions",
                "embed the text with the model of the space",
            )

    passing = resolve(db, filters)
    wanted = min(k, k if enough is None else enough)
    asked = _from_index(db, "search/nearest", space, k, passing, wanted, vector=vector.tolist())
    if rows := _enough(db, space, asked, wanted, require):
        return _hits(rows)
    return _hits(_without_index(db, vector, space, k, passing))


def _enough(
    db: Database,
    space: str,
    asked: Iterator[list[dict[str, Any]]],
    enough: int,
    require: Callable[[], None],
) -> list[dict[str, Any]] | None:
    """The first answer of the index with enough rows, if any has.

    Most questions are in order: `require` raises what is wrong with one only when it has failed.
    """
    try:
        for rows in asked:
            if len(rows) >= enough:
                return rows
    except ClientError:
        require()
        require_index(db, space)
        raise
    require()
    return None


def _from_index(
    db: Database,
    name: str,
    space: str,
    k: int,
    filters: Resolved,
    wanted: int,
    **parameters: object,
) -> Iterator[list[dict[str, Any]]]:
    """Ask the index for more and more candidates; the one place where filters choose their way.

    It ends when comparing all papers of the venue or field takes less time.
    """
    asked = {"since", "until", "language"} & filters.values.keys()
    within = filters.within(held(db, space) if asked else ())
    text = splice(statement(name).text, {"space": space}, dialect(db), within)
    parameters |= {"space": space, "k": k, **filters.values}
    expected = math.ceil(2 * wanted / filters.share)
    for times in WIDER:
        candidates = times * max(LEAST_CANDIDATES, CANDIDATES_PER_HIT * k, expected)
        if filters.smaller and filters.size <= COMPARED * candidates:
            return
        yield db.value(spliced(text, filters), candidates=candidates, **parameters)


def _without_index(
    db: Database, vector: NDArray[np.float32], space: str, k: int, filters: Resolved
) -> list[dict[str, Any]]:
    text = spliced(statement("search/exact").text, filters)
    rows: list[dict[str, Any]] = db.value(
        text, vector=vector.tolist(), space=space, k=k, **filters.values
    )
    return rows


def _hits(rows: list[dict[str, Any]]) -> list[Hit]:
    return [Hit(**row, distance=distance(row["score"])) for row in rows]


def distance(similarity: float) -> float:
    """Return the Euclidean distance of which the similarity is 1 / (1 + distance^2)."""
    return math.sqrt(max(1 / similarity - 1, 0.0))
