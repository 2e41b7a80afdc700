"""The nine ways of weighting words that the baselines of SPECTER are tuned over (appendix A)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

LEAST = 3
"""Training papers that a word must occur in (min_df)."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """How a word counts: its count, 1 + its logarithm, or 1; times 1 or its rarity.

    With `use_idf` the rarity is log(n / df) + 1, with `smooth_idf` log((1 + n) / (1 + df)) + 1.
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
"""The combinations that differ: 1 has no logarithm, and no rarity cannot be smooth."""


@dataclass(frozen=True, slots=True)
class Words:
    """Counts of words: sparse matrices (papers, words), the training papers by themselves too."""

    names: list[str]
    counts: Any
    train: Any

    @classmethod
    def count(cls, texts: Sequence[str], train: Sequence[bool]) -> "Words":
        """Count the words of texts; which words there are, the training papers alone say.

        As in appendix A: in 3 training papers or more and in at most 75 % of them, without accents,
        in lower case, English stop words left out. Raises ModelError when there is none.
        """
        vectorizer = _vectorizer(min_df=LEAST, max_df=0.75)
        try:
            vectorizer.fit([text for text, learnt in zip(texts, train, strict=True) if learnt])
        except ValueError as error:
            raise ModelError(
                f"the texts have too few words in common: {error}",
                f"a word must occur in {LEAST} training papers",
            ) from error
        counts = vectorizer.transform(texts)
        return cls(
            vectorizer.get_feature_names_out().tolist(), counts, counts[np.asarray(train, bool)]
        )

    def counts_in(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        """Counts of the same words in other texts, sparse (texts, words)."""
        return _vectorizer(vocabulary=self.names).transform(texts).tocsr()

    def weighted(self, weighting: Weighting) -> Any:  # noqa: ANN401
        """Weights of the words of all papers, sparse (papers, words); rarities of training ones."""
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
        """How likely each word is in the training papers, (words,) float64, their sum 1."""
        totals = np.asarray(self.train.sum(axis=0), dtype=np.float64).ravel()
        return np.asarray(totals / totals.sum())


def splitter() -> Callable[[str], list[str]]:
    """Splits a text into the words that are counted, and the stop words among them."""
    split: Callable[[str], list[str]] = _vectorizer(stop_words=None).build_analyzer()
    return split


def _vectorizer(**settings: object) -> "CountVectorizer":
    """Splits texts into words as appendix A says."""
    from sklearn.feature_extraction.text import CountVectorizer

    usual = {"strip_accents": "ascii", "stop_words": "english", "lowercase": True}
    return CountVectorizer(**usual | settings)
