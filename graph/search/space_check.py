"""Check of a space: recall of its index, and outdated, missing or invalid vectors."""

from dataclasses import dataclass, replace

import numpy as np

from specter_graph.core.errors import GraphError, QueryTimeoutError
from specter_graph.core.progress import batches
from specter_graph.core.vectors import Vectors
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import (
    hash_name,
    read_dialect,
    render_placeholders,
    require_index,
)
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    bolt_vectors,
    get_space,
    list_spaces,
    outdated_ids,
    text_digest,
    text_hash,
    text_parts,
)
from specter_graph.graph.search.search_filters import NO_FILTERS, render_filters, resolve
from specter_graph.graph.search.vector_search import MIN_CANDIDATES

K = 10
BLOCK = 2_000


@dataclass(frozen=True, slots=True)
class SpaceCheck:
    """The state of the vectors and of the index of a space.

    Attributes:
        space: The space.
        kind: Its kind.
        dimension: Its dimension.
        papers: Papers with a record.
        vectors: Papers with a vector.
        missing: Papers with a record and no vector.
        outdated: Papers whose vector is from another text or model; None for a space without text
            hashes.
        misshapen: Vectors of another dimension, which are not in the index.
        queries: Papers with which the recall was measured.
        recall: Share of the exact 10 nearest papers that the index returns for a search; None
            without vectors, or with an error.
        error: The reason why the space cannot be searched, with a hint; None without one.
    """

    space: str
    kind: str
    dimension: int
    papers: int
    vectors: int
    missing: int
    outdated: int | None
    misshapen: int
    queries: int
    recall: float | None
    error: str | None = None


def check(db: Database, space: str | None = None, *, queries: int = 200) -> list[SpaceCheck]:
    """Check a space, or all spaces; memory does not grow with the number of papers.

    Raises:
        GraphError: The given space does not exist or is being replaced, or its index is not online.
            If all spaces are checked, `error` of the result says so.
    """
    if space is not None:
        return [_check(db, get_space(db, space), queries)]
    checks = []
    for record in list_spaces(db):
        try:
            checks += check(db, record.name, queries=queries)
        except (GraphError, QueryTimeoutError) as error:
            checks.append(replace(_check(db, record, queries=0), error=error.one_line))
    return checks


def _check(db: Database, record: EmbeddingSpace, queries: int) -> SpaceCheck:
    space, dimension = record.name, record.dimension
    shape = {"space": space, "dimension": dimension}
    rows = db.read("embeddings/sample_papers", limit=queries, **shape)
    sample = np.array([row["vector"] for row in rows], dtype=np.float32)
    recall = _recall(db, record, sample) if len(rows) else None  # an error, before all texts
    [counts] = db.read("embeddings/shapes", hash=hash_name(space), **shape)
    papers = stats(db).papers
    return SpaceCheck(
        space=space,
        kind=record.kind,
        dimension=dimension,
        papers=papers,
        vectors=counts["vectors"],
        missing=papers - counts["vectors"],
        outdated=_count_outdated(db, record, counts["hashed"]),
        misshapen=counts["misshapen"],
        queries=len(rows),
        recall=recall,
    )


def _count_outdated(db: Database, record: EmbeddingSpace, hashed: int) -> int | None:
    """Count vectors of another text or model; papers without a vector do not count."""
    if not hashed:
        return None
    digest, count = text_digest(record), 0
    for texts in batches(paper_texts(db, None, text_parts(record), record.holdout), BLOCK):
        hashes = [(text.id, text_hash(digest, text)) for text in texts]
        changed = outdated_ids(db, record.name, hashes)
        rows = db.value("embeddings/has_vectors", ids=changed, spaces=[record.name])
        count += sum(not row["without"] for row in rows)
    return count


def _recall(db: Database, record: EmbeddingSpace, queries: Vectors) -> float:
    """Return the share of the exact K nearest papers that the index returns."""
    require_index(db, record.name)
    exact = _exact(db, record, queries)
    text = render_filters("search/nearest", resolve(db, NO_FILTERS))
    text = render_placeholders(text, {"space": record.name}, read_dialect(db))
    hit_count = 0
    for vector, near in zip(bolt_vectors(db, queries), exact, strict=True):
        hits = db.value(text, vector=vector, space=record.name, k=K, candidates=MIN_CANDIDATES)
        hit_count += len(near & {hit["id"] for hit in hits})
    return hit_count / sum(map(len, exact))


def _exact(db: Database, record: EmbeddingSpace, queries: Vectors) -> list[set[str]]:
    """Return the ids of the exact K nearest papers of each vector, (n, d), computed in blocks."""
    queries = queries.astype(np.float64)
    squares = np.empty((len(queries), 0))  # without the square of the query vector
    ids = np.empty((len(queries), 0), dtype=object)
    rows = db.stream("embeddings/shaped", space=record.name, dimension=record.dimension)
    for block in batches(rows, BLOCK):
        vectors = np.array([row[1] for row in block], dtype=np.float64)
        names = np.array([row[0] for row in block], dtype=object)
        squares = np.hstack([squares, (vectors**2).sum(1) - 2 * queries @ vectors.T])
        ids = np.hstack([ids, np.broadcast_to(names, (len(queries), len(names)))])
        best = np.argpartition(squares, min(K, squares.shape[1]) - 1, axis=1)[:, :K]
        squares = np.take_along_axis(squares, best, axis=1)
        ids = np.take_along_axis(ids, best, axis=1)
    return [{*row} for row in ids]
