"""The map of a corpus: a position and color for each paper, computed once and stored in a file."""

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.atomic_files import complete_file, data_folder
from specter_graph.core.batching import batches
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, get_space, read_vectors

MAX_PAPERS = 100_000
"""Maximum papers of a map."""
COLORS = 8
"""Number of distinguishable colors."""
SIDE = 65_535
"""Maximum coordinate of a map."""
_BATCH = 5_000
MAX_LANDMARKS = 3_000
"""Maximum number of vectors for t-SNE, whose time grows faster than linearly."""
_COMPONENTS = 50
_NEIGHBORS = 5


def project(vectors: NDArray[np.float32], seed: int = 0) -> NDArray[np.float32]:
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
    from sklearn.neighbors import KNeighborsRegressor

    if len(vectors) < 4:
        return np.linspace(0, 1, 2 * len(vectors), dtype=np.float32).reshape(-1, 2)
    components = min(_COMPONENTS, *vectors.shape)
    reduced = PCA(components, svd_solver="full", random_state=seed).fit_transform(vectors)
    chosen = np.random.default_rng(seed).permutation(len(vectors))[:MAX_LANDMARKS]
    perplexity = min(30.0, (len(chosen) - 1) / 3)
    tsne = TSNE(2, init="pca", perplexity=perplexity, random_state=seed)
    positions = np.empty((len(vectors), 2), np.float32)
    positions[chosen] = tsne.fit_transform(reduced[chosen])
    others = np.setdiff1d(np.arange(len(vectors)), chosen)
    if len(others):
        regressor = KNeighborsRegressor(min(_NEIGHBORS, len(chosen)), weights="distance")
        positions[others] = regressor.fit(reduced[chosen], positions[chosen]).predict(
            reduced[others]
        )
    low, high = positions.min(axis=0), positions.max(axis=0)
    scaled: NDArray[np.float32] = (positions - low) / np.maximum(high - low, 1e-9)
    return scaled


def map_file(folder: Path, record: EmbeddingSpace) -> Path:
    """Return the file of a space's map; new vectors of the space have another file."""
    vectors_key = json.dumps([record.property, record.digest, record.created, record.trained_on])
    return folder / "maps" / f"{sha256(vectors_key.encode()).hexdigest()[:24]}.json.gz"


def make_map(db: Database, space: str, folder: Path, seed: int = 0) -> tuple[Path, int]:
    """Compute the map of a space, with up to MAX_PAPERS papers, and store it in a data folder.

    Returns:
        The file and the number of papers.

    Raises:
        GraphError: The space does not exist.
    """
    record = get_space(db, space)
    ids, vectors = read_vectors(db, space)
    if len(ids) > MAX_PAPERS:
        chosen = np.sort(np.random.default_rng(seed).permutation(len(ids))[:MAX_PAPERS])
        ids, vectors = [ids[i] for i in chosen], vectors[chosen]
    positions = np.round(project(vectors, seed) * SIDE).astype(int)
    content = {
        "space": space,
        "ids": ids,
        "x": positions[:, 0].tolist(),
        "y": positions[:, 1].tolist(),
        **_colors(db, space, ids),
    }
    data_folder(folder, "maps")
    file = map_file(folder, record)
    with complete_file(file) as unfinished:
        unfinished.write_bytes(gzip.compress(json.dumps(content).encode(), mtime=0))
    return file, len(ids)


def _colors(db: Database, space: str, ids: Sequence[str]) -> dict[str, Any]:
    """Return years, and fields and topics as numbers, -1 for labels beyond the COLORS top ones."""
    text = statement("service/map_labels").text
    rows = {
        row["id"]: row
        for batch in batches(ids, _BATCH)
        for row in db.read(text, ids=batch, space=space)
    }
    fields, field = _top_labels([rows[id]["fields"] for id in ids])
    topics, topic = _top_labels([rows[id]["topics"] for id in ids])
    return {
        "year": [rows[id]["year"] for id in ids],
        "fields": fields,
        "field": field,
        "topics": topics,
        "topic": topic,
    }


def _top_labels(labels: Sequence[Sequence[str]]) -> tuple[list[str], list[int]]:
    """Return the COLORS most common labels, and the most common label of each paper, or -1."""
    counts = Counter(label for paper in labels for label in {*paper})
    names = [
        name for name, _ in sorted(counts.items(), key=lambda count: (-count[1], count[0]))[:COLORS]
    ]
    rank = {name: number for number, name in enumerate(names)}
    return names, [
        min((rank[label] for label in paper if label in rank), default=-1) for paper in labels
    ]
