"""Relationships (Paper)-[:SIMILAR {space, score}]->(Paper): near in a space, or by citations."""

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.batching import batches
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import nearest
from specter_graph.cypher import statement
from specter_graph.graph.algorithms.centrality import Written
from specter_graph.graph.algorithms.run import ONE_THREAD, projection, stream
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import read_vectors, space

Near: TypeAlias = Mapping[str, list[tuple[str, float]]]
"""By paper, those like it with their scores."""

Measure = Literal["cocitation", "coupling"]

_PAPERS = 1_000
_BLOCK = 1_000


def knn(
    db: Database,
    name: str,
    *,
    k: int = 10,
    seed: int = 0,
    without_gds: bool = False,
    progress: Progress = silent,
) -> Written:
    """Write for each paper the k nearest in a space, in place of those of this space before.

    The score is that of the vector index, 1 / (1 + squared Euclidean distance). GDS finds them by
    NN-descent, of which a few percent are others than the nearest; `without_gds` they are found
    here, exactly, in time and work that grow with the square of the papers. Raises GraphError
    where there is no such space.
    """
    started = monotonic()
    dimension = space(db, name).dimension
    if without_gds:
        near = _near_here(db, name, k, progress)
    else:
        config = knn_config(k, seed)
        with projection(db, "project_vectors", dimension=dimension, space=name) as graph:
            rows = stream(db, "pairs", "gds.knn", graph, config, progress)
            near = _near(rows)
        # GDS measures 1 / (1 + distance)
        near = {
            paper: [(other, 1 / (1 + (1 / score - 1) ** 2)) for other, score in others]
            for paper, others in near.items()
        }
    return _write(db, name, near, started)


def similarity(
    db: Database,
    measure: Measure,
    *,
    k: int = 10,
    cutoff: float = 0.0,
    progress: Progress = silent,
) -> Written:
    """Write for each paper the k most like it by citations, in place of those before.

    The score is that of Jaccard: of the papers that cite one of two (cocitation), or that one of
    two cites (coupling), the share that cites, or is cited by, both. Pairs below `cutoff`, and
    those that share nothing, are left out. All citations count, stubs among them. The space of the
    relationships is the name of the measure.
    """
    started = monotonic()
    config = {"topK": k, "similarityCutoff": max(cutoff, 1e-9)} | ONE_THREAD
    with projection(db, f"project_{measure}") as graph:
        near = _near(stream(db, "pairs", "gds.nodeSimilarity", graph, config, progress))
    return _write(db, measure, near, started)


def knn_config(k: int, seed: int) -> dict[str, object]:
    """What gds.knn is called with: nearest by Euclidean distance, the same for the same seed."""
    nearest = {"nodeProperties": {"features": "EUCLIDEAN"}, "topK": k, "sampleRate": 1.0}
    return {**nearest, "deltaThreshold": 1e-4, "randomSeed": seed, **ONE_THREAD}


def exact_knn(
    vectors: NDArray[np.float32], k: int, progress: Progress = silent
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The k nearest rows of each row of (n, d) vectors, itself left out: rows and distances^2.

    Both (n, min(k, n - 1)), the nearest first; of rows as near, the lower number.
    """
    n = len(vectors)
    parts = []
    for start in range(0, n, _BLOCK):
        own = np.arange(start, min(start + _BLOCK, n))
        parts.append(nearest(vectors[own], vectors, k, own))
        progress("nearest papers", start + len(own), n)
    rows, distances = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(distances)


def _near_here(db: Database, name: str, k: int, progress: Progress) -> Near:
    ids, vectors = read_vectors(db, name)
    if len(ids) < 2:
        return {}
    rows, distances = exact_knn(vectors, k, progress)
    return {
        paper: [(ids[row], 1 / (1 + float(distance))) for row, distance in zip(*pair, strict=True)]
        for paper, *pair in zip(ids, rows, distances, strict=True)
    }


def _near(rows: Iterator[tuple[str, str, float]]) -> dict[str, list[tuple[str, float]]]:
    near: dict[str, list[tuple[str, float]]] = {}
    for paper, other, score in rows:
        near.setdefault(paper, []).append((other, score))
    return near


def _write(db: Database, name: str, near: Near, started: float) -> Written:
    db.commit(statement("algorithms/forget_similar").text, space=name)
    text = statement("algorithms/write_similar").text
    for batch in batches(near.items(), _PAPERS):
        rows = [
            {"id": paper, "near": [{"id": other, "score": score} for other, score in others]}
            for paper, others in batch
        ]
        db.write(text, space=name, rows=rows)
    count = sum(len(others) for others in near.values())
    return Written(name, len(near), count, monotonic() - started)
