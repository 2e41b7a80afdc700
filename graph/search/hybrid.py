"""Hybrid search: one score from words, vectors, titles and the citations of the best papers.

A request comes from a text, similar papers and dissimilar papers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import bolt_vector
from specter_graph.graph.queries.library_queries import current_ids, require_vectors
from specter_graph.graph.search.fulltext import fulltext_search
from specter_graph.graph.search.hits import (
    Mode,
    SearchHit,
    SearchReason,
    SearchRequest,
    add_details,
    citing_reason,
)
from specter_graph.graph.search.lucene import tokenize
from specter_graph.graph.search.query_syntax import NOTHING, Query
from specter_graph.graph.search.search_filters import (
    NO_FILTERS,
    Filters,
    render_filters,
    resolve,
)
from specter_graph.graph.search.vector_search import distance_of_similarity, nearest

Vector = NDArray[np.float32]

AWAY = 0.25
"""Weight with which a vector moves away from the `unlike` papers."""
MIN_DEPTH = 100
"""Minimum number of candidates from words and from vectors."""
BEST_PAPERS = 10
"""Number of best papers whose citations are followed."""
MIN_CITING = 2
"""Number of best papers that must cite a paper to add it to the candidates."""
MAX_REASON_PAPERS = 2
"""Maximum number of papers that a reason names."""
WEIGHTS: Mapping[str, float] = {"text": 0.2, "vector": 0.45, "title": 0.1, "cited": 0.25}
"""Weights of the signals; their sum is 1. They were chosen on data, see docs/search.md."""
_WORD = re.compile(r"\w+")


def build_request(
    db: Database,
    space: str | None,
    *,
    query: Query = NOTHING,
    vector: Vector | None = None,
    like: Sequence[str] = (),
    unlike: Sequence[str] = (),
    filters: Filters = NO_FILTERS,
) -> SearchRequest:
    """Build a request from a query and its vector, from papers, or from both.

    The vectors of the query and of the `like` papers are averaged and moved away from those of the
    `unlike` papers (see `rocchio`). The titles of the `like` papers are words of the request. The
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
    given = [*like, *unlike]
    current = current_ids(db, given) if space is None else require_vectors(db, given, [space])
    like, unlike = current[: len(like)], current[len(like) :]
    papers = _read_papers(db, current, space)
    titles = tokenize(*(papers[paper]["title"] or "" for paper in like))
    return SearchRequest(
        words=query.words or tuple(titles),
        lucene=" ".join([query.lucene, *titles]).strip(),
        restricts=query.restricts,
        vector=_combine_vectors(vector, [papers[p] for p in like], [papers[p] for p in unlike]),
        papers=tuple(like),
        filters=replace(filters, exclude=(*filters.exclude, *like, *unlike)),
    )


def _read_papers(db: Database, ids: list[str], space: str | None) -> dict[str, dict[str, Any]]:
    if not ids:
        return {}
    rows = db.value("search/given_papers", ids=ids, space=space)
    return {row["id"]: row for row in rows}


