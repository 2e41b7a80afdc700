"""What the baselines share that read papers in a way of their own."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts
from specter_graph.loaders.records import PaperText


class Reader(ABC):
    """An encoder of papers, in the form that `graph.embeddings.embed` asks for.

    It has no `name` to be opened by: no free text is read as it reads papers. `base_name` is the
    hub name or folder of its weights.
    """

    kind: Literal["base"] = "base"
    name = ""
    parts: Parts = TITLE_AND_ABSTRACT
    holdout = 0.0
    fingerprint = ""
    precision = ""
    mined: Mapping[str, object] = MappingProxyType({})
    learned_from: Sequence[str] = ()

    def __init__(
        self, base_name: str, digest: str, dimension: int, pooling: str, revision: str | None = None
    ) -> None:
        self.base_name = base_name
        self.digest = self.base_digest = digest
        self.dimension = dimension
        self.pooling = pooling
        self.revision = revision

    def encode(
        self,
        texts: Sequence[PaperText],
        base_vectors: Vectors | None = None,
        progress: Progress = silent,
    ) -> Vectors:
        """Encode papers into float32 of shape (n, dimension), in their order."""
        if base_vectors is not None:
            raise ModelError("this baseline makes nothing of base vectors")
        return self._read(texts, progress)

    @abstractmethod
    def _read(self, texts: Sequence[PaperText], progress: Progress) -> Vectors:
        """Read papers; no base vectors."""
