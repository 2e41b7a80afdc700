"""Sentences and tokens of papers; and Sentence-BERT, which sums the vectors of sentences."""

import re
from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from specter_graph.core.progress import Progress
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.baselines.base_encoder import Reader
from specter_graph.encoder.model import BaseModel
from specter_graph.encoder.model_files import Pooling
from specter_graph.loaders.records import PaperText

_END = re.compile(
    r"(?<=[.!?])(?<!\bal\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)(?<!\b[Ff]ig\.)"
    r"(?<!\bEq\.)(?<!\bRef\.)(?<!\b[A-Z]\.)\s+(?=[\"'(\[]?[A-Z0-9])"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text: each ends in . ! or ? before a capital or a digit.

    A dot after an initial, `et al`, `e.g.`, `Fig` and the like ends none.
    """
    return [each for each in (part.strip() for part in _END.split(text)) if each]


def sentences_of(paper: PaperText) -> list[str]:
    """The title, and each sentence of the abstract."""
    return [paper.title, *sentences(paper.abstract or "")]


def tokens(text: str) -> list[str]:
    """Words and marks, each a token; ELMo's and InferSent's makers used spaCy and NLTK."""
    return re.findall(r"\w+|[^\w\s]", text)


def sum_of_sentences(vectors: Vectors, counts: Sequence[int]) -> Vectors:
    """V / |v| with v the sum over a paper's sentences (SPECTER, appendix A, 9).

    `vectors` (m, d) are of all sentences, one paper after another; `counts` (n,) says how many a
    paper has, at least one each. Returns (n, d).
    """
    starts = np.cumsum([0, *counts[:-1]])
    return unit(np.add.reduceat(vectors, starts, axis=0))


class SentenceSum(Reader):
    """Reads the title and each sentence of the abstract by itself, and sums their vectors."""

    def __init__(self, base: BaseModel) -> None:
        digest = sha256(f"sum of sentences {base.digest}".encode()).hexdigest()
        super().__init__(base.name, digest, base.dimension, base.pooling, base.revision)
        self.base = base

    @classmethod
    def load(cls, name: str, pooling: Pooling) -> "SentenceSum":
        """Load the Transformer from the hub or a folder; raises ModelError without it."""
        return cls(BaseModel.load(name, pooling=pooling, parts=("title",)))

    def _read(self, texts: Sequence[PaperText], progress: Progress) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        of_papers = [sentences_of(paper) for paper in texts]
        told = [PaperText("", each) for of_paper in of_papers for each in of_paper]
        return sum_of_sentences(self.base.encode(told, progress), [len(each) for each in of_papers])
