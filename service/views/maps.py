"""The map of a corpus: a place and a color for each paper, computed once and kept in a file."""

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.batching import batches
from specter_graph.core.files import complete_file, data_folder
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, read_vectors, space
from specter_graph.literature_graph import LiteratureGraph

LANDMARKS = 3_000
"""How many vectors t-SNE places itself: its time grows faster than their number."""
_COMPONENTS = 50
_NEAR = 5


def plane(vectors: NDArray[np.float32], seed: int = 0) -> NDArray[np.float32]:
    """Place (n, d) vectors in a plane, (n, 2) float32, each coordinate from 0 to 1.

    By t-SNE (van der Maaten and Hinton 2008) from the first 50 principal components. Of more than
    LANDMARKS vectors it places a sample; each other one stands at the mean of the nearest five of
    these, by their nearness. The same vectors and seed give the same places.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE
    from sklearn.neighbors import KNeighborsRegressor

    if len(vectors) < 4:
        return np.linspace(0, 1, 2 * len(vectors), dtype=np.float32).reshape(-1, 2)
    components = min(_COMPONENTS, *vectors.shape)
    reduced = PCA(components, svd_solver="full", random_state=seed).fit_transform(vectors)
    chosen = np.random.default_rng(seed).permutation(len(vectors))[:LANDMARKS]
    perplexity = min(30.0, (len(chosen) - 1) / 3)
    tsne = TSNE(2, init="pca", perplexity=perplexity, random_state=seed)
    places = np.empty((len(vectors), 2), np.float32)
    places[chosen] = tsne.fit_transform(reduced[chosen])
    others = np.setdiff1d(np.arange(len(vectors)), chosen)
    if len(others):
        near = KNeighborsRegressor(min(_NEAR, len(chosen)), weights="distance")
        places[others] = near.fit(reduced[chosen], places[chosen]).predict(reduced[others])
    low, high = places.min(axis=0), places.max(axis=0)
    scaled: NDArray[np.float32] = (places - low) / np.maximum(high - low, 1e-9)
    return scaled


MOST = 100_000
"""Papers of a map."""
COLOURS = 8
"""That can be told apart."""
SIDE = 65_535
_BATCH = 5_000


def map_file(folder: Path, record: EmbeddingSpace) -> Path:
    """Where the map of a space is kept: vectors made anew have another."""
    made = json.dumps([record.property, record.digest, record.created, record.trained_on])
    return folder / "maps" / f"{sha256(made.encode()).hexdigest()[:24]}.json.gz"


def make_map(graph: LiteratureGraph, name: str, folder: Path, seed: int = 0) -> tuple[Path, int]:
    """Place the papers of a space, MOST at most, and keep the map; the file, and how many.

    Raises GraphError where there is no such space.
    """
    record = space(graph.database, name)
    ids, vectors = read_vectors(graph.database, name)
    if len(ids) > MOST:
        chosen = np.sort(np.random.default_rng(seed).permutation(len(ids))[:MOST])
        ids, vectors = [ids[i] for i in chosen], vectors[chosen]
    places = np.round(plane(vectors, seed) * SIDE).astype(int)
    content = {
        "space": name,
        "ids": ids,
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        **_colours(graph, name, ids),
    }
    data_folder(folder, "maps")
    file = map_file(folder, record)
    with complete_file(file) as unfinished:
        unfinished.write_bytes(gzip.compress(json.dumps(content).encode(), mtime=0))
    return file, len(ids)


def _colours(graph: LiteratureGraph, space: str, ids: Sequence[str]) -> dict[str, Any]:
    """Years; fields and topics as numbers, -1 for none of the COLOURS that most papers have."""
    text = statement("service/coloured").text
    rows = {
        row["id"]: row
        for batch in batches(ids, _BATCH)
        for row in graph.database.read(text, ids=batch, space=space)
    }
    fields, field = _numbered([rows[id]["fields"] for id in ids])
    topics, topic = _numbered([rows[id]["topics"] for id in ids])
    return {
        "year": [rows[id]["year"] for id in ids],
        "fields": fields,
        "field": field,
        "topics": topics,
        "topic": topic,
    }


def _numbered(labels: Sequence[Sequence[str]]) -> tuple[list[str], list[int]]:
    """The COLOURS labels that most papers have, and of each paper the first of them, or -1."""
    counts = Counter(label for own in labels for label in {*own})
    names = [name for name, _ in sorted(counts.items(), key=lambda of: (-of[1], of[0]))[:COLOURS]]
    place = {name: number for number, name in enumerate(names)}
    return names, [
        min((place[each] for each in own if each in place), default=-1) for own in labels
    ]
