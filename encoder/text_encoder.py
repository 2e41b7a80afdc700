"""Any object that embeds texts as an encoder of papers, such as a SentenceTransformer."""

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol

import numpy as np

from specter_graph.core.encoder_card import EncoderCard, Prompts
from specter_graph.core.errors import InputError, ModelError, counted
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, texts_of
from specter_graph.encoder.model import CHUNK
from specter_graph.loaders.records import PaperText

PROBES = ["", "query: neutrino masses", "Dwarf galaxies. We study " + "the halo of a galaxy " * 200]
"""Texts whose vectors identify a model that is no PyTorch module."""


class TextModel(Protocol):
    """An object that embeds texts: a SentenceTransformer, or an object of your own class.

    If it has the methods `encode_document` and `encode_query`, with the same arguments, they embed
    papers and queries; otherwise `encode` embeds both.
    """

    def encode(self, texts: list[str], /) -> Any:  # noqa: ANN401
        """Return (n, dimension) numbers: an array, a tensor on the CPU, or lists."""


class TextEncoder:
    """An encoder of papers by a text model.

    A paper is its title and abstract, joined by the separator of the tokenizer, if the model has
    one, or by a space. `card.name` is empty, because the model exists in memory only.
    """

    def __init__(self, model: TextModel) -> None:
        """Use a model.

        Args:
            model: The model.

        Raises:
            InputError: The object has no method `encode`, or is a class.
        """
        if isinstance(model, type):
            raise InputError(
                f"{model.__name__} is a class, not an encoder",
                f"give an object: {model.__name__}()",
            )
        if not callable(getattr(model, "encode", None)):
            raise InputError(
                f"a {type(model).__name__} is not an encoder: it has no method `encode`",
                "use an Encoder, a SentenceTransformer, the path of a model, or an object with"
                " encode(texts)",
            )
        self.model: Any = model
        self.separator: str = getattr(getattr(model, "tokenizer", None), "sep_token", None) or " "
        self.prompts = Prompts.of(
            getattr(model, "prompts", None) or {}, getattr(model, "default_prompt_name", None)
        )

    @cached_property
    def card(self) -> EncoderCard:
        """The facts about the model; its digest covers weights, or else vectors of some texts."""
        vectors = self._vectors("encode_document", PROBES, self.prompts.document)
        digest = self._digest(vectors)
        return EncoderCard(
            name="",
            digest=digest,
            dimension=vectors.shape[1],
            base=type(self.model).__name__,
            base_digest=digest,
            parts=TITLE_AND_ABSTRACT,
            prompts=self.prompts,
        )

    def _digest(self, vectors: Vectors) -> str:
        total = sha256(
            f"{type(self.model).__name__} {TITLE_AND_ABSTRACT} {self.separator}".encode()
        )
        if hasattr(self.model, "state_dict"):
            from torch import uint8

            length = getattr(self.model, "max_seq_length", None)
            total.update(f"{self.model!r} {length} {self.prompts.document}".encode())
            for name, weight in sorted(self.model.state_dict().items()):
                total.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
                total.update(weight.detach().cpu().contiguous().reshape(-1).view(uint8).numpy())
        else:
            # Rounded: another number of threads may change the last digits.
            unit = float(np.abs(vectors).max()) or 1.0
            total.update((np.round(vectors / unit, 2) + 0).tobytes())
        return total.hexdigest()

    def encode(self, texts: Sequence[PaperText], progress: Progress = silent) -> Vectors:
        """Encode n papers into (n, dimension) float32.

        Raises:
            ModelError: The model returns another shape.
        """
        vectors = np.empty((len(texts), self.card.dimension), np.float32)
        for start in range(0, len(texts), CHUNK):
            chunk = texts[start : start + CHUNK]
            inputs = [self.separator.join(texts_of(paper, TITLE_AND_ABSTRACT)) for paper in chunk]
            vectors[start : start + CHUNK] = self._vectors(
                "encode_document", inputs, self.prompts.document
            )
            progress("encode", start + len(chunk), len(texts))
        return vectors

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Encode n queries into (n, dimension) float32."""
        return self._vectors("encode_query", list(texts), self.prompts.query)

    def covers(self, text: str) -> bool:
        """Return True: the scripts of the model are unknown."""
        return True

    def _vectors(self, method: str, texts: list[str], prompt: str) -> Vectors:
        encode = getattr(self.model, method, None) or self.model.encode
        options = {"prompt": prompt} if prompt else {}
        returned = encode(texts, **options)
        name, known = type(self.model).__name__, self.__dict__.get("card")  # `card` calls this
        hint = f"return a vector for each text: (n, {known.dimension if known else 'dimension'})"
        try:
            vectors: Vectors = np.asarray(returned, np.float32)
        except (RuntimeError, TypeError, ValueError) as error:
            raise ModelError(f"{name} did not return an array of numbers: {error}", hint) from error
        is_matrix = vectors.ndim == 2 and len(vectors) == len(texts) and vectors.shape[1] > 0
        if not is_matrix or (known and vectors.shape[1] != known.dimension):
            raise ModelError(
                f"{name} returned an array of shape {vectors.shape} for"
                f" {counted(len(texts), 'text')}",
                hint,
            )
        return vectors
