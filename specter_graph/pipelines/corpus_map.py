"""The map of a corpus: a position and color for each paper, computed once and stored in a file."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from sys import intern
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.atomic_files import data_folder as create_data_folder
from specter_graph.core.atomic_files import write_file
from specter_graph.core.progress import batches
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, get_space, read_vectors
from specter_graph.loaders.records import sample_key
from specter_graph.settings import Settings

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
MAX_LANDMARKS = 3_000
"""Maximum number of vectors for t-SNE, whose time grows faster than linearly."""
_COMPONENTS = 50
_NEIGHBORS = 5


def project_to_plane(vectors: NDArray[np.float32], seed: int = 0) -> NDArray[np.float32]:
    """Project vectors to two dimensions by t-SNE (van der Maaten and Hinton 2008).

    t-SNE starts from the first 50 principal components. For more than MAX_LANDMARKS vectors,
    it projects a sample; each other vector is placed at the weighted mean of the nearest five. The
    result depends only on the vectors and the seed.

    Args:
        vectors: (n, d).
        seed: Random seed.

    Returns:
        Coordinates from 0 to 1, (n, 2) float32.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    if len(vectors) < 4:
        return np.linspace(0, 1, 2 * len(vectors), dtype=np.float32).reshape(-1, 2)
    components = min(_COMPONENTS, *vectors.shape)
    reduced = PCA(components, svd_solver="covariance_eigh", random_state=seed).fit_transform(
        vectors
    )
    chosen = np.random.default_rng(seed).permutation(len(vectors))[:MAX_LANDMARKS]
    perplexity = min(30.0, (len(chosen) - 1) / 3)
    tsne = TSNE(2, init="pca", perplexity=perplexity, random_state=seed)
    positions = place(reduced, chosen, tsne.fit_transform(reduced[chosen]))
    low, high = positions.min(axis=0), positions.max(axis=0)
    scaled: NDArray[np.float32] = (positions - low) / np.maximum(high - low, 1e-9)
    return scaled


def place(
    vectors: NDArray[np.float32], known: NDArray[np.int_], positions: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Place new papers on a map at the weighted mean of the nearest known ones, which do not move.

    Args:
        vectors: The vectors of all papers, (n, d).
        known: The rows of the papers that the map has, (m,).
        positions: Their coordinates from 0 to 1, (m, 2).

    Returns:
        The coordinates of all papers, (n, 2) float32.
    """
    from sklearn.neighbors import KNeighborsRegressor

    placed = np.empty((len(vectors), 2), np.float32)
    placed[known] = positions
    others = np.setdiff1d(np.arange(len(vectors)), known)
    if len(others):
        regressor = KNeighborsRegressor(min(_NEIGHBORS, len(known)), weights="distance")
        placed[others] = regressor.fit(vectors[known], positions).predict(vectors[others])
    return placed


def map_file(folder: Path, record: EmbeddingSpace) -> Path:
    """Return the file of a space's map; the vectors of another model have another file.

    A model that embeds new papers keeps its file, so their map shows the others where they were.
    """
    imported = record.created if record.origin == "imported" else ""
    vectors_key = json.dumps([record.name, record.digest, imported, record.trained_on])
    return folder / "maps" / f"{sha256(vectors_key.encode()).hexdigest()[:24]}.json.gz"


def make_map(
    db: Database, space: str | None = None, data_folder: Path | str | None = None, *, seed: int = 0
) -> tuple[Path, int]:
    """Project the papers of a space onto a plane by t-SNE, for the map of the web pages.

    The map has up to MAX_PAPERS papers. If the folder has a map of these vectors with at least
    MIN_KNOWN of the papers, these papers keep their positions.

    Args:
        db: The graph.
        space: The space, by default `specter`, `base` or `static`, the first that exists.
        data_folder: The data folder of the service, by default SPECTER_GRAPH_DATA.
        seed: The random seed.

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
    positions = np.round(_place_papers(file, ids, vectors, seed) * SIDE).astype(int)
    content = {
        "space": record.name,
        "ids": ids,
        "x": positions[:, 0].tolist(),
        "y": positions[:, 1].tolist(),
        **_read_colors(db, record.name, ids, positions),
    }
    create_data_folder(folder, "maps")
    write_file(file, gzip.compress(json.dumps(content).encode(), mtime=0))
    return file, len(ids)


def _place_papers(
    file: Path, ids: Sequence[str], vectors: NDArray[np.float32], seed: int
) -> NDArray[np.float32]:
    """Return coordinates from 0 to 1, those of the former map of these vectors if there is one."""
    if file.exists():
        former = json.loads(gzip.decompress(file.read_bytes()))
        places = dict(zip(former["ids"], zip(former["x"], former["y"], strict=True), strict=True))
        known = np.array([row for row, id in enumerate(ids) if id in places], dtype=int)
        if len(known) >= max(1, MIN_KNOWN * len(ids)):
            stored = np.array([places[ids[row]] for row in known], dtype=np.float32)
            positions = (stored / SIDE).astype(np.float32)
            return place(vectors, known, positions)
    return project_to_plane(vectors, seed)


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
