"""The baselines of SPECTER's appendix A that learn from texts only: float32 rows of papers."""

import struct
from collections.abc import Iterable, Sequence
from itertools import compress
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np

from specter_graph.core.errors import ModelError, extra
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.baselines.term_weighting import Weighting, Words, splitter

DIMENSION = 300
RANDOM_DIMENSION = 25

_MAX_BUCKETS = 2_000_000  # of n-grams, the default of gensim: 2.4 GB
_BUCKETS_PER_WORD = 50  # saves memory for a small corpus, without more collisions

_INVALID_FILE = (
    AssertionError, EOFError, NotImplementedError, OSError, ValueError, struct.error
)  # fmt: skip
"""Errors of gensim for a file that is not a model of fastText, or is truncated."""


def random_vectors(papers: int, seed: int = 0) -> Vectors:
    """Draw zero-mean random vectors, (papers, 25)."""
    generator = np.random.default_rng(seed)
    return generator.standard_normal((papers, RANDOM_DIMENSION), dtype=np.float32)


def tfidf(words: Words, weighting: Weighting, train: Sequence[bool], seed: int = 0) -> Vectors:
    """Return unit TF-IDF vectors, reduced by a truncated SVD of the training papers, (n, 300).

    They are scaled to length 1 again, since the SVD shortens vectors by different amounts. There
    are fewer dimensions if there are fewer words or training papers.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    weights = normalize(words.weighted(weighting))
    training = weights[np.asarray(train, bool)]
    size = min(DIMENSION, min(training.shape) - 1)
    reduced = TruncatedSVD(size, random_state=seed).fit(training).transform(weights)
    return unit(np.asarray(reduced, np.float32))


def weighted_sum(words: Words, weighting: Weighting, word_vectors: Vectors) -> Vectors:
    """Return the weighted sums of the vectors (words, d) of the words of each paper, (n, d)."""
    return np.asarray(words.weighted(weighting) @ word_vectors, np.float32)


def sif(words: Words, word_vectors: Vectors, train: Sequence[bool], a: float) -> Vectors:
    """Return the vectors of SIF (Arora et al. 2017, algorithm 1), (n, d).

    v = 1/|s| * the sum over the words w of a / (a + p(w)) v_w; then v - u u^T v, where u is the
    first singular vector of the v of the training papers. p(w) is estimated on these.
    """
    from scipy.sparse.linalg import svds

    weights = a / (a + words.probabilities())
    lengths = np.maximum(np.asarray(words.counts.sum(axis=1)).ravel(), 1)
    vectors = (words.counts @ (weights[:, None] * word_vectors)) / lengths[:, None]
    training = vectors[np.asarray(train, bool)]
    first = svds(training, k=1, random_state=0)[2][0]
    return np.asarray(vectors - np.outer(vectors @ first, first), np.float32)


def fasttext(
    texts: Iterable[str],
    names: Sequence[str],
    *,
    min_count: int = 25,
    file: Path | None = None,
    seed: int = 0,
) -> Vectors:
    """Return vectors of words by fastText, (words, 300), trained on texts or from a `.bin` file.

    Trains by skip-gram (Bojanowski et al. 2017) with the defaults of fastText, except for
    `min_count` (25 as in appendix A), the dimension, and fewer buckets for a small corpus. Rarer
    words get the vectors of their character n-grams, or zeros if a file has none. Uses one thread:
    the same seed gives the same vectors. Raises InputError without gensim, ModelError when the file
    is not a model of fastText.
    """
    with extra("baselines"):
        from gensim.models.fasttext import FastText, load_facebook_vectors

    if file is not None:
        try:
            known = load_facebook_vectors(str(file))
        except _INVALID_FILE as error:
            raise ModelError(
                f"{file} is not a model of fastText: {error}", "use the .bin file, not the .vec"
            ) from error
    else:
        split = splitter()
        sentences = [split(text) for text in texts]
        distinct = len({word for sentence in sentences for word in sentence})
        model = FastText(
            vector_size=DIMENSION,
            min_count=min_count,
            sg=1,
            alpha=0.05,
            sample=1e-4,
            bucket=min(_MAX_BUCKETS, _BUCKETS_PER_WORD * max(1, distinct)),
            seed=seed,
            workers=1,
        )
        _build(model, sentences, f"no word occurs {min_count} times")
        model.train(sentences, total_examples=len(sentences), epochs=model.epochs)
        known = model.wv
    vectors = np.zeros((len(names), known.vector_size), np.float32)
    for row, name in enumerate(names):
        if name in known:
            vectors[row] = known[name]
    return vectors


def doc2vec(
    texts: Sequence[str],
    train: Sequence[bool],
    *,
    sample: float = 1e-5,
    epochs: int = 100,
    seed: int = 0,
) -> Vectors:
    """Return vectors by Doc2Vec, the distributed bag of words (Le and Mikolov 2014), (n, 300).

    The model is trained on the training papers with the settings of appendix A. (The window in the
    grid of the paper has no effect on this model.) The vectors of all papers are inferred, so that
    training papers are not treated differently; a paper without words gets zeros. Uses one thread:
    the same seed gives the same vectors. Raises InputError without gensim.
    """
    with extra("baselines"):
        from gensim.models import doc2vec as gensim_doc2vec
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    split = [tokens(text) for text in texts]
    documents = [
        TaggedDocument(words, [number]) for number, words in enumerate(compress(split, train))
    ]
    model = Doc2Vec(
        vector_size=DIMENSION,
        min_count=3,
        alpha=0.025,
        min_alpha=0.0001,
        negative=5,
        dm=0,
        dbow_words=0,
        sample=sample,
        epochs=epochs,
        seed=seed,
        workers=1,
    )
    _build(model, documents, "no word occurs 3 times")
    model.train(documents, total_examples=len(documents), epochs=epochs)
    initial_vector = gensim_doc2vec.pseudorandom_weak_vector

    def by_crc32(size: int, seed_string: str) -> Vectors:  # hash() differs between processes
        return np.asarray(initial_vector(size, seed_string, lambda text: crc32(text.encode())))

    inferred = np.zeros((len(split), DIMENSION), np.float32)
    with patch.object(gensim_doc2vec, "pseudorandom_weak_vector", by_crc32):
        for row, words in enumerate(split):
            model.random.seed(seed)  # a vector must not depend on the papers before
            if words:
                inferred[row] = model.infer_vector(words)
    return inferred


def tokens(text: str) -> list[str]:
    """Split a text into lower-case words without accents, by gensim."""
    from gensim.utils import simple_preprocess

    words: list[str] = simple_preprocess(text, deacc=True, min_len=2, max_len=40)
    return words


def _build(model: Any, documents: Sequence[Any], error: str) -> None:  # noqa: ANN401
    model.build_vocab(documents)
    if not len(model.wv):
        raise ModelError(f"{error} in the training papers", "load more papers")
