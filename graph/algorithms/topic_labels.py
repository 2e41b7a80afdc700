"""Names for clusters of papers: the terms that set each apart (class-based TF-IDF)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TERMS = 10
_NAMED_BY = 3
_WORD = r"(?u)\b[^\W\d_][\w-]*\w\b"
"""Two characters or more, the first a letter: numbers say nothing of a topic."""


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
    best = np.argsort(-weights, axis=1, kind="stable")[:, :TERMS]
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
    return ", ".join(whole[:_NAMED_BY])
