"""What a space looks like, apart from any ranking.

Hubness, alignment and uniformity, and how well classes are separated on a plane (SPECTER,
section 6 and figure 2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.evaluation.distances import Distance, distances, nearest
from specter_graph.evaluation.measures import Floats, Ints

NEIGHBOURS = 10
"""The k of the k-occurrence."""

LEAST_PICTURED = 40
"""Papers of a projection: t-SNE's perplexity is of 30 neighbours."""

TEMPERATURE = 2.0
"""The t of the uniformity."""

_PAIRS = 100_000
_QUERIES = 5_000  # that are asked for their neighbours, at most


@dataclass(frozen=True, slots=True)
class Plane:
    """A projection (papers, 2), the cluster of each paper (-1: noise), and what these agree to.

    Where all papers are at one place there is nothing to cluster: both figures are None.
    """

    places: NDArray[np.float32]
    clusters: Ints
    homogeneity: float | None
    completeness: float | None


def hubness(
    vectors: Floats, k: int = NEIGHBOURS, kind: Distance = "squared_l2", seed: int = 0
) -> float:
    """The skewness of the k-occurrence (Radovanovic et al. 2010, section 2.2).

    The k-occurrence of a paper is how many others have it among their k nearest; its skewness is
    E[(N - mean)^3] / std^3. 0 is no hubs; the higher, the fewer papers are near to everybody. Of
    more than 5,000 papers that many are drawn to be asked for their neighbours, and the skewness is
    estimated from what these say.

    Raises InputError for fewer than k + 1 papers.
    """
    if len(vectors) <= k:
        raise InputError(f"{len(vectors)} papers have no {k} neighbours each")
    asked = np.arange(len(vectors))
    if len(vectors) > _QUERIES:
        asked = np.sort(np.random.default_rng(seed).choice(asked, _QUERIES, replace=False))
    counts = np.zeros(len(vectors), dtype=np.int64)
    done = 0
    for block in nearest(vectors[asked], vectors, k + 1, kind):
        own = asked[done : done + len(block), None]
        done += len(block)
        # The k nearest others: a paper is its own nearest, unless as many are where it is.
        others = np.argsort(block == own, axis=1, kind="stable")[:, :k]
        counts += np.bincount(
            np.take_along_axis(block, others, axis=1).ravel(), minlength=len(counts)
        )
    return _skewness(counts, len(asked))


def _skewness(counts: Ints, asked: int) -> float:
    """The skewness of the k-occurrence of n papers, from that among `asked` ones drawn of them.

    A count c is then hypergeometric: the mean of c (c - 1) ... (c - j + 1), times the same product
    of n over that of `asked`, is without bias for the j-th factorial moment of the k-occurrence.
    """
    size = len(counts)
    product, scale = np.ones(size), 1.0
    factorial = []
    for j in range(3):
        product = product * (counts - j)
        scale *= (size - j) / max(asked - j, 1)  # of two papers there are no three
        factorial.append(float(product.mean()) * scale)
    mean, second, third = factorial
    square, cube = second + mean, third + 3 * second + mean
    variance = square - mean**2
    if variance <= 0:
        return 0.0
    return float((cube - 3 * mean * square + 2 * mean**3) / variance**1.5)


def alignment(one: Floats, other: Floats) -> float:
    """Mean |f(x) - f(y)|^2 of related pairs, of vectors of length 1 (Wang and Isola 2020).

    `one` and `other` are (pairs, d). The lower, the nearer related papers are; 0 to 4.
    """
    return float(((_unit(one) - _unit(other)) ** 2).sum(axis=1).mean())


def uniformity(vectors: Floats, seed: int = 0) -> float:
    """The log of the mean of exp(-2 |f(x) - f(y)|^2) over pairs of papers, of vectors of length 1.

    Wang and Isola (2020), equation 3. The lower, the more evenly the papers fill the sphere; at
    most 0. Up to 100,000 pairs of different papers are drawn where there are more.
    """
    unit = _unit(vectors)
    size = len(unit)
    if size < 2:
        raise InputError("one paper is no pair")
    if size * (size - 1) // 2 <= _PAIRS:
        first, second = np.triu_indices(size, 1)
    else:
        generator = np.random.default_rng(seed)
        first = generator.integers(size, size=_PAIRS)
        second = (first + generator.integers(1, size, size=_PAIRS)) % size
    squares = ((unit[first] - unit[second]) ** 2).sum(axis=1)
    return float(np.log(np.exp(-TEMPERATURE * squares).mean()))


def on_a_plane(vectors: Floats, classes: Sequence[str], *, seed: int = 0) -> Plane:
    """Project by t-SNE, cluster by DBSCAN, and compare the clusters with classes.

    Homogeneity: each cluster has papers of one class only; completeness: each class is in one
    cluster (Rosenberg and Hirschberg 2007). The paper does not tell its settings: here t-SNE is
    scikit-learn's with a perplexity of 30, begun with the principal components; DBSCAN's radius is
    the median distance to the 10th neighbour on the plane, with 10 papers for a core. Noise is a
    cluster of its own. Where that median is 0, for many papers have equal vectors, the radius is
    the smallest of these distances above 0.

    Raises InputError for fewer than 40 papers.
    """
    from sklearn.cluster import DBSCAN
    from sklearn.manifold import TSNE
    from sklearn.metrics import completeness_score, homogeneity_score
    from threadpoolctl import threadpool_limits

    if len(vectors) < LEAST_PICTURED:
        raise InputError(f"{len(vectors)} papers are too few for a picture")
    wanted = np.asarray(vectors, dtype=np.float32)
    places = np.zeros((len(wanted), 2), dtype=np.float32)
    if (wanted != wanted[0]).any():  # t-SNE crashes the process where all are equal
        projection = TSNE(n_components=2, perplexity=30, init="pca", random_state=seed)
        with threadpool_limits(1):  # the same picture again, and no waiting for cores of others
            places = projection.fit_transform(wanted)
    radius = _radius(places)
    if not radius:
        return Plane(places, np.zeros(len(places), dtype=np.int64), None, None)
    clusters = DBSCAN(eps=radius, min_samples=NEIGHBOURS).fit_predict(places)
    return Plane(
        places,
        clusters,
        float(homogeneity_score(classes, clusters)),
        float(completeness_score(classes, clusters)),
    )


def _radius(places: NDArray[np.float32]) -> float:
    """The median distance to the 10th neighbour, or the smallest above 0; 0 where there is none."""
    tenth = np.sqrt(
        [
            np.partition(row, NEIGHBOURS)[NEIGHBOURS]
            for block in distances(places, places)
            for row in block
        ]
    )
    return float(np.median(tenth)) or float(min(tenth[tenth > 0], default=0.0))


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = vectors / np.where(lengths > 0, lengths, 1)
    return unit
