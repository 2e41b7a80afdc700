"""Similar papers by the vectors of a space or by citations, stored as SIMILAR relationships."""

from time import monotonic
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import require_choice, require_counts
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.core.vectors import nearest
from specter_graph.graph.algorithms.projection import AlgorithmResult, paper_of_node, projection
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import get_space, read_vectors

Measure = Literal["cocitation", "coupling"]

_ROWS = 10_000


class SimilarPairs(NamedTuple):
    """Pairs of similar papers: ids (n,), ids of the others (n,), scores (n,) float64."""

    papers: list[str]
    others: list[str]
    scores: NDArray[np.float64]


def knn(
    db: Database,
    space: str | None = None,
    *,
    k: int = 10,
    seed: int = 0,
    exact: bool = False,
    progress: Progress = silent,
) -> AlgorithmResult:
    """Write the k nearest papers of each paper in a space, replacing earlier ones of this space.

    The score is 1 / (1 + squared Euclidean distance), as in the vector index.

    Args:
        db: The graph.
        space: The space, by default the first of `DEFAULT_SPACES` that exists.
        k: Number of neighbors per paper.
        seed: Random seed of NN-descent.
        exact: Compare all papers in this process, without GDS; the time grows with the square of
            the number of papers. Otherwise NN-descent in GDS misses a few percent.
        progress: Called with the progress in percent or papers.

    Raises:
        GraphError: The space does not exist, or the server has no GDS.
    """
    require_counts(k=k)
    started = monotonic()
    space = get_space(db, space).name
    if exact:
        ids, vectors = read_vectors(db, space)
        rows, distances = nearest(vectors, vectors, k, np.arange(len(ids)), progress)
        papers = [paper for paper in ids for _ in range(rows.shape[1])]
        pairs = SimilarPairs(papers, [ids[row] for row in rows.flat], 1 / (1.0 + distances.ravel()))
    else:
        with projection(db, "project_vectors", progress, space=space, ids=None) as (gds, graph):
            frame = gds.knn.stream(graph, top_k=k, **knn_settings(seed))
        pairs = _read_pairs(db, frame)
        # the similarity of GDS is 1 / (1 + distance)
        pairs = pairs._replace(scores=1 / (1 + (1 / pairs.scores - 1) ** 2))
    return _write_pairs(db, space, pairs, started)


def similarity(
    db: Database,
    measure: Measure = "cocitation",
    *,
    k: int = 10,
    min_similarity: float = 0.0,
    progress: Progress = silent,
) -> AlgorithmResult:
    """Write the k most similar papers of each paper by citations, replacing earlier ones.

    The score is the Jaccard similarity of the sets of citing papers (cocitation), or of the sets of
    references (coupling). Pairs that share nothing are omitted. All citations count, including
    those of stubs. The property `space` of the relationships is the name of the measure.

    Args:
        db: The graph.
        measure: "cocitation" or "coupling".
        k: Maximum number of similar papers per paper.
        min_similarity: Minimum Jaccard similarity.
        progress: Called with the progress of the algorithm in percent.

    Raises:
        GraphError: The graph has no papers, or the server has no GDS.
    """
    require_choice("measure", measure, get_args(Measure))
    require_counts(k=k)
    started = monotonic()
    with projection(db, f"project_{measure}", progress) as (gds, graph):
        frame = gds.node_similarity.stream(
            graph, top_k=k, similarity_cutoff=max(min_similarity, 1e-9), concurrency=1
        )
    return _write_pairs(db, measure, _read_pairs(db, frame), started)


def knn_settings(seed: int) -> dict[str, object]:
    """Return the settings of gds.knn: Euclidean distance, one thread, high recall."""
    return {
        "node_properties": {"features": "EUCLIDEAN"},
        "sample_rate": 1.0,
        "delta_threshold": 1e-4,
        "random_seed": seed,
        "concurrency": 1,
    }


def _read_pairs(db: Database, frame: Any) -> SimilarPairs:  # noqa: ANN401, pandas is not typed
    paper_of = paper_of_node(db)
    papers, others = (frame[column].map(paper_of).tolist() for column in ("node1", "node2"))
    return SimilarPairs(papers, others, frame["similarity"].to_numpy())


def _write_pairs(db: Database, name: str, pairs: SimilarPairs, started: float) -> AlgorithmResult:
    db.commit("algorithms/forget_similar", space=name)
    for rows in batches(zip(pairs.papers, pairs.others, pairs.scores.tolist(), strict=True), _ROWS):
        db.write("algorithms/write_similar", space=name, rows=[list(row) for row in rows])
    papers = len(set(pairs.papers))
    return AlgorithmResult(name, papers, len(pairs.papers), monotonic() - started)