def _combine_vectors(
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


@dataclass(slots=True)
class _Candidate:
    """A paper and its signals; `text`, `vector`, `title` and `cited` are from 0 to 1."""

    id: str
    name: str = ""
    text: float = 0.0
    vector: float = 0.0
    title: float = 0.0
    cited_by: tuple[str, ...] = ()
    cited: float = 0.0
    similarity: float | None = None
    score: float = 0.0


def rank_papers(
    db: Database,
    request: SearchRequest,
    space: str | None = None,
    k: int = 10,
    *,
    mode: Mode = "hybrid",
    page: int | None = None,
    detailed: int | None = None,
) -> list[SearchHit]:
    """Return the k best papers for a request, each with its reasons.

    Signals that are not available, such as vectors without a space, are not used.

    Args:
        db: The graph.
        request: Words, vector, papers and filters.
        space: The embedding space.
        k: Maximum number of papers.
        mode: The signals to rank by.
        page: Papers per page; all pages of the same size belong to one ranking, which ends with its
            candidates.
        detailed: Number of the first papers whose details are read, by default all; the others have
            only an id, a title, a score and reasons.
    """
    request = replace(request, filters=resolve(db, request.filters))
    candidates = _find_by_content(db, request, space, max(MIN_DEPTH, page) if page else k, mode)
    if mode == "hybrid":
        candidates = _add_citations(db, request, space, candidates)
    best = candidates[:k]
    names = {candidate.id: candidate.name for candidate in candidates}
    hits = [
        SearchHit(
            id=candidate.id,
            title=candidate.name,
            year=None,
            score=candidate.score,
            distance=None
            if candidate.similarity is None
            else distance_of_similarity(candidate.similarity),
            reasons=tuple(_list_reasons(candidate, names)),
        )
        for candidate in best
    ]
    end = len(hits) if detailed is None else detailed
    return [*add_details(db, hits[:end], request.words), *hits[end:]]


def _rank(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    return sorted(
        candidates, key=lambda candidate: (-candidate.score, -candidate.text, candidate.id)
    )


def _find_by_content(
    db: Database, request: SearchRequest, space: str | None, k: int, mode: Mode
) -> list[_Candidate]:
    """Return candidates by words and by vector.

    At least one of the two returns k papers if k papers pass the filters.
    """
    depth, filters = max(MIN_DEPTH, k), request.filters
    vector = None if mode == "text" or space is None else request.vector
    lucene = "" if mode == "vector" else request.lucene
    with ThreadPoolExecutor(1) as executor:  # the server processes both queries at the same time
        enough = k if vector is None or request.restricts else 0
        context = copy_context()  # the thread shares the reads of this request
        rows = executor.submit(
            lambda: context.run(fulltext_search, db, lucene, depth, filters, enough=enough)
        )
        hits: list[SearchHit] = []
        if vector is not None and space is not None and not (lucene and request.restricts):
            hits = nearest(db, vector, space, depth, filters, enough=k)
        matched = rows.result()
    candidates = {hit.id: _Candidate(hit.id, hit.title or "", similarity=hit.score) for hit in hits}
    highest = max((row["score"] for row in matched), default=1.0)
    for row in matched:
        candidate = candidates.setdefault(row["id"], _Candidate(row["id"], row["title"] or ""))
        candidate.text = row["score"] / highest
    _set_vector_signal(candidates.values())
    for candidate in candidates.values():
        candidate.score = {
            "text": candidate.text,
            "vector": candidate.similarity or 0.0,
            "hybrid": WEIGHTS["text"] * candidate.text + WEIGHTS["vector"] * candidate.vector,
        }[mode]
    return _rank(candidates.values())


def _set_vector_signal(candidates: Iterable[_Candidate]) -> None:
    """Set `vector` to the similarity relative to the highest one."""
    highest = max((candidate.similarity or 0.0 for candidate in candidates), default=0.0)
    for candidate in candidates:
        candidate.vector = (candidate.similarity or 0.0) / highest if highest else 0.0


def _add_citations(
    db: Database, request: SearchRequest, space: str | None, candidates: list[_Candidate]
) -> list[_Candidate]:
    """Score by all signals, and add papers that several of the best papers cite."""
    passing = resolve(db, request.filters)
    best = list(
        dict.fromkeys([*request.papers, *(candidate.id for candidate in candidates[:BEST_PAPERS])])
    )
    vector = request.vector if space is not None else None
    # Reading a vector is most of the work on a candidate, and the index has compared half of them.
    known = {each.id: each.similarity for each in candidates if each.similarity is not None}
    rows = db.value(
        render_filters("search/candidates", passing),
        ids=[candidate.id for candidate in candidates],
        best=best,
        min_citing=len(best) + 1 if request.restricts else MIN_CITING,
        vector=None if vector is None else bolt_vector(db, vector),
        space=space,
        compared=[*known],
        **passing.values,
    )
    text = {candidate.id: candidate.text for candidate in candidates}
    rescored = [
        _Candidate(
            id,
            title or "",
            text=text.get(id, 0.0),
            title=_score_overlap(request.words, title or ""),
            cited_by=tuple(cited_by),
            cited=len(cited_by) / len(best),
            similarity=known.get(id, similarity),
        )
        for id, title, cited_by, similarity in rows
    ]
    _set_vector_signal(rescored)
    for candidate in rescored:
        if vector is not None and candidate.similarity is None:
            candidate.vector = candidate.text  # a paper without a vector is ranked by its words
        candidate.score = sum(WEIGHTS[name] * float(getattr(candidate, name)) for name in WEIGHTS)
        if candidate.title == 1:
            candidate.score = 1.0
    return _rank(rescored)


def _score_overlap(words: tuple[str, ...], title: str) -> float:
    """Return the F1 score of words against the words of a title."""
    ours, theirs = {*words}, {*_WORD.findall(title.lower())}
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


def _list_reasons(candidate: _Candidate, names: Mapping[str, str]) -> Iterable[SearchReason]:
    """Yield the reasons why a paper is a hit."""
    if candidate.title == 1.0:
        yield SearchReason("has this title")
    elif candidate.title >= 0.5:
        yield SearchReason("matches the title")
    elif candidate.text > 0:
        yield SearchReason("matches words")
    if candidate.similarity is not None:
        yield SearchReason("similar in meaning")
    if candidate.cited_by:
        citing = tuple(paper for paper in candidate.cited_by if paper in names)[:MAX_REASON_PAPERS]
        count = len(candidate.cited_by)
        results = f"{count} of the top results" if count > 1 else "a top result"
        titles = {paper: names[paper] for paper in citing}
        yield citing_reason(f"cited by {results}", titles, count)
