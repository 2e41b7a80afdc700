"""A head: a linear map of frozen base vectors and, optionally, of TF-IDF features."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from specter_graph.core.atomic_files import complete_file, file_sha256
from specter_graph.core.errors import ModelError, counted
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.model_record import ModelRecord
from specter_graph.encoder.recipe import FeatureSettings

HEAD_FILE = "head.safetensors"
WORDS_FILE = "features.json"
NUMBERS_FILE = "features.safetensors"


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """A fitted TF-IDF and SVD: t `terms`, `idf` (t,) and `components` (dimension, t), float32."""

    terms: list[str]
    idf: Vectors
    components: Vectors

    @property
    def dimension(self) -> int:
        """Dimension of the features, which is below the setting for a small corpus."""
        return len(self.components)

    @classmethod
    def fit(cls, texts: Sequence[str], settings: FeatureSettings, seed: int = 0) -> "TextFeatures":
        """Fit on texts; raises ModelError unless two terms occur in at least `min_df` of them."""
        from sklearn.decomposition import TruncatedSVD

        vectorizer = _vectorizer(min_df=settings.min_df, max_features=settings.max_terms)
        try:
            weights = vectorizer.fit_transform(texts)
            size = min(settings.dimension, *weights.shape)
            svd = TruncatedSVD(size, random_state=seed).fit(weights)  # needs at least two terms
        except ValueError as error:
            raise ModelError(
                f"no text features in {counted(len(texts), 'paper')}: {error}",
                "train without features",
            ) from error
        return cls(
            vectorizer.get_feature_names_out().tolist(),
            vectorizer.idf_.astype(np.float32),
            np.ascontiguousarray(svd.components_, np.float32),
        )

    def transform(self, texts: Sequence[str]) -> Vectors:
        """Return L2-normalized features, (n, dimension); zeros for a text of unknown words."""
        weights = self._tfidf.transform(texts)
        # Copying all components (40 MB) would be slow for the few words of a query.
        used = np.unique(weights.indices)
        reduced = weights[:, used] @ self.components[:, used].T
        norms = np.linalg.norm(reduced, axis=1, keepdims=True)
        # Terms that the SVD dropped leave rounding errors, which must not be scaled up.
        return np.asarray(reduced / np.where(norms > 1e-5, norms, 1), np.float32)

    def save(self, folder: Path) -> None:
        """Write `features.json`, then `features.safetensors`, which marks both as complete."""
        from safetensors.numpy import save_file

        (folder / WORDS_FILE).write_text(json.dumps(self.terms, ensure_ascii=False), "utf-8")
        with complete_file(folder / NUMBERS_FILE) as new:
            save_file({"idf": self.idf, "components": self.components}, new)

    @classmethod
    def load(cls, folder: Path) -> "TextFeatures":
        """Read the files that `save` wrote; raises ModelError when they cannot be read."""
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


@dataclass(frozen=True)
class Head:
    """A head: `weight` is W (d_in, dimension), with d_in the dimension of base plus features."""

    weight: Vectors
    features: TextFeatures | None
    feature_weight: float

    def apply(self, base_vectors: Vectors, texts: Sequence[str]) -> Vectors:
        """Return L2-normalized vectors, (n, dimension); only the features use the texts."""
        inputs = head_inputs(base_vectors, texts, self.features, self.feature_weight)
        return unit(inputs @ self.weight)

    def save(self, folder: Path) -> None:
        """Write the head's files into a folder."""
        from safetensors.numpy import save_file

        save_file({"weight": self.weight}, folder / HEAD_FILE)
        if self.features:
            self.features.save(folder)

    @classmethod
    def load(cls, folder: Path, record: ModelRecord) -> "Head":
        """Read a head; raises ModelError when its files differ from the record."""
        from safetensors.numpy import load_file

        record.require_digest(folder, head_digest(folder, record.base.digest))
        features = TextFeatures.load(folder) if record.settings["features"] else None
        weight = load_file(folder / HEAD_FILE)["weight"]
        return cls(weight, features, record.settings["feature_weight"])


def head_inputs(
    base_vectors: Vectors, texts: Sequence[str], features: TextFeatures | None, weight: float
) -> Vectors:
    """Return the inputs of a head, (n, d_in): unit base vectors, features of length `weight`."""
    if features is None:
        return unit(base_vectors)
    return np.hstack([unit(base_vectors), weight * features.transform(texts)], dtype=np.float32)


def head_digest(folder: Path, base_digest: str) -> str:
    """Return SHA-256 over the base's digest and the head's files, in hexadecimal."""
    digest = sha256(base_digest.encode())
    for name in (HEAD_FILE, WORDS_FILE, NUMBERS_FILE):
        if (folder / name).exists():
            digest.update(file_sha256(folder / name).encode())
    return digest.hexdigest()


def _vectorizer(**options: object) -> Any:  # noqa: ANN401
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, stop_words="english", dtype=np.float32, **options)
