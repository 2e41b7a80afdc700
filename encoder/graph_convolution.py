"""Simple graph convolution (SGC): smooth features over the citation graph, without training."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from specter_graph.core.errors import InputError


def sgc(
    features: npt.NDArray[np.float32], edges: npt.NDArray[np.int64], k: int
) -> npt.NDArray[np.float32]:
    """Smooth features k times over the graph: S^k X.

    S = D^-1/2 (A + I) D^-1/2, with A the symmetric 0/1 matrix of the undirected graph and D the
    diagonal of the degrees of A + I (Wu et al., Simplifying Graph Convolutional Networks, ICML
    2019, equations 2 to 4; the SPECTER paper's graph baseline).

    Args:
        features: X, (n, d) float32.
        edges: (2, m) rows of X that cite each other. Repeated and reversed edges count once,
            self-citations are ignored.
        k: Number of smoothing steps.

    Returns:
        (n, d) float32. A paper without edges keeps its features.

    Raises:
        InputError: k < 1, or an edge is not between rows of X.
    """
    if k < 1:
        raise InputError(f"k must be at least 1, not {k}")
    return propagate(smoothing_matrix(edges, len(features)), features, k)


def propagate(
    smoothing: sparse.csr_array, features: npt.NDArray[np.float32], k: int
) -> npt.NDArray[np.float32]:
    """Multiply features (n, d) float32 k times by the matrix S of `sgc`.

    A column of the result depends on the same column of the features only, and is the same, bit for
    bit, whatever other columns there are.
    """
    for _ in range(k):
        features = smoothing @ features
    return features


def smoothing_matrix(edges: npt.NDArray[np.int64], nodes: int) -> sparse.csr_array:
    """Return the matrix S of `sgc`, (n, n) float32 in CSR format.

    Raises:
        InputError: An edge is not a pair of node numbers.
    """
    if edges.shape[0] != 2 or (edges.size and not 0 <= edges.min() <= edges.max() < nodes):
        raise InputError(f"edges must be of shape (2, m), with rows from 0 to {nodes - 1}")
    itself = np.arange(nodes, dtype=np.int64)
    rows = np.concatenate([edges[0], edges[1], itself])
    columns = np.concatenate([edges[1], edges[0], itself])
    adjacency = sparse.csr_array(
        (np.ones(len(rows), np.float32), (rows, columns)), shape=(nodes, nodes)
    )
    adjacency.data[:] = 1  # duplicates were summed
    scale = sparse.diags_array(1 / np.sqrt(adjacency.sum(axis=1)), dtype=np.float32)
    return (scale @ adjacency @ scale).astype(np.float32)
