"""The map of a corpus: a position and color for each paper, computed once and stored in a file."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.atomic_files import data_folder as create_data_folder
from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import extra
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, get_space, read_vectors
from specter_graph.loaders.records import sample_key
from specter_graph.settings import Settings

if TYPE_CHECKING:
    from openTSNE import TSNEEmbedding
    from openTSNE.affinity import PerplexityBasedNN

MAX_PAPERS = 1_000_000
"""Maximum papers of a map."""
COLORS = 8
"""Number of distinguishable colors."""
MAX_LABELS = 40
"""Maximum number of topics that are named on a map."""
MIN_KNOWN = 0.8
"""Share of the papers that a former map must have for its positions to stay."""
SIDE = 65_535
"""Maximum coordinate of a map."""
_BATCH = 5_000
MAX_LANDMARKS = 50_000
"""Maximum number of papers that t-SNE projects together, in about 75 seconds."""
_COMPONENTS = 50
_PERPLEXITY = 30.0
_ITERATIONS = 750
_ITERATIONS_OF_OTHERS = 250
_REPORT_EVERY = 50


def project_to_plane(
    vectors: NDArray[np.float32], *, seed: int = 0, progress: Progress = silent
) -> NDArray[np.float64]:
    """Project vectors to two dimensions by t-SNE (van der Maaten and Hinton 2008).

    t-SNE starts from the first two of 50 principal components. For more than MAX_LANDMARKS
    vectors, it projects a sample, and the others are placed as `place` does. The result depends
    only on the vectors and the seed.

    Args:
        vectors: (n, d).
        seed: Random seed.
        progress: Called with the number of completed iterations.

    Returns:
        Coordinates, (n, 2) float64.
    """
    with extra("serve"):
        from openTSNE import TSNE

    if len(vectors) < 4:
        return np.eye(len(vectors), 2)
    reduced = _principal_components(vectors, seed)
    landmarks = np.random.default_rng(seed).permutation(len(vectors))[:MAX_LANDMARKS]
    start = reduced[landmarks, :2]
    start *= 1e-4 / max(start.std(), 1e-9)
    iterations = _ITERATIONS + _ITERATIONS_OF_OTHERS * (len(landmarks) < len(vectors))
    completed = count(_REPORT_EVERY, _REPORT_EVERY)

    def report(*_: object) -> None:
        progress("map, iterations", next(completed), iterations)

    tsne = TSNE(random_state=seed, callbacks=report, callbacks_every_iters=_REPORT_EVERY)
    embedding = tsne.fit(affinities=_affinities(reduced[landmarks], seed), initialization=start)
    return _place(reduced, landmarks, np.array(embedding), embedding)


def place(
    vectors: NDArray[np.float32],
    known: NDArray[np.int_],
    positions: NDArray[np.float64],
    *,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Place new papers on a map by t-SNE among the known ones, which do not move.

    t-SNE uses up to MAX_LANDMARKS known papers (Poličar, Stražar and Zupan 2023).

    Args:
        vectors: The vectors of all papers, (n, d).
        known: The rows of the papers that the map has, (m,).
        positions: Their coordinates, as `project_to_plane` returns them, (m, 2).
        seed: Random seed.

    Returns:
        The coordinates of all papers, (n, 2) float64.
    """
    with extra("serve"):
        from openTSNE import TSNEEmbedding

    if len(known) == len(vectors):
        return positions[np.argsort(known)]
    reduced = _principal_components(vectors, seed)
    landmarks = np.random.default_rng(seed).permutation(len(known))[:MAX_LANDMARKS]
    affinities = _affinities(reduced[known[landmarks]], seed)
    embedding = TSNEEmbedding(positions[landmarks], affinities, random_state=seed)
    return _place(reduced, known, positions, embedding)


