"""Vectors brought into a plane so that near ones stay near."""

import numpy as np
from numpy.typing import NDArray

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
