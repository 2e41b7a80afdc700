"""Papers related to one or more papers by vectors, co-citation and bibliographic coupling."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from specter_graph.core.vectors import Vectors, unit
from specter_graph.graph.embeddings.spaces import find_space, read_vectors
from specter_graph.graph.queries.library_queries import current_ids
from specter_graph.graph.search.hits import SearchHit, SearchReason, add_details
from specter_graph.graph.search.vector_search import nearest
from specter_graph.service.dependencies import Backend
from specter_graph.service.models import ExploreResponse, LineagePaper

Signals = Literal["citations", "both"]

MAX_SEEDS = 20
MAX_RELATED = 40
"""Related papers of a page."""
DEPTH = 100
"""Candidates of each signal."""
NEAREST = 3
"""Nearest papers of a paper that the graph of Explore connects with it."""
RRF_CONSTANT = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""


def related(
    backend: Backend, ids: Sequence[str], space: str, k: int, signals: Signals = "both"
) -> list[SearchHit]:
    """Return the k papers that are most related to given papers.

    A paper has 1 / (60 + its rank) from each list that it is in: the nearest vectors to the mean of
    the given ones, and the papers with most common citations and references relative to their
    number. The score is this sum divided by its maximum.

    Args:
        backend: The backend.
        ids: Current ids of the given papers, which are not returned.
        space: The space of the vectors. Papers without a vector are related by citations only.
        k: Number of papers.
        signals: `citations` for the second list only, `both` for the two lists.
    """
    lists: list[list[str]] = []
    near_ids: set[str] = set()
    if signals == "both" and (vectors := _vectors(backend, ids, space)[1]).size:
        near = nearest(backend.database, vectors.mean(axis=0), space, DEPTH + len(ids))
        lists.append([hit.id for hit in near if hit.id not in ids][:DEPTH])
        near_ids = {*lists[0]}
    linked = {row["id"]: row for row in backend.rows("linked", ids=[*ids], k=DEPTH)}
    lists.append([*linked])
    scores: dict[str, float] = {}
    for members in lists:
        for rank, paper in enumerate(members, 1):
            scores[paper] = scores.get(paper, 0.0) + (RRF_CONSTANT + 1) / (RRF_CONSTANT + rank)
    best = sorted(scores, key=lambda paper: (-scores[paper], paper))[:k]
    hits = [
        SearchHit(
            paper,
            None,
            None,
            scores[paper] / len(lists),
            reasons=tuple(_reasons(paper in near_ids, linked.get(paper))),
        )
        for paper in best
    ]
    return add_details(backend.database, hits)


def lineage(backend: Backend, ids: Sequence[str], k: int) -> dict[str, list[LineagePaper]]:
    """Return the papers that most of the given papers cite (prior) and that cite most of them."""
    rows = backend.rows("lineage", ids=[*ids], k=k)
    return {
        kind: [LineagePaper(**row) for row in rows if row["kind"] == kind]
        for kind in ("prior", "derivative")
    }


def explore(backend: Backend, ids: Sequence[str], space: str | None, k: int) -> ExploreResponse:
    """Return given papers with the k most related ones, and the edges between them.

    Raises:
        GraphError: A paper is unknown; the hint lists similar ids.
    """
    seeds = list(dict.fromkeys(current_ids(backend.database, ids)))
    space_name = backend.space(space)
    hits = related(backend, seeds, space_name, k)
    given = add_details(backend.database, [SearchHit(seed, None, None, 1.0) for seed in seeds])
    papers = [replace(hit, snippet="") for hit in [*given, *hits]]
    members = [paper.id for paper in papers]
    [row] = backend.rows("among", ids=members)
    return ExploreResponse(
        seeds=seeds,
        space=space_name,
        papers=papers,
        citations=row["citations"],
        similar=_nearest_pairs(backend, members, space_name),
    )


def _vectors(backend: Backend, ids: Sequence[str], space: str) -> tuple[list[str], Vectors]:
    """Return the papers that have a vector, and the vectors, (n, d); none without the space."""
    if find_space(backend.database, space) is None:
        return [], np.empty((0, 0), dtype=np.float32)
    return read_vectors(backend.database, space, ids)


def _nearest_pairs(
    backend: Backend, ids: Sequence[str], space: str
) -> list[tuple[str, str, float]]:
    """Return pairs of each paper and its nearest ones among `ids`, with their cosines."""
    known, vectors = _vectors(backend, ids, space)
    units = unit(vectors)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -np.inf)
    pairs: dict[tuple[int, int], float] = {}
    for row in range(len(known)):
        for other in np.argsort(-cosines[row])[: min(NEAREST, len(known) - 1)]:
            pairs[min(row, int(other)), max(row, int(other))] = float(cosines[row, other])
    return [(known[a], known[b], cosine) for (a, b), cosine in sorted(pairs.items())]


def _reasons(is_near: bool, linked: Mapping[str, int] | None) -> Iterator[SearchReason]:
    if is_near:
        yield SearchReason("similar in meaning")
    if linked and linked["cocited"]:
        count = linked["cocited"]
        yield SearchReason(f"cited together by {count} {'paper' if count == 1 else 'papers'}")
    if linked and linked["coupled"]:
        count = linked["coupled"]
        yield SearchReason(f"{count} {'reference' if count == 1 else 'references'} in common")