def _principal_components(vectors: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    from sklearn.decomposition import PCA

    components = min(_COMPONENTS, *vectors.shape)
    pca = PCA(components, svd_solver="covariance_eigh", random_state=seed)
    reduced: NDArray[np.float32] = pca.fit_transform(vectors)
    return reduced


def _affinities(vectors: NDArray[np.float32], seed: int) -> "PerplexityBasedNN":
    with extra("serve"):
        from openTSNE.affinity import PerplexityBasedNN

    perplexity = min(_PERPLEXITY, (len(vectors) - 1) / 3)
    return PerplexityBasedNN(vectors, perplexity, random_state=seed)


def _place(
    vectors: NDArray[np.float32],
    known: NDArray[np.int_],
    positions: NDArray[np.float64],
    embedding: "TSNEEmbedding",
) -> NDArray[np.float64]:
    placed = np.empty((len(vectors), 2))
    placed[known] = positions
    others = np.setdiff1d(np.arange(len(vectors)), known)
    if len(others):
        middle = (embedding.min(axis=0) + embedding.max(axis=0)) / 2  # `transform` subtracts it
        perplexity = min(5.0, embedding.affinities.perplexity)
        placed[others] = embedding.transform(vectors[others], perplexity=perplexity) + middle
    return placed


def map_file(folder: Path, record: EmbeddingSpace) -> Path:
    """Return the file of a space's map; the vectors of another model have another file.

    A model that embeds new papers keeps its file, so their map shows the others where they were.
    """
    imported = record.created if record.origin == "imported" else ""
    vectors_key = json.dumps([record.name, record.digest, imported, record.trained_on])
    return folder / "maps" / f"{sha256(vectors_key.encode()).hexdigest()[:24]}.json.gz"


def make_map(
    db: Database,
    space: str | None = None,
    data_folder: Path | str | None = None,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[Path, int]:
    """Project the papers of a space onto a plane by t-SNE, for the map of the web pages.

    The map has up to MAX_PAPERS papers. If the folder has a map of these vectors with at least
    MIN_KNOWN of the papers, these papers keep their positions.

    Args:
        db: The graph.
        space: The space, by default `specter`, `base` or `static`, the first that exists.
        data_folder: The data folder of the service, by default SPECTER_GRAPH_DATA.
        seed: The random seed.
        progress: Called with the number of completed iterations.

    Returns:
        The file and the number of papers.

    Raises:
        GraphError: The graph has no such space.
    """
    folder = Path(data_folder or Settings().specter_graph_data)
    record = get_space(db, space)
    ids, vectors = read_vectors(db, record.name)
    if len(ids) > MAX_PAPERS:
        # By a hash of the ids, so that new papers replace few of those that the map has.
        keys = np.array([sample_key(f"{seed} {paper}") for paper in ids])
        chosen = np.sort(np.argsort(keys, kind="stable")[:MAX_PAPERS])
        ids, vectors = [ids[i] for i in chosen], vectors[chosen]
    file = map_file(folder, record)
    places, span = _place_papers(file, ids, vectors, seed, progress)
    positions = np.round(places * SIDE).astype(int)
    content = {
        "space": record.name,
        "span": span,
        "ids": ids,
        "x": positions[:, 0].tolist(),
        "y": positions[:, 1].tolist(),
        **_read_colors(db, record.name, ids, positions),
    }
    create_data_folder(folder, "maps")
    write_file(file, gzip.compress(json.dumps(content).encode(), mtime=0))
    return file, len(ids)


def _place_papers(
    file: Path, ids: Sequence[str], vectors: NDArray[np.float32], seed: int, progress: Progress
) -> tuple[NDArray[np.float64], float]:
    """Return coordinates from 0 to 1, and the width of the map in the units of t-SNE.

    The papers of the former map of these vectors keep their places.
    """
    if file.exists():
        former = json.loads(gzip.decompress(file.read_bytes()))
        places = dict(zip(former["ids"], zip(former["x"], former["y"], strict=True), strict=True))
        known = np.array([row for row, id in enumerate(ids) if id in places], dtype=int)
        if "span" in former and len(known) >= max(1, MIN_KNOWN * len(ids)):
            span = former["span"]
            stored = np.array([places[ids[row]] for row in known]) * (span / SIDE)
            return (place(vectors, known, stored, seed=seed) / span).clip(0, 1), span
    points = project_to_plane(vectors, seed=seed, progress=progress)
    if not ids:
        return points, 1.0
    low, high = points.min(axis=0), points.max(axis=0)
    span = float(max(*(high - low), 1e-9))
    return (points - (low + high) / 2) / span + 0.5, span


def _read_colors(
    db: Database, space: str, ids: Sequence[str], positions: NDArray[np.int_]
) -> dict[str, Any]:
    """Return years, and fields and topics as numbers, -1 for labels beyond the COLORS top ones.

    `labels` are the largest topics with the median position of their papers.
    """
    years: list[int | None] = []
    fields_of: list[list[str]] = []
    topics_of: list[list[str]] = []
    topic_names: dict[str, str] = {}
    for batch in batches(ids, _BATCH):
        rows = {row["id"]: row for row in db.read("service/map_labels", ids=batch, space=space)}
        for row in map(rows.__getitem__, batch):
            years.append(row["year"])
            fields_of.append([*map(intern, row["fields"])])
            topics_of.append([intern(id) for id, _ in row["topics"]])
            topic_names.update(row["topics"])
    fields, field = _count_labels(fields_of)
    topics, topic = _count_labels(topics_of)
    return {
        "year": years,
        "fields": fields,
        "field": field,
        "topics": [topic_names[id] for id in topics],
        "topic": topic,
        "labels": [
            {"name": topic_names[id], **label} for id, label in _place_labels(topics_of, positions)
        ],
    }


def _place_labels(
    topics: Sequence[Sequence[str]], positions: NDArray[np.int_]
) -> list[tuple[str, dict[str, int]]]:
    """Return the ids of the largest topics, with their positions and numbers of papers."""
    members: dict[str, list[int]] = defaultdict(list)
    for row, ids in enumerate(topics):
        for id in ids:
            members[id].append(row)
    largest = sorted(members.items(), key=lambda topic: (-len(topic[1]), topic[0]))[:MAX_LABELS]
    labels = []
    for id, papers in largest:
        x, y = np.median(positions[papers], axis=0).astype(int).tolist()
        labels.append((id, {"x": x, "y": y, "papers": len(papers)}))
    return labels


def _count_labels(labels: Sequence[Sequence[str]]) -> tuple[list[str], list[int]]:
    """Return the COLORS most common labels, and the most common label of each paper, or -1."""
    counts = Counter(label for paper in labels for label in {*paper})
    names = [
        name for name, _ in sorted(counts.items(), key=lambda count: (-count[1], count[0]))[:COLORS]
    ]
    rank = {name: number for number, name in enumerate(names)}
    return names, [
        min((rank[label] for label in paper if label in rank), default=-1) for paper in labels
    ]
