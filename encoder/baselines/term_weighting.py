"""The nine word weightings that the baselines of SPECTER are tuned over (appendix A)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

MIN_PAPERS = 3
"""Minimum number of training papers with a word (min_df)."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """The weight of a word: its count, 1 + log of its count, or 1; times 1 or its idf.

    With `use_idf` the idf is log(n / df) + 1, with `smooth_idf` log((1 + n) / (1 + df)) + 1.
    """

    sublinear_tf: bool = False
    binary: bool = False
    use_idf: bool = False
    smooth_idf: bool = False


WEIGHTINGS = tuple(
    Weighting(sublinear, binary, idf, smooth)
    for sublinear, binary in ((False, False), (True, False), (False, True))
    for idf, smooth in ((True, True), (True, False), (False, False))
)
"""The combinations that differ."""


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
        vocabulary is empty.
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
        return cls(
            vectorizer.get_feature_names_out().tolist(), counts, counts[np.asarray(train, bool)]
        )

    def counts_in(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        """Return the counts of the same words in other texts, sparse (texts, words)."""
        return _vectorizer(vocabulary=self.names).transform(texts).tocsr()

    def weighted(self, weighting: Weighting) -> Any:  # noqa: ANN401
        """Return the weights of the words of all papers, sparse (papers, words)."""
        from sklearn.feature_extraction.text import TfidfTransformer

        transformer = TfidfTransformer(
            norm=None,
            use_idf=weighting.use_idf,
            smooth_idf=weighting.smooth_idf,
            sublinear_tf=weighting.sublinear_tf,
        )
        train, counts = self.train.astype(np.float64), self.counts.astype(np.float64)
        if weighting.binary:
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
