"""Topics: the clusters of an embedding space, named by their terms, with papers for each year."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.algorithms.centrality import by_size
from specter_graph.graph.algorithms.projection import paper_of_node, projection
from specter_graph.graph.algorithms.similarity import knn_settings
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors, space

Method = Literal["leiden", "hdbscan"]
Clusters = Mapping[str, int]
"""By paper, the number of its cluster."""

NEIGHBORS = 15
REDUCED = 20
_ROWS = 10_000
MAX_TERMS = 10
_NAME_TERMS = 3
_WORD = r"(?u)\b[^\W\d_][\w-]*\w\b"
"""Two characters or more, the first a letter: numbers say nothing of a topic."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A cluster of the space `made_from`: `size` papers, in `years` so many as `counts` says.

    `terms` are those that set it apart, `name` the first of them.
    """

    id: str
    name: str
    terms: tuple[str, ...]
    made_from: str
    method: Method
    size: int
    years: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()


def make_topics(
    db: Database,
    name: str,
    *,
    method: Method = "leiden",
    least: int = 20,
    resolution: float = 1.0,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Topic]:
    """Cluster a space and write its topics, in place of those of the same space before.

    "leiden" runs Leiden (Traag et al. 2019) on the graph of each paper's 15 nearest, weighted by
    nearness, in the server; a higher `resolution` makes more topics. "hdbscan" (Campello et al.
    2013) runs here on the space's first 20 principal components, takes the leaves of its tree and
    leaves out the papers in between, which are most. Clusters of fewer than `least` papers are no
    topics. The same seed gives the same topics on the same database; they are numbered by size.

    A paper's score in its topic is 1 / (1 + squared distance to the mean of the topic). Raises
    GraphError where there is no such space, no cluster is large enough, or "leiden" without GDS.
    """
    space(db, name)
    ids, vectors = read_vectors(db, name)
    if method == "leiden":
        clusters = _leiden(db, name, resolution, seed, progress)
    else:
        clusters = _hdbscan(ids, vectors, least)
    numbers = _numbers(ids, clusters, least)
    if numbers.max(initial=-1) < 0:
        raise GraphError(
            f"no cluster of the space {name!r} has {least} papers", "ask for less: --least 5"
        )
    progress("name topics", 0, None)
    found = _named(db, name, method, ids, numbers)
    _write(db, name, found, ids, vectors, numbers, progress)
    return list_topics(db, name)


def list_topics(db: Database, name: str | None = None) -> list[Topic]:
    """List the topics of a space, or of all, the largest first."""
    rows = db.read(statement("algorithms/list_topics").text, space=name)
    lists = ("terms", "years", "counts")
    return [
        Topic(**{**row["topic"], **{each: tuple(row["topic"][each]) for each in lists}})
        for row in rows
    ]


def class_tfidf(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weigh terms by class: tf(t, c) * log(1 + A / f(t)).

    `counts` (classes, terms) says how often each term stands in each class, tf; f is its sum over
    the classes, A the mean number of terms a class (Grootendorst, BERTopic, 2022, equation 2). A
    term that stands nowhere weighs 0. Returns (classes, terms) float64.
    """
    frequency = counts.sum(axis=0)
    mean = counts.sum() / len(counts)
    weights: NDArray[np.float64] = counts * np.log1p(mean / np.maximum(frequency, 1))
    return weights


def topic_terms(texts: Sequence[str], clusters: NDArray[np.int64]) -> list[list[str]]:
    """The terms that set each cluster apart, at most ten, that of the highest weight first.

    `clusters` (n,) are the numbers 0, 1, ... of the clusters of the texts, -1 for none. Terms are
    words and pairs of words without English stop words, such as stand in two texts or more where
    there are enough texts for that.
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
    weights = class_tfidf((members @ words).toarray())
    names = vectorizer.get_feature_names_out()
    best = np.argsort(-weights, axis=1, kind="stable")[:, :MAX_TERMS]
    return [
        [str(names[term]) for term in row if weights[cluster, term] > 0]
        for cluster, row in enumerate(best)
    ]


def topic_name(terms: Sequence[str]) -> str:
    """Name a topic by its first three terms; a word that another of its terms holds is passed over.

    >>> topic_name(["dark", "dark matter", "halo", "matter", "galaxies"])
    'dark matter, halo, galaxies'
    """
    pairs = [set(term.split()) for term in terms]
    whole = [
        term
        for term, words in zip(terms, pairs, strict=True)
        if not any(words < others for others in pairs)
    ]
    return ", ".join(whole[:_NAME_TERMS])


def _leiden(db: Database, name: str, resolution: float, seed: int, progress: Progress) -> Clusters:
    with projection(db, "project_vectors", progress, space=name) as (gds, graph):
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


def _hdbscan(ids: list[str], vectors: NDArray[np.float32], least: int) -> Clusters:
    from sklearn.cluster import HDBSCAN
    from sklearn.decomposition import PCA

    if len(ids) < least:
        return {}
    size = min(REDUCED, *vectors.shape)
    reduced = PCA(size, svd_solver="covariance_eigh").fit_transform(vectors.astype(np.float64))
    # Leaves of the tree: its largest stable cluster is nearly all of a field.
    finder = HDBSCAN(least, min_samples=1, cluster_selection_method="leaf", copy=True)
    labels = finder.fit_predict(reduced)
    return {paper: int(label) for paper, label in zip(ids, labels, strict=True) if label >= 0}


def _numbers(ids: list[str], clusters: Clusters, least: int) -> NDArray[np.int64]:
    """The topic of each paper by size, (n,); -1 for none."""
    numbers = by_size(clusters, clusters.values())
    placed = np.array([numbers.get(paper, -1) for paper in ids], dtype=np.int64)
    sizes = np.bincount(placed[placed >= 0])
    return np.where(placed < (sizes >= least).sum(), placed, -1)


def _named(
    db: Database, name: str, method: Method, ids: list[str], numbers: NDArray[np.int64]
) -> list[Topic]:
    text_of = {text.id: f"{text.title}\n{text.abstract or ''}" for text in paper_texts(db, ids)}
    terms = topic_terms([text_of.get(paper, "") for paper in ids], numbers)
    sizes = np.bincount(numbers[numbers >= 0]).tolist()
    return [
        Topic(f"{name}:{number}", topic_name(words), tuple(words), name, method, size)
        for number, (words, size) in enumerate(zip(terms, sizes, strict=True))
    ]


def _write(
    db: Database,
    name: str,
    found: list[Topic],
    ids: list[str],
    vectors: NDArray[np.float32],
    numbers: NDArray[np.int64],
    progress: Progress,
) -> None:
    db.commit(statement("algorithms/forget_topics").text, space=name)
    db.write(statement("algorithms/write_topics").text, topics=[asdict(topic) for topic in found])
    rows: list[dict[str, Any]] = []
    for number, topic in enumerate(found):
        inside = np.flatnonzero(numbers == number)
        away = vectors[inside] - vectors[inside].mean(axis=0)
        scores = (1 / (1 + (away * away).sum(axis=1))).tolist()
        rows += [
            {"id": ids[place], "topic": topic.id, "score": score}
            for place, score in zip(inside, scores, strict=True)
        ]
    done = 0
    for batch in batches(rows, _ROWS):
        db.write(statement("algorithms/write_in_topic").text, rows=batch)
        progress("write topics", done := done + len(batch), len(rows))
    db.write(statement("algorithms/count_topic_years").text, space=name)
