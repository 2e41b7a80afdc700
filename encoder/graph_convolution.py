"""Simple graph convolution (SGC): smooth features over the citation graph, without training.

SGC needs the citations of a paper, which a new paper does not have yet. A linear map with a closed
form therefore predicts the smoothed vectors from the text: the graph is distilled into a head.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
from scipy import sparse

from specter_graph.core.vectors import Inputs, Vectors, unit
from specter_graph.encoder.recipe import DistillationSettings
from specter_graph.encoder.triplets import IndexedTriplets, Rows

_BLOCK = 16_384  # rows in float32 and float64 at a time
_COLUMNS = 16  # dimensions smoothed at a time


def sgc(features: Vectors, edges: npt.NDArray[np.integer], k: int) -> Vectors:
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
    """
    smoothed = features.copy()
    propagate_in_place(smoothing_matrix(edges, len(features)), smoothed, k)
    return smoothed


def propagate(smoothing: sparse.csr_array, features: Vectors, k: int) -> Vectors:
    """Multiply features (n, d) float32 k times by the matrix S of `sgc`.

    A column of the result depends on the same column of the features only, and is the same, bit for
    bit, whatever other columns there are.
    """
    for _ in range(k):
        features = smoothing @ features
    return features


def propagate_in_place(smoothing: sparse.csr_array, features: Vectors, k: int) -> None:
    """Replace features (n, d) float32 by those that `propagate` returns, some columns at a time."""
    for start in range(0, features.shape[1], _COLUMNS):
        columns = np.ascontiguousarray(features[:, start : start + _COLUMNS])
        features[:, start : start + _COLUMNS] = propagate(smoothing, columns, k)


def smoothing_matrix(edges: npt.NDArray[np.integer], nodes: int) -> sparse.csr_array:
    """Return the matrix S of `sgc`, (n, n) float32 in CSR format."""
    ones = np.ones(edges.shape[1], np.float32)
    edges = edges.astype(np.int32, copy=False)
    cited = sparse.csr_array((ones, tuple(edges)), shape=(nodes, nodes))
    del edges, ones  # of a hundred million edges, they take 2 GB
    smoothing = cited + cited.T.tocsr() + sparse.eye_array(nodes, dtype=np.float32, format="csr")
    degrees = np.diff(smoothing.indptr)
    scale = (1 / np.sqrt(degrees)).astype(np.float32)
    smoothing.data = np.repeat(scale, degrees) * scale[smoothing.indices]
    return smoothing


def add_distilled(
    weight: Vectors,
    inputs: Inputs,
    rows: IndexedTriplets,
    dimension: int,
    settings: DistillationSettings,
) -> Vectors:
    """Append columns that predict SGC's vectors to a learned map, see `distill_sgc`.

    Both parts are scaled. Over the papers of the triplets, the root mean square length of the
    learned part is 1, that of the distilled part `settings.weight`.

    Args:
        weight: The learned map, (d_in, d).
        inputs: (n, d_in).
        rows: The triplets.
        dimension: Number of columns to append.
        settings: Settings of the distillation.

    Returns:
        (d_in, d + dimension) float32.
    """
    papers = rows.papers
    learned = np.empty((len(papers), weight.shape[1]), np.float32)
    for block in _blocks(len(papers)):
        learned[block] = inputs[papers[block]].astype(np.float32) @ weight
    length = _length(learned)
    make_unit(learned)
    distilled = distill_sgc(inputs, learned, rows, dimension, settings)
    scale = settings.weight / _mapped_length(inputs, papers, distilled)
    return np.hstack([weight / length, distilled * scale], dtype=np.float32)


def distill_sgc(
    inputs: Inputs,
    vectors: Vectors,
    rows: IndexedTriplets,
    dimension: int,
    settings: DistillationSettings,
) -> Vectors:
    """Return the map from inputs to smoothed vectors, (d_in, dimension) or narrower.

    The vectors are smoothed over the citations of the triplets (query, positive), scaled to length
    1, reduced to their principal directions, and regressed on the inputs of their papers.

    Args:
        inputs: (n, d_in), of all papers.
        vectors: (m, d), of the papers of the triplets (`rows.papers`); overwritten.
        rows: The triplets.
        dimension: Dimension of the reduced vectors.
        settings: Settings of the distillation.
    """
    papers = rows.papers
    edges = np.stack([np.searchsorted(papers, column) for column in rows.pairs])
    smoothing = smoothing_matrix(edges, len(papers))
    propagate_in_place(smoothing, vectors, settings.k)
    make_unit(vectors)
    directions = principal_directions(vectors, dimension)
    return ridge_map(
        (
            (inputs[papers[block]].astype(np.float32), vectors[block] @ directions)
            for block in _blocks(len(papers))
        ),
        settings.ridge,
    )


def add_base(
    weight: Vectors, inputs: Inputs, rows: IndexedTriplets, dimension: int, share: float
) -> Vectors:
    """Append the base vectors to a learned map.

    Args:
        weight: The learned map, (d_in, d).
        inputs: (n, d_in); the first dimensions are the base vectors.
        rows: The triplets.
        dimension: Dimension of the base vectors.
        share: Mean share of the base vectors in the squared length of the result, over the papers
            of the triplets.

    Returns:
        (d_in, d + dimension) float32.
    """
    learned = weight * np.sqrt(1 - share) / _mapped_length(inputs, rows.papers, weight)
    base = np.sqrt(share) * np.eye(len(weight), dimension)
    return np.hstack([learned, base], dtype=np.float32)


def ridge_map(blocks: Iterable[tuple[Vectors, Vectors]], ridge: float) -> Vectors:
    """Solve a ridge regression without an intercept: W = (X^T X + ridge I)^-1 X^T Y.

    `blocks` are rows of X (n, d_in) and of Y (n, d). Returns W, (d_in, d) float32; sums and the
    solution are computed in float64.
    """
    squares: npt.NDArray[np.float64] = np.zeros(())
    products: npt.NDArray[np.float64] = np.zeros(())
    for inputs, targets in blocks:
        transposed = inputs.T.astype(np.float64)
        squares = squares + transposed @ inputs
        products = products + transposed @ targets
    return np.linalg.solve(squares + ridge * np.eye(len(squares)), products).astype(np.float32)


def principal_directions(vectors: Vectors, dimension: int) -> Vectors:
    """Return the first right singular vectors of uncentered vectors (n, d): (d, dimension).

    No other linear map to this dimension preserves distances better. There are at most d.
    """
    products = sum(vectors[b].T.astype(np.float64) @ vectors[b] for b in _blocks(len(vectors)))
    _, directions = np.linalg.eigh(products)
    return np.asarray(directions[:, ::-1][:, :dimension], np.float32)


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, rows, _BLOCK))


def make_unit(vectors: Vectors) -> None:
    """Scale the rows of an array to length 1, see `unit`."""
    for block in _blocks(len(vectors)):
        vectors[block] = unit(vectors[block])


def _length(vectors: Vectors) -> float:
    """Return the root mean square length of rows."""
    squares = np.einsum("ij,ij->i", vectors, vectors)
    return float(np.sqrt(squares.mean(dtype=np.float64)))


def _mapped_length(inputs: Inputs, papers: Rows, weight: Vectors) -> float:
    """Return the root mean square length of the vectors of some papers under a map."""
    squares = sum(
        float(np.square(inputs[papers[block]].astype(np.float32) @ weight).sum())
        for block in _blocks(len(papers))
    )
    return float(np.sqrt(squares / len(papers)))
