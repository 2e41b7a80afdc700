"""Exact ranks of relevant papers, and trec_eval's metrics on them.

Papers are ranked by distance, the nearest first. As in trec_eval, papers at the same distance are
ordered by descending id.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError, extra

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Distance: TypeAlias = Literal["squared_l2", "cosine", "dot"]
"""|u - v|^2, 1 - cos(u, v), or -u . v; lower is nearer."""

DISTANCES: tuple[Distance, ...] = get_args(Distance)

_TREC_EVAL = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P"}  # of metrics at a rank
_BLOCK = 32_000_000  # distances held at a time: 128 MB
_CANDIDATES = 8_192  # candidates converted to float64 at a time


def require_trec_eval() -> None:
    """Raise InputError if trec_eval is not installed; call this before work that ends in scores."""
    with extra("eval"):
        import pytrec_eval  # noqa: F401


def trec_eval(
    judgments: Mapping[str, Mapping[str, int]],
    runs: Mapping[str, Mapping[str, float]],
    metrics: Sequence[str],
) -> dict[str, dict[str, float]]:
    """Score runs by trec_eval, by metric and query.

    Args:
        judgments: By query and paper, the relevance.
        runs: By query and paper, the score; a higher score is ranked first.
        metrics: Any of map, ndcg, ndcg@K, recall@K and precision@K.
    """
    with extra("eval"):
        import pytrec_eval

    named = {metric: metric.partition("@") for metric in metrics}
    dotted = {
        metric: f"{_TREC_EVAL[name]}.{rank}" if rank else name
        for metric, (name, _, rank) in named.items()
    }
    scores = pytrec_eval.RelevanceEvaluator(judgments, {*dotted.values()}).evaluate(runs)
    return {
        metric: {query: of[name.replace(".", "_")] for query, of in scores.items()}
        for metric, name in dotted.items()
    }


def score_ranks(ranks: Sequence[Ints], metrics: Sequence[str]) -> dict[str, Floats]:
    """Score queries by the ranks, from 1, of their relevant papers.

    Args:
        ranks: For each query an array with the ranks, in any order.
        metrics: Those of `trec_eval`, and mrr (trec_eval's recip_rank).

    Returns:
        By metric a value in 0..1 for each query.

    Raises:
        InputError: A query has no relevant papers.
    """
    if not all(map(len, ranks)):
        raise InputError("a query has no relevant papers")
    scores = {}
    if "mrr" in metrics:  # may depend on a rank beyond the depth of the run
        scores["mrr"] = np.array([1 / row.min() for row in ranks])
    others = [metric for metric in metrics if metric != "mrr"]
    last = max((int(row.max()) for row in ranks), default=0)
    depth = max((int(metric.partition("@")[2] or last) for metric in others), default=0)
    # Papers are named by their ranks, so that all queries share one run.
    run = {str(rank): float(-rank) for rank in range(1, depth + 1)}
    judgments = {
        str(query): dict.fromkeys(map(str, row.tolist()), 1) for query, row in enumerate(ranks)
    }
    for metric, by_query in trec_eval(judgments, dict.fromkeys(judgments, run), others).items():
        scores[metric] = np.array([by_query[query] for query in judgments])
    return {metric: scores[metric] for metric in metrics}


def ranks_of(distances: NDArray[np.float32], relevant: NDArray[np.integer]) -> Ints:
    """Return the ranks, from 1, of the relevant papers.

    Args:
        distances: (papers,), ordered by the ids of the papers.
        relevant: Positions of the relevant papers.
    """
    return np.array(
        [
            # The paper itself counts as 1. Of equal distances, greater ids come first.
            np.count_nonzero(distances[:place] < distances[place])
            + np.count_nonzero(distances[place:] <= distances[place])
            for place in relevant
        ],
        dtype=np.int64,
    )


def distances(
    queries: NDArray[np.floating], candidates: NDArray[np.floating], kind: Distance = "squared_l2"
) -> Iterator[NDArray[np.float32]]:
    """Yield float32 blocks (some queries, all candidates), in the order of the queries.

    `queries` and `candidates` have shapes (q, d) and (n, d). Products are computed in float64, so
    that equal vectors have equal distances wherever they are in a block. The cosine with a vector
    of zeros is 0.
    """
    from sklearn.metrics.pairwise import cosine_distances, euclidean_distances

    compute: dict[Distance, Callable[[Floats, Floats], Floats]] = {
        "squared_l2": partial(euclidean_distances, squared=True),
        "cosine": cosine_distances,
        "dot": lambda rows, part: -(rows @ part.T),
    }
    size = max(1, _BLOCK // max(1, len(candidates)))
    for start in range(0, len(queries), size):
        rows = queries[start : start + size].astype(np.float64)
        block = np.empty((len(rows), len(candidates)), dtype=np.float32)
        for first in range(0, len(candidates), _CANDIDATES):
            part = candidates[first : first + _CANDIDATES].astype(np.float64)
            block[:, first : first + _CANDIDATES] = compute[kind](rows, part)
        yield block


def squared_distances(
    query: NDArray[np.float32], others: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the squared L2 distances of a query (d,) to vectors (n, d), computed in float64."""
    differences = others.astype(np.float64) - query
    squares: Floats = np.einsum("ij,ij->i", differences, differences)
    return squares.astype(np.float32)
