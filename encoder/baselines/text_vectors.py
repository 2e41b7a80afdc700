"""The baselines of SPECTER's appendix A that learn from texts only: float32 rows of papers.

They are tuned over nine word weightings.
"""

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from zlib import crc32

import numpy as np

from specter_graph.core.errors import ModelError, extra
from specter_graph.core.vectors import Vectors, unit

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

MIN_PAPERS = 3
"""Minimum number of training papers with a word (min_df)."""

DIMENSION = 300
RANDOM_DIMENSION = 25

_MAX_BUCKETS = 2_000_000  # of n-grams, the default of gensim: 2.4 GB
_BUCKETS_PER_WORD = 50  # saves memory for a small corpus, without more collisions

_INVALID_FILE = (
    AssertionError, EOFError, MemoryError, NotImplementedError, OSError, OverflowError, ValueError,
    struct.error,
)  # fmt: skip
"""Errors of gensim for a file that is not a model of fastText, or is truncated."""


WEIGHTINGS = [
    {"sublinear_tf": sublinear, "binary": binary, "use_idf": idf, "smooth_idf": smooth}
    for sublinear, binary in ((False, False), (True, False), (False, True))
    for idf, smooth in ((True, True), (True, False), (False, False))
]
"""The combinations that differ of the settings of `Words.weighted`."""


@dataclass(frozen=True, slots=True)
class Words:
    """Word counts of all papers and of the training papers: sparse matrices (papers, words)."""

    names: list[str]
    counts: Any
    train: Any

    @classmethod
    def count(cls, texts: Sequence[str], train: Sequence[bool]) -> "Words":
        """Count the words of texts; the vocabulary comes from the training papers.

        As in appendix A, words occur in at least 3 and at most 75 % of the training papers. They
        are in lower case, without accents and English stop words. Raises ModelError when the
        vocabulary has fewer than two words.
        """
        vectorizer = _vectorizer(min_df=MIN_PAPERS, max_df=0.75)
        try:
            vectorizer.fit([*compress(texts, train)])
        except ValueError as error:
            raise ModelError(
                f"the texts have too few words in common: {error}",
                f"a word must occur in {MIN_PAPERS} training papers",
            ) from error
        counts = vectorizer.transform(texts)
        if counts.shape[1] < 2:
            raise ModelError("the texts have only one word in common", "load more papers")
        return cls(
            vectorizer.get_feature_names_out().tolist(), counts, counts[np.asarray(train, bool)]
        )

    def counts_in(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        """Return the counts of the same words in other texts, sparse (texts, words)."""
        return _vectorizer(vocabulary=self.names).transform(texts).tocsr()

    def weighted(self, *, binary: bool, **settings: bool) -> Any:  # noqa: ANN401
        """Return the weights of the words of all papers, sparse (papers, words).

        Args:
            binary: A word weighs 1, else its count or, with `sublinear_tf`, 1 + log of its count.
            **settings: `sublinear_tf`, `use_idf` and `smooth_idf`. With `use_idf`, the weight is
                multiplied by the idf log(n / df) + 1, with `smooth_idf` too by
                log((1 + n) / (1 + df)) + 1.
        """
        from sklearn.feature_extraction.text import TfidfTransformer

        transformer = TfidfTransformer(norm=None, **settings)
        train, counts = self.train.astype(np.float64), self.counts.astype(np.float64)
        if binary:
            train.data[:] = counts.data[:] = 1
        return transformer.fit(train).transform(counts)

    def probabilities(self) -> Vectors:
        """Return the relative frequency of each word in the training papers, (words,) float64."""
        totals = np.asarray(self.train.sum(axis=0), dtype=np.float64).ravel()
        return np.asarray(totals / totals.sum())


def splitter() -> Callable[[str], list[str]]:
    """Return a function that splits a text into words, including stop words."""
    split: Callable[[str], list[str]] = _vectorizer(stop_words=None).build_analyzer()
    return split


def _vectorizer(**settings: object) -> "CountVectorizer":
    """Return a vectorizer with the settings of appendix A."""
    from sklearn.feature_extraction.text import CountVectorizer

    defaults = {"strip_accents": "ascii", "stop_words": "english", "lowercase": True}
    return CountVectorizer(**defaults | settings)


def random_vectors(papers: int, seed: int = 0) -> Vectors:
    """Draw zero-mean random vectors, (papers, 25)."""
    generator = np.random.default_rng(seed)
    return generator.standard_normal((papers, RANDOM_DIMENSION), dtype=np.float32)


def tfidf(words: Words, train: Sequence[bool], seed: int = 0, **weighting: bool) -> Vectors:
    """Return unit TF-IDF vectors, reduced by a truncated SVD of the training papers, (n, 300).

    They are scaled to length 1 again, since the SVD shortens vectors by different amounts. There
    are fewer dimensions if there are fewer words or training papers.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    weights = normalize(words.weighted(**weighting))
    training = weights[np.asarray(train, bool)]
    size = min(DIMENSION, min(training.shape) - 1)
    reduced = TruncatedSVD(size, random_state=seed).fit(training).transform(weights)
    return unit(np.asarray(reduced, np.float32))


def weighted_sum(words: Words, word_vectors: Vectors, **weighting: bool) -> Vectors:
    """Return the weighted sums of the vectors (words, d) of the words of each paper, (n, d)."""
    return np.asarray(words.weighted(**weighting) @ word_vectors, np.float32)


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

    split = [gensim_words(text) for text in texts]
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


def gensim_words(text: str) -> list[str]:
    """Split a text into lower-case words without accents, by gensim."""
    from gensim.utils import simple_preprocess

    words: list[str] = simple_preprocess(text, deacc=True, min_len=2, max_len=40)
    return words


def _build(model: Any, documents: Sequence[Any], error: str) -> None:  # noqa: ANN401
    model.build_vocab(documents)
    if not len(model.wv):
        raise ModelError(f"{error} in the training papers", "load more papers")
