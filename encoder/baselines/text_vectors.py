"""The baselines of SPECTER's appendix A that need texts alone. All rows are papers, float32."""

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np

from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.baselines.term_weighting import Weighting, Words, splitter

DIMENSION = 300
RANDOM_DIMENSION = 25

_BUCKETS = 2_000_000  # for n-grams, gensim's default: 2.4 GB
_BUCKETS_A_WORD = 50  # of a smaller corpus, whose n-grams collide no more often so

_NO_MODEL = (AssertionError, EOFError, NotImplementedError, struct.error, ValueError)
"""What gensim raises of a file that is no model of fastText, or is cut off."""

_GENSIM = "pip install 'specter-graph[baselines]'"


def random_vectors(papers: int, seed: int = 0) -> Vectors:
    """Random: zero-mean vectors of 25 dimensions, (papers, 25)."""
    generator = np.random.default_rng(seed)
    return generator.standard_normal((papers, RANDOM_DIMENSION), dtype=np.float32)


def tfidf(words: Words, weighting: Weighting, train: Sequence[bool], seed: int = 0) -> Vectors:
    """TF-IDF, scaled to length 1 and reduced by a truncated SVD of the training papers, (n, 300).

    Scaled again afterwards: what the SVD drops would be measured by a distance as if it were
    likeness. Fewer dimensions where there are fewer words or training papers.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    weights = normalize(words.weighted(weighting))
    learnt = weights[np.asarray(train, bool)]
    size = min(DIMENSION, min(learnt.shape) - 1)
    reduced = TruncatedSVD(size, random_state=seed).fit(learnt).transform(weights)
    return unit(np.asarray(reduced, np.float32))


def weighted_sum(words: Words, weighting: Weighting, of_words: Vectors) -> Vectors:
    """Fasttext-sum: the weighted sum of the vectors (words, d) of a paper's words, (n, d)."""
    return np.asarray(words.weighted(weighting) @ of_words, np.float32)


def sif(words: Words, of_words: Vectors, train: Sequence[bool], a: float) -> Vectors:
    """SIF (Arora et al. 2017, algorithm 1), (n, d).

    v = 1/|s| * the sum over the words w of a / (a + p(w)) v_w; then v - u u^T v, where u is the
    first singular vector of the training papers' v. p(w) is of the training papers.
    """
    from scipy.sparse.linalg import svds

    rare = a / (a + words.probabilities())
    lengths = np.maximum(np.asarray(words.counts.sum(axis=1)).ravel(), 1)
    vectors = (words.counts @ (rare[:, None] * of_words)) / lengths[:, None]
    learnt = vectors[np.asarray(train, bool)]
    first = svds(learnt, k=1, random_state=0)[2][0]
    return np.asarray(vectors - np.outer(vectors @ first, first), np.float32)


def fasttext(
    texts: Iterable[str],
    names: Sequence[str],
    *,
    least: int = 25,
    file: Path | None = None,
    seed: int = 0,
) -> Vectors:
    """Vectors of words by fastText (words, 300), trained on texts, or of a `.bin` file.

    fastText's own defaults, skip-gram (Bojanowski et al. 2017), but for the dimension, `least`, how
    often a word must occur (appendix A: 25), and less room for n-grams where there are few
    words. Words that do not occur so often are made of their character n-grams, and zero in a file
    without such. One thread: the same seed gives the same vectors. Raises ModelError without
    gensim, or when the file is no model of fastText.
    """
    try:
        from gensim.models.fasttext import FastText, load_facebook_vectors
    except ImportError as error:
        raise ModelError("gensim, which trains fastText, is not installed", _GENSIM) from error

    if file is not None:
        try:
            known = load_facebook_vectors(str(file))
        except (*_NO_MODEL, OSError) as error:
            raise ModelError(
                f"{file} is no model of fastText: {error}", "give the whole .bin, not the .vec"
            ) from error
    else:
        split = splitter()
        sentences = [split(text) for text in texts]
        distinct = len({word for sentence in sentences for word in sentence})
        model = FastText(
            vector_size=DIMENSION,
            min_count=least,
            sg=1,
            alpha=0.05,
            sample=1e-4,
            bucket=min(_BUCKETS, _BUCKETS_A_WORD * max(1, distinct)),
            seed=seed,
            workers=1,
        )
        _build(model, sentences, f"no word occurs {least} times")
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
    """Doc2Vec, the distributed bag of words (Le and Mikolov 2014), (n, 300).

    Trained on the training papers with the settings of appendix A; the vectors of all papers,
    training ones too, are inferred, so that all are made alike. Its grid has a window, which the
    distributed bag of words without words (dm=0, dbow_words=0) does not use. A paper without words
    has the vector 0. One thread: the same seed gives the same vectors. Raises ModelError without
    gensim.
    """
    try:
        from gensim.models import doc2vec as of_gensim
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument
    except ImportError as error:
        raise ModelError("gensim, which trains Doc2Vec, is not installed", _GENSIM) from error

    split = [tokens(text) for text in texts]
    documents = [
        TaggedDocument(words, [number])
        for number, words in enumerate(w for w, learnt in zip(split, train, strict=True) if learnt)
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
    begun = of_gensim.pseudorandom_weak_vector

    def begin(size: int, seed_string: str) -> Vectors:  # not by hash(), which each process salts
        return np.asarray(begun(size, seed_string, lambda text: crc32(text.encode())))

    inferred = np.zeros((len(split), DIMENSION), np.float32)
    with patch.object(of_gensim, "pseudorandom_weak_vector", begin):
        for row, words in enumerate(split):
            model.random.seed(seed)  # what is inferred does not depend on what was before
            if words:
                inferred[row] = model.infer_vector(words)
    return inferred


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, without accents, as gensim splits them."""
    from gensim.utils import simple_preprocess

    found: list[str] = simple_preprocess(text, deacc=True, min_len=2, max_len=40)
    return found


def _build(model: Any, documents: Sequence[Any], wrong: str) -> None:  # noqa: ANN401
    model.build_vocab(documents)
    if not len(model.wv):
        raise ModelError(f"{wrong} in the training papers", "load more papers")
