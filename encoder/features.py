"""TF-IDF reduced by a truncated SVD: word statistics of the corpus, beside the base's vectors."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pydantic

from specter_graph.core.errors import ModelError

WORDS_FILE = "features.json"
NUMBERS_FILE = "features.safetensors"


class FeatureSettings(pydantic.BaseModel):
    """How texts become features; English stop words are left out, term counts are 1 + log."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    dimension: int = pydantic.Field(default=1000, ge=1, description="components of the SVD")
    min_df: int = pydantic.Field(default=2, ge=1, description="papers a term must occur in")
    max_terms: int = pydantic.Field(
        default=100_000, ge=1, description="the most frequent terms kept"
    )


class TextFeatures:
    """A fitted TF-IDF and SVD: `terms` t, `idf` (t,) and `components` (dimension, t), float32."""

    def __init__(
        self, terms: list[str], idf: npt.NDArray[np.float32], components: npt.NDArray[np.float32]
    ) -> None:
        self.terms = terms
        self.idf = idf
        self.components = components

    @property
    def dimension(self) -> int:
        """Length of a feature vector: the setting's, or less for a small corpus."""
        return len(self.components)

    @classmethod
    def fit(cls, texts: Sequence[str], settings: FeatureSettings, seed: int = 0) -> "TextFeatures":
        """Fit on the corpus's texts. Raises ModelError when no term occurs in `min_df` of them."""
        from sklearn.decomposition import TruncatedSVD

        vectorizer = _vectorizer(min_df=settings.min_df, max_features=settings.max_terms)
        try:
            weights = vectorizer.fit_transform(texts)
        except ValueError as error:
            raise ModelError(
                f"no text features in {len(texts)} papers: {error}", "train without features"
            ) from error
        size = min(settings.dimension, *weights.shape)
        svd = TruncatedSVD(size, random_state=seed).fit(weights)
        return cls(
            vectorizer.get_feature_names_out().tolist(),
            vectorizer.idf_.astype(np.float32),
            np.ascontiguousarray(svd.components_, np.float32),
        )

    def transform(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Features of shape (n, dimension), L2-normalised; zeros for a text of unknown words."""
        weights = self._tfidf.transform(texts)
        # All components at once would be copied, 40 MB, for the few words of a query.
        used = np.unique(weights.indices)
        reduced = weights[:, used] @ self.components[:, used].T
        norms = np.linalg.norm(reduced, axis=1, keepdims=True)
        # Of words that the SVD dropped, rounding errors are left: they are not blown up.
        return np.asarray(reduced / np.where(norms > 1e-5, norms, 1), np.float32)

    def save(self, folder: Path) -> None:
        """Write `features.json`, and `features.safetensors`, which is there when both are whole."""
        from safetensors.numpy import save_file

        (folder / WORDS_FILE).write_text(json.dumps(self.terms, ensure_ascii=False), "utf-8")
        part = folder / f"{NUMBERS_FILE}.part"
        save_file({"idf": self.idf, "components": self.components}, part)
        part.replace(folder / NUMBERS_FILE)

    @classmethod
    def load(cls, folder: Path) -> "TextFeatures":
        """Read what `save` wrote; raises ModelError when it cannot be read."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            terms = json.loads((folder / WORDS_FILE).read_text("utf-8"))
            numbers = load_file(folder / NUMBERS_FILE)
            return cls(terms, numbers["idf"], numbers["components"])
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise ModelError(f"the text features in {folder} cannot be read: {error}") from error

    @cached_property
    def _tfidf(self) -> Any:  # noqa: ANN401
        vectorizer = _vectorizer(vocabulary=self.terms)
        vectorizer.idf_ = self.idf
        return vectorizer


def _vectorizer(**options: object) -> Any:  # noqa: ANN401
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, stop_words="english", dtype=np.float32, **options)
