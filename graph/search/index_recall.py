"""Is a space in order: what its index misses, and which vectors are old, missing or misshapen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.batching import batches
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import dialect, splice
from specter_graph.graph.embeddings.paper_texts import count_papers, paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    spaces,
    stale,
    text_digest,
    text_hash,
    text_parts,
)
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.property_names import hash_name
from specter_graph.graph.search.filters import NONE, resolve, spliced
from specter_graph.graph.search.vector_search import LEAST_CANDIDATES

K = 10
BLOCK = 2_000


@dataclass(frozen=True, slots=True)
class Check:
    """The state of one space.

    `recall` is the share of the K nearest papers that the index finds for `queries` papers, asked
    as a search asks it; None where there are no vectors. Of the papers with a record `missing`
    have no vector, and `stale` one of another text or model; None in a space that is only ever
    made whole, where nothing tells. `misshapen` vectors have not the `dimension` of the space, and
    are in no index.
    """

    space: str
    dimension: int
    papers: int
    vectors: int
    missing: int
    stale: int | None
    misshapen: int
    queries: int
    recall: float | None


def check(db: Database, name: str | None = None, queries: int = 200) -> list[Check]:
    """Check a space, or all of them; memory does not grow with the number of papers."""
    return [
        _check(db, record, queries)
        for record in ([find_space(db, name)] if name is not None else spaces(db))
    ]


def _check(db: Database, record: EmbeddingSpace, queries: int) -> Check:
    counts = db.read(
        statement("embeddings/shapes").text,
        space=record.property,
        hash=hash_name(record.property),
        dimension=record.dimension,
    )[0]
    rows = db.read(
        statement("embeddings/sample_papers").text,
        space=record.property,
        dimension=record.dimension,
        most=queries,
    )
    asked = np.array([row["vector"] for row in rows], dtype=np.float32)
    papers = count_papers(db)
    return Check(
        space=record.property,
        dimension=record.dimension,
        papers=papers,
        vectors=counts["vectors"],
        missing=papers - counts["vectors"],
        stale=_stale(db, record, counts["hashed"]),
        misshapen=counts["misshapen"],
        queries=len(rows),
        recall=_recall(db, record, asked) if len(rows) else None,
    )


def _stale(db: Database, record: EmbeddingSpace, hashed: int) -> int | None:
    """Count vectors of another text or model; papers without a vector do not count."""
    if not hashed:
        return None
    digest, count = text_digest(record), 0
    for texts in batches(paper_texts(db, None, text_parts(record), record.holdout), BLOCK):
        hashes = [(text.id, text_hash(digest, text)) for text in texts]
        changed = stale(db, record.property, hashes)
        rows = db.read(
            statement("embeddings/has_vectors").text, ids=changed, spaces=[record.property]
        )
        count += sum(not row["without"] for row in rows)
    return count


def _recall(db: Database, record: EmbeddingSpace, asked: NDArray[np.float32]) -> float:
    """The share of the K nearest, by exact distances, that the index gives."""
    exact = _exact(db, record, asked)
    text = spliced(statement("search/nearest").text, resolve(db, NONE))
    text = splice(text, {"space": record.property}, dialect(db))
    found = 0
    for vector, near in zip(asked, exact, strict=True):
        hits = db.value(
            text, vector=vector.tolist(), space=record.property, k=K, candidates=LEAST_CANDIDATES
        )
        found += len(near & {hit["id"] for hit in hits})
    return found / sum(map(len, exact))


def _exact(db: Database, record: EmbeddingSpace, asked: NDArray[np.float32]) -> list[set[str]]:
    """The ids of the K papers nearest to each vector, (n, d): all vectors pass by, in blocks."""
    asked = asked.astype(np.float64)
    squares = np.empty((len(asked), 0))  # less the square of the vector asked with
    ids = np.empty((len(asked), 0), dtype=object)
    rows = db.stream(
        statement("embeddings/shaped").text, space=record.property, dimension=record.dimension
    )
    for block in batches(rows, BLOCK):
        vectors = np.array([row[1] for row in block], dtype=np.float64)
        names = np.array([row[0] for row in block], dtype=object)
        squares = np.hstack([squares, (vectors**2).sum(1) - 2 * asked @ vectors.T])
        ids = np.hstack([ids, np.broadcast_to(names, (len(asked), len(names)))])
        best = np.argpartition(squares, min(K, squares.shape[1]) - 1, axis=1)[:, :K]
        squares = np.take_along_axis(squares, best, axis=1)
        ids = np.take_along_axis(ids, best, axis=1)
    return [{*row} for row in ids]
