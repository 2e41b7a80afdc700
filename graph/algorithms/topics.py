"""Topics: clusters of an embedding space, with names, terms and papers per year."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, require_choice, require_counts
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.core.vectors import nearest
from specter_graph.graph.algorithms.centrality import by_size
from specter_graph.graph.algorithms.projection import paper_of_node, projection
from specter_graph.graph.algorithms.similarity import knn_settings
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import existing_space, get_space, read_vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TopicMethod = Literal["leiden", "hdbscan"]
Clusters = Mapping[str, int]
"""The number of the cluster of each paper."""

NEIGHBORS = 15
REDUCED = 20
MAX_CLUSTERED = 50_000
"""Maximum papers that Leiden clusters, and whose texts give the terms of these topics."""
_ROWS = 10_000
MAX_TERMS = 10
_NAME_TERMS = 3
_WORD = r"(?u)\b[^\W\d_][\w-]*\w\b"
"""Two or more characters, the first a letter, because numbers do not describe a topic."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A cluster of an embedding space.

    Attributes:
        id: SPACE:NUMBER.
        name: Its first terms.
        terms: Its characteristic terms, the most characteristic first.
        space: The embedding space.
        method: The clustering method.
        size: Number of papers.
        years: Years in which its papers appeared, in order.
        counts: Number of papers in each of these years.
    """

    id: str
    name: str
    terms: tuple[str, ...]
    space: str
    method: TopicMethod
    size: int
    years: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()


def find_topics(
    db: Database,
    space: str | None = None,
    *,
    method: TopicMethod = "leiden",
    min_size: int = 20,
    resolution: float = 1.0,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Topic]:
    """Cluster a space and write its topics, replacing earlier topics of the space.

    "leiden" (Traag et al. 2019) clusters the graph of each paper's 15 nearest papers, weighted by
    similarity, on the server. "hdbscan" (Campello et al. 2013) clusters the first 20 principal
    components in this process; it uses the leaves of its tree, and most papers are in no cluster.
    Of more than MAX_CLUSTERED papers, Leiden clusters a random sample, and each other paper belongs
    to the cluster whose mean is nearest; the terms are those of the sample. The same seed gives the
    same topics on the same database. Topics are numbered by size.

    The score of a paper in its topic is 1 / (1 + squared distance to the mean of the topic).

    Args:
        db: The graph.
        space: The space, by default the first of `DEFAULT_SPACES` that exists.
        method: The clustering method.
        min_size: Minimum number of papers of a topic.
        resolution: Resolution of Leiden; a higher value gives more topics.
        seed: Random seed.
        progress: Called with the progress of each step.

    Returns:
        The topics, the largest first.

    Raises:
        GraphError: The space does not exist, no cluster is large enough, or the server has no GDS
            and the method is "leiden".
    """
    require_choice("method", method, get_args(TopicMethod))
    require_counts(min_size=min_size)
    space = get_space(db, space).name
    ids, vectors = read_vectors(db, space)
    limit = MAX_CLUSTERED if method == "leiden" else len(ids)
    sample = np.sort(np.random.default_rng(seed).permutation(len(ids))[:limit])
    chosen = [ids[row] for row in sample]
    if method == "leiden":
        clusters = _leiden(db, space, chosen, resolution, seed, progress)
        if len(chosen) < len(ids):
            min_sampled = ceil(min_size * len(chosen) / len(ids))
            clusters = _place(ids, vectors, _numbers(ids, clusters, min_sampled))
    else:
        clusters = _hdbscan(ids, vectors, min_size)
    numbers = _numbers(ids, clusters, min_size)
    if numbers.max(initial=-1) < 0:
        raise GraphError(
            f"no cluster of the space {space!r} has {min_size} papers", "use a smaller min_size"
        )
    progress("name topics", 0, None)
    topics = _describe(db, space, method, chosen, numbers[sample], np.bincount(numbers + 1)[1:])
    _write(db, space, topics, ids, vectors, numbers, progress)
    return list_topics(db, space)


def list_topics(db: Database, space: str | None = None) -> list[Topic]:
    """List the topics of a space, or of all spaces, the largest first.

    Raises:
        GraphError: The graph has no such space.
    """
    if space is not None:
        existing_space(db, space)
    rows = db.shared(("topics", space), lambda: db.read("algorithms/list_topics", space=space))
    lists = ("terms", "years", "counts")
    topics = [row["topic"] for row in rows]
    return [Topic(**each | {name: tuple(each[name]) for name in lists}) for each in topics]


def class_tfidf(counts: "csr_array") -> "csr_array":
    """Weight terms by class: tf(t, c) * log(1 + A / f(t)) (Grootendorst, BERTopic, 2022, eq. 2).

    tf are the `counts` of each term in each class, (classes, terms); f is their sum over the
    classes, and A the mean number of terms per class. Terms that do not occur have weight 0.

    Returns:
        The weights, (classes, terms) float64.
    """
    mean = counts.sum() / counts.shape[0]
    rarity = np.log1p(mean / np.maximum(counts.sum(axis=0), 1))
    return counts.multiply(rarity).tocsr()


def topic_terms(texts: Sequence[str], clusters: NDArray[np.int64]) -> list[list[str]]:
    """Return the characteristic terms of each cluster, at most ten, by decreasing weight.

    `clusters` (n,) are the numbers 0, 1, ... of the clusters of the texts; -1 means none. Terms are
    words and pairs of words without English stop words. With more than ten texts, a term must occur
    in two of them.
    """
    from scipy import sparse
    from sklearn.feature_extraction.text import CountVectorizer

    inside = np.flatnonzero(clusters >= 0).tolist()
    vectorizer = CountVectorizer(
        stop_words="english",
        ngram_range=(1, 2),
        token_pattern=_WORD,
        min_df=2 if len(inside) > 10 else 1,
        max_features=100_000,
        dtype=np.int64,
    )
    try:
        words = vectorizer.fit_transform(texts[place] for place in inside)
    except ValueError:  # no term in any text
        return [[] for _ in range(clusters.max() + 1)]
    members = sparse.csr_array(
        (np.ones(len(inside), np.int64), (clusters[inside], np.arange(len(inside))))
    )
    weights = class_tfidf(members @ words)
    names = vectorizer.get_feature_names_out()
    terms = []
    for first, after in pairwise(weights.indptr):
        columns = weights.indices[first:after]
        best = np.lexsort((columns, -weights.data[first:after]))[:MAX_TERMS]
        terms.append([str(names[column]) for column in columns[best]])
    return terms


def topic_name(terms: Sequence[str]) -> str:
    """Name a topic by its first three terms, without words that are part of another term.

    >>> topic_name(["dark", "dark matter", "halo", "matter", "galaxies"])
    'dark matter, halo, galaxies'
    """
    pairs = [set(term.split()) for term in terms]
    names = [
        term
        for term, words in zip(terms, pairs, strict=True)
        if not any(words < others for others in pairs)
    ]
    return ", ".join(names[:_NAME_TERMS])


def _leiden(
    db: Database, space: str, ids: list[str], resolution: float, seed: int, progress: Progress
) -> Clusters:
    with projection(db, "project_vectors", progress, space=space, ids=ids) as (gds, graph):
        gds.knn.mutate(graph, "NEAR", "score", top_k=NEIGHBORS, **knn_settings(seed))
        gds.graph.relationships.to_undirected(graph, "NEAR", "MUTUAL", aggregation="MAX")
        frame = gds.leiden.stream(
            graph,
            relationship_types=["MUTUAL"],
            relationship_weight_property="score",
            gamma=resolution,
            random_seed=seed,
            concurrency=1,
        )
    return dict(zip(frame["nodeId"].map(paper_of_node(db)), frame["communityId"], strict=True))


def _place(ids: list[str], vectors: NDArray[np.float32], numbers: NDArray[np.int64]) -> Clusters:
    """Return the clusters of all papers: without a number, the one whose mean is nearest."""
    count = numbers.max(initial=-1) + 1
    if not count:
        return {}
    means = np.stack([vectors[numbers == number].mean(axis=0) for number in range(count)])
    rows, _ = nearest(vectors, means, 1)
    return dict(zip(ids, np.where(numbers < 0, rows[:, 0], numbers).tolist(), strict=True))


def _hdbscan(ids: list[str], vectors: NDArray[np.float32], min_size: int) -> Clusters:
    from sklearn.cluster import HDBSCAN
    from sklearn.decomposition import PCA

    if len(ids) < min_size:
        return {}
    size = min(REDUCED, *vectors.shape)
    reduced = PCA(size, svd_solver="covariance_eigh").fit_transform(vectors.astype(np.float64))
    # The leaves of the tree, because its largest stable cluster contains almost all papers.
    finder = HDBSCAN(min_size, min_samples=1, cluster_selection_method="leaf", copy=True)
    labels = finder.fit_predict(reduced)
    return {paper: int(label) for paper, label in zip(ids, labels, strict=True) if label >= 0}


def _numbers(ids: list[str], clusters: Clusters, min_size: int) -> NDArray[np.int64]:
    """Return the topic number of each paper, (n,); -1 means none."""
    numbers = by_size(clusters, clusters.values())
    topics = np.array([numbers.get(paper, -1) for paper in ids], dtype=np.int64)
    sizes = np.bincount(topics[topics >= 0])
    return np.where(topics < (sizes >= min_size).sum(), topics, -1)


def _describe(
    db: Database,
    name: str,
    method: TopicMethod,
    ids: list[str],
    numbers: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> list[Topic]:
    text_of = {text.id: f"{text.title}\n{text.abstract or ''}" for text in paper_texts(db, ids)}
    terms = topic_terms([text_of.get(paper, "") for paper in ids], numbers)
    return [
        Topic(f"{name}:{number}", topic_name(words), tuple(words), name, method, size)
        for number, (words, size) in enumerate(zip(terms, sizes.tolist(), strict=True))
    ]


def _write(
    db: Database,
    name: str,
    topics: list[Topic],
    ids: list[str],
    vectors: NDArray[np.float32],
    numbers: NDArray[np.int64],
    progress: Progress,
) -> None:
    db.commit("algorithms/forget_topics", space=name)
    db.write("algorithms/write_topics", topics=[asdict(topic) for topic in topics])
    rows: list[dict[str, Any]] = []
    for number, topic in enumerate(topics):
        inside = np.flatnonzero(numbers == number)
        offsets = vectors[inside] - vectors[inside].mean(axis=0)
        scores = (1 / (1 + (offsets * offsets).sum(axis=1))).tolist()
        rows += [
            {"id": ids[place], "topic": topic.id, "score": score}
            for place, score in zip(inside, scores, strict=True)
        ]
    done = 0
    for batch in batches(rows, _ROWS):
        db.write("algorithms/write_in_topic", rows=batch)
        progress("write topics", done := done + len(batch), len(rows))
    db.write("algorithms/count_topic_years", space=name)
