"""The geometry of an embedding space.

Hubness, alignment, uniformity, and the separation of classes on a plane (SPECTER, section 6 and
figure 2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent, tracked
from specter_graph.core.vectors import nearest, unit
from specter_graph.evaluation.metrics.ranking import Floats, Ints
from specter_graph.evaluation.protocols.classification import (
    choose_classes,
    classify,
    labels_by_scheme,
    split_labels,
)
from specter_graph.evaluation.protocols.dataset import SHARE, part_of
from specter_graph.evaluation.protocols.space_evaluation import (
    chosen_spaces,
    citation_data,
    split_vectors,
)
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import usual_holdout
from specter_graph.graph.evaluation_data import labeled_papers
from specter_graph.loaders.records import sample_key

NEIGHBORS = 10
"""k of the k-occurrence."""

MIN_PROJECTED = 40
"""Minimum number of papers of a projection: the perplexity of t-SNE is 30."""

TEMPERATURE = 2.0
"""t of the uniformity."""

_MAX_PROJECTED = 2_000  # more points hide each other
_MAX_PAIRS = 100_000
_MAX_QUERIES = 5_000  # papers whose neighbors are counted


@dataclass(frozen=True, slots=True)
class Geometry:
    """The figures of a space; figures without data are None.

    Attributes:
        alignment: Over the citations of held-out papers, if the space has not seen them.
        separability: Macro F1 of a linear SVM on the test papers among the labeled papers.
        homogeneity: Homogeneity of clusters of the labeled papers on a plane.
        completeness: Completeness of the same clusters.
    """

    papers: int
    hubness: float
    alignment: float | None
    uniformity: float
    separability: float | None = None
    homogeneity: float | None = None
    completeness: float | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """Points (papers, 2), the cluster of each paper (-1: noise), and the agreement with classes.

    The agreement is None if all papers are at one point.
    """

    places: NDArray[np.float32]
    clusters: Ints
    homogeneity: float | None = None
    completeness: float | None = None


def describe_spaces(
    db: Database,
    spaces: Sequence[str] | None = None,
    *,
    label_scheme: str | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, Geometry]:
    """Describe the geometry of spaces, by default of all.

    Args:
        db: The graph.
        spaces: The spaces.
        label_scheme: The labels that are the classes: a scheme of fields, or `venue`. The
            default gives the most papers a class, see `labels_by_scheme`.
        seed: Random seed; up to 2,000 papers are drawn for the projection and the SVM.
        progress: Called with the number of spaces.
    """
    records = chosen_spaces(db, spaces)
    holdout = usual_holdout(records)
    data = citation_data(db, "test", holdout)
    pairs = [(i, place) for i, paper in enumerate(data.papers) for place in paper.cites]
    citing, cited = np.array(pairs, np.int64).reshape(-1, 2).T
    classes = draw_classes(db, label_scheme, seed)
    described = {}
    for space in tracked(records, "describe spaces", progress):
        vectors, queries, corpus = split_vectors(db, space.name, data)
        separability, projection = None, None
        if len(set(classes.values())) > 1:
            shown = [paper for paper in classes if paper in vectors]
            labels = [classes[paper] for paper in shown]
            projection = project_and_cluster(vectors.get(shown), labels, seed=seed)
            parts = {paper: part_of(sample_key(paper), SHARE) for paper in classes}
            result = classify(split_labels(classes, parts), vectors)
            separability = result.metrics["f1"].value()
        described[space.name] = Geometry(
            papers=len(vectors.rows),
            hubness=hubness(corpus, seed=seed),
            alignment=alignment(queries[citing], corpus[cited])
            if pairs and space.hides(holdout)
            else None,
            uniformity=uniformity(corpus, seed),
            separability=separability,
            homogeneity=projection.homogeneity if projection else None,
            completeness=projection.completeness if projection else None,
        )
    return described


def draw_classes(db: Database, label_scheme: str | None, seed: int) -> dict[str, str]:
    """Draw up to 2,000 papers with their classes; for `label_scheme` see `describe_spaces`.

    Raises GraphError when no paper has a label of the scheme.
    """
    labels = labels_by_scheme(db, list(labeled_papers(db)), label_scheme)
    classes = max((choose_classes(names) for names in labels.values()), key=len)
    drawn = np.random.default_rng(seed).permutation(sorted(classes))[:_MAX_PROJECTED]
    return {str(paper): classes[str(paper)] for paper in sorted(drawn)}


def hubness(vectors: NDArray[np.floating], k: int = NEIGHBORS, seed: int = 0) -> float:
    """Return the skewness of the k-occurrence (Radovanovic et al. 2010, section 2.2).

    The k-occurrence N of a paper is the number of papers that have it among their k nearest; the
    skewness is E[(N - mean)^3] / std^3. It is 0 without hubs, and high if a few papers are near
    many others. It is estimated from the neighbors of at most 5,000 random papers.

    Raises InputError for fewer than k + 1 papers.
    """
    if len(vectors) <= k:
        raise InputError(f"hubness needs more than {k} papers, not {len(vectors)}")
    queries = np.arange(len(vectors))
    if len(vectors) > _MAX_QUERIES:
        queries = np.sort(np.random.default_rng(seed).choice(queries, _MAX_QUERIES, replace=False))
    rows = np.asarray(vectors, dtype=np.float32)
    neighbors, _ = nearest(rows[queries], rows, k, own=queries)
    counts = np.bincount(neighbors.ravel(), minlength=len(rows))
    return _skewness(counts, len(queries))


def _skewness(counts: Ints, queries: int) -> float:
    """Estimate the skewness of the k-occurrence of n papers from counts among some queries.

    A count c is hypergeometric: the mean of c (c - 1) ... (c - j + 1), times the same product of n
    divided by that of `queries`, is an unbiased estimate of the j-th factorial moment.
    """
    size = len(counts)
    product, scale = np.ones(size), 1.0
    factorial = []
    for j in range(3):
        product = product * (counts - j)
        scale *= (size - j) / max(queries - j, 1)  # avoids a division by zero for two papers
        factorial.append(float(product.mean()) * scale)
    mean, second, third = factorial
    square, cube = second + mean, third + 3 * second + mean
    variance = square - mean**2
    if variance <= 0:
        return 0.0
    return float((cube - 3 * mean * square + 2 * mean**3) / variance**1.5)


def alignment(one: NDArray[np.floating], other: NDArray[np.floating]) -> float:
    """Return the mean |f(x) - f(y)|^2 over related pairs of unit vectors (Wang and Isola 2020).

    `one` and `other` are (pairs, d). The range is 0 to 4; lower means that related papers are
    nearer.
    """
    return float(((unit(one) - unit(other)) ** 2).sum(axis=1).mean(dtype=np.float64))


def uniformity(vectors: NDArray[np.floating], seed: int = 0) -> float:
    """Return the log of the mean of exp(-2 |f(x) - f(y)|^2) over pairs of unit vectors.

    Wang and Isola (2020), equation 3. At most 0; lower means that papers fill the sphere more
    evenly. At most 100,000 pairs of different papers are used, drawn at random.

    Raises:
        InputError: There are fewer than two papers.
    """
    scaled = unit(vectors)
    size = len(scaled)
    if size < 2:
        raise InputError("uniformity needs at least two papers")
    if size * (size - 1) // 2 <= _MAX_PAIRS:
        first, second = np.triu_indices(size, 1)
    else:
        generator = np.random.default_rng(seed)
        first = generator.integers(size, size=_MAX_PAIRS)
        second = (first + generator.integers(1, size, size=_MAX_PAIRS)) % size
    squares = ((scaled[first] - scaled[second]) ** 2).sum(axis=1)
    return float(np.log(np.exp(-TEMPERATURE * squares).mean(dtype=np.float64)))


def project_and_cluster(vectors: Floats, classes: Sequence[str], *, seed: int = 0) -> Projection:
    """Project by t-SNE, cluster by DBSCAN, and compare the clusters with classes.

    Homogeneity is high if each cluster has papers of one class, completeness if each class is in
    one cluster (Rosenberg and Hirschberg 2007); noise counts as a cluster. SPECTER does not publish
    its settings. Here t-SNE has a perplexity of 30 and starts from the principal components. The
    radius of DBSCAN is the median distance to the 10th neighbor on the plane, or the smallest
    positive one if the median is 0; a core has 10 papers.

    Raises InputError for fewer than 40 papers.
    """
    from sklearn.cluster import DBSCAN
    from sklearn.manifold import TSNE
    from sklearn.metrics import completeness_score, homogeneity_score
    from sklearn.neighbors import NearestNeighbors
    from threadpoolctl import threadpool_limits

    if len(vectors) < MIN_PROJECTED:
        raise InputError(f"a projection needs {MIN_PROJECTED} papers, not {len(vectors)}")
    rows = np.asarray(vectors, dtype=np.float32)
    places = np.zeros((len(rows), 2), dtype=np.float32)
    if (rows != rows[0]).any():  # t-SNE crashes the process if all rows are equal
        projection = TSNE(n_components=2, perplexity=30, init="pca", random_state=seed)
        with threadpool_limits(1):  # reproducible, and does not wait for busy cores
            places = projection.fit_transform(rows)
    tenth = NearestNeighbors(n_neighbors=NEIGHBORS).fit(places).kneighbors()[0][:, -1]
    radius = float(np.median(tenth)) or float(min(tenth[tenth > 0], default=0.0))
    if not radius:
        return Projection(places, np.zeros(len(places), dtype=np.int64))
    clusters = DBSCAN(eps=radius, min_samples=NEIGHBORS).fit_predict(places)
    return Projection(
        places,
        clusters,
        float(homogeneity_score(classes, clusters)),
        float(completeness_score(classes, clusters)),
    )
