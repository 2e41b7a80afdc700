"""Sentences and tokens of papers, and the sum of Sentence-BERT over sentences."""

import re
from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from specter_graph.core.encoder_card import EncoderCard
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.model import TransformerModel
from specter_graph.encoder.model_files import Pooling
from specter_graph.encoder.static_model import load_base
from specter_graph.loaders.records import PaperText

_END = re.compile(
    r"(?<=[.!?])(?<!\bal\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)(?<!\b[Ff]ig\.)"
    r"(?<!\bEq\.)(?<!\bRef\.)(?<!\b[A-Z]\.)\s+(?=[\"'(\[]?[A-Z0-9])"
)


def sentences(text: str) -> list[str]:
    """Split a text into sentences, which end in . ! or ? before a capital or a digit.

    A dot after an initial, `et al`, `e.g.`, `Fig` and similar words does not end a sentence.
    """
    return [sentence for part in _END.split(text) if (sentence := part.strip())]


def sentences_of(paper: PaperText) -> list[str]:
    """Return the title and the sentences of the abstract."""
    return [paper.title, *sentences(paper.abstract or "")]


def tokens(text: str) -> list[str]:
    """Split a text into words and punctuation (as published: ELMo by spaCy, InferSent by NLTK)."""
    return re.findall(r"\w+|[^\w\s]", text)


def sum_of_sentences(vectors: Vectors, counts: Sequence[int]) -> Vectors:
    """Return the normalized sums of the vectors of each paper's sentences (SPECTER, appendix A, 9).

    Args:
        vectors: (m, d), of the sentences of one paper after another.
        counts: Number of sentences of each paper, at least 1.

    Returns:
        (n, d).
    """
    starts = np.cumsum([0, *counts[:-1]])
    return unit(np.add.reduceat(vectors, starts, axis=0))


def baseline_card(
    base: str, digest: str, dimension: int, pooling: str, revision: str | None = None
) -> EncoderCard:
    """Describe an encoder of a baseline; `base` is the hub name or the folder of its weights.

    The name is empty because `Encoder.load` cannot load it.
    """
    return EncoderCard(
        name="",
        digest=digest,
        dimension=dimension,
        base=base,
        base_digest=digest,
        revision=revision,
        pooling=pooling,
    )


class SentenceSum:
    """Sums the vectors of the title and of each sentence of the abstract."""

    def __init__(self, base: TransformerModel) -> None:
        folder = base.folder
        digest = sha256(f"sum of sentences {folder.digest}".encode()).hexdigest()
        self.card = baseline_card(
            folder.name, digest, folder.dimension, folder.pooling, folder.revision
        )
        self.base = base

    @classmethod
    def load(cls, name: str, pooling: Pooling) -> "SentenceSum":
        """Load the Transformer from a folder or the Hugging Face Hub, else raise ModelError."""
        return cls(load_base(name, pooling=pooling, parts=("title",)))

    def encode(self, texts: Sequence[PaperText], progress: Progress = silent) -> Vectors:
        """Encode papers into (n, dimension) float32."""
        if not texts:
            return np.empty((0, self.card.dimension), np.float32)
        split = [sentences_of(paper) for paper in texts]
        titles = [PaperText("", sentence) for sentences in split for sentence in sentences]
        return sum_of_sentences(self.base.encode(titles, progress), [*map(len, split)])
