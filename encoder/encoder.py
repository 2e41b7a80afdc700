"""The one face of all text models: a base, a head on a base, a fine-tuned Transformer."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.full import transformer
from specter_graph.encoder.head import Head
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts, words_of
from specter_graph.encoder.model import CHUNK, BaseModel
from specter_graph.encoder.model_dir import ModelRecord, read_record
from specter_graph.encoder.model_files import RECORD_FILE, Pooling, read_base
from specter_graph.encoder.scripts import covers
from specter_graph.loaders.records import PaperText


class Encoder:
    """Texts in, vectors out, whatever was or was not trained.

    `record` says how the model was trained; it is None for a base. `head` is there where the mode
    was head. `cut_to` is None for whole vectors; see `cut`.
    """

    def __init__(
        self,
        base: BaseModel,
        record: ModelRecord | None,
        head: Head | None,
        folder: Path | None = None,
        cut_to: int | None = None,
    ) -> None:
        self.base = base
        self.record = record
        self.head = head
        self.cut_to = cut_to
        self._folder = folder

    @classmethod
    def default(cls) -> "Encoder":
        """The offline MiniLM, untrained."""
        return cls.from_base()

    @classmethod
    def from_base(
        cls,
        name: str | None = None,
        *,
        revision: str | None = None,
        pooling: Pooling | None = None,
        max_length: int | None = None,
        parts: Parts = TITLE_AND_ABSTRACT,
        apart: bool = False,
    ) -> "Encoder":
        """An untrained base; the arguments are those of `BaseModel.load`."""
        base = BaseModel.load(
            name,
            revision=revision,
            pooling=pooling,
            max_length=max_length,
            parts=parts,
            apart=apart,
        )
        return cls(base, None, None)

    @classmethod
    def start(
        cls,
        name: str | None = None,
        *,
        revision: str | None = None,
        pooling: Pooling | None = None,
        max_length: int | None = None,
        parts: Parts = TITLE_AND_ABSTRACT,
        apart: bool = False,
    ) -> "Encoder":
        """What a training starts from: an untrained base, or a Transformer that was trained before.

        The latter is a model directory of mode `full`; its `record` tells what it has seen. Raises
        ModelError for one of mode `head`, whose Transformer nobody trained.
        """
        if name is None or not (Path(name) / RECORD_FILE).is_file():
            return cls.from_base(
                name,
                revision=revision,
                pooling=pooling,
                max_length=max_length,
                parts=parts,
                apart=apart,
            )
        trained = cls.load(name)
        record, folder = trained.record, trained.base.folder
        if record is None or record.mode == "head":
            raise ModelError(
                f"{name} is a head: the Transformer under it is its base, as it was",
                f"start from {trained.base_name}, or from a model of mode full",
            )
        if revision:
            raise ModelError(f"the model directory {name} has no revisions", "leave it out")
        begun = read_base(
            trained.name,
            None,
            folder.path,
            pooling=pooling,
            max_length=max_length or record.base.max_length,
            parts=parts,
            apart=apart,
        )
        return cls(BaseModel(begun), record, None, Path(trained.name))

    @classmethod
    def load(cls, model_dir: Path | str, *, base: str | None = None) -> "Encoder":
        """Load what `train_head` or `train_full` wrote.

        `base` is where a head's base model lies now, if it has moved. Raises ModelError for a
        folder that is not a model directory, is damaged, or whose base is not the one it was
        trained on.
        """
        folder = Path(model_dir)
        record = read_record(folder)
        if record.mode == "head":
            head = Head.load(folder, record)
            return cls(_recorded_base(record, base), record, head, folder.resolve())
        model = transformer(folder, record.base)
        if model.digest != record.digest:
            raise ModelError(
                f"the files in {folder} are not the ones that training wrote",
                "copy the whole model directory again, or train again",
            )
        return cls(model, record, None, folder.resolve())

    @classmethod
    def open(cls, name: str | None, pooling: Pooling | None = None) -> "Encoder":
        """Load what `name` names: a model directory, or an untrained base; None is the offline one.

        `NAME#64` is that one with its vectors cut to 64 dimensions. Raises ModelError for a
        `pooling` that a trained model does not have.
        """
        if name and (Path(name) / RECORD_FILE).is_file():
            trained = cls.load(name)
            if pooling not in (None, trained.pooling):
                raise ModelError(
                    f"{name} was trained to pool by {trained.pooling}, not by {pooling}",
                    f"train another: specter-graph train --set base.pooling={pooling}",
                )
            return trained
        whole, _, dimension = (name or "").rpartition("#")
        if name and whole and dimension.isdecimal() and not Path(name).exists():
            return cls.open(whole, pooling).cut(int(dimension))
        return cls.from_base(name, pooling=pooling)

    def cut(self, dimension: int) -> "Encoder":
        """The same model, its vectors cut to their first dimensions.

        They are scaled to length 1 again where the model scales to it. Trained for it are the
        dimensions of the recipe's `matryoshka`. Raises ModelError beyond the whole.
        """
        if not 0 < dimension <= self._whole:
            raise ModelError(
                f"vectors of {self._whole} numbers cannot be cut to {dimension}",
                f"name a dimension of 1 to {self._whole}",
            )
        cut_to = dimension if dimension < self._whole else None
        return Encoder(self.base, self.record, self.head, self._folder, cut_to)

    @property
    def name(self) -> str:
        """What `open` takes: the absolute path of the model directory, or the name of the base."""
        whole = str(self._folder) if self._folder else self.base.name
        return f"{whole}#{self.cut_to}" if self.cut_to else whole

    @property
    def base_name(self) -> str:
        """The name of the base that training started from, or of the base itself."""
        return self.record.base.name if self.record else self.base.name

    @property
    def revision(self) -> str | None:
        """The revision of that base."""
        return self.record.base.revision if self.record else self.base.revision

    @property
    def pooling(self) -> str:
        """The pooling of that base."""
        return self.record.base.pooling if self.record else self.base.pooling

    @property
    def parts(self) -> Parts:
        """What is read of a paper."""
        return self.base.folder.parts

    @property
    def mined(self) -> dict[str, Any]:
        """The source of the triplets that it was trained on; empty for a base."""
        return self.record.mined if self.record else {}

    @property
    def kind(self) -> Literal["base", "head", "full"]:
        """What was trained: nothing, a head, or all of it."""
        return self.record.mode if self.record else "base"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.cut_to or self._whole

    @property
    def _whole(self) -> int:
        """Length of a vector that is not cut."""
        return self.record.dimension if self.record else self.base.dimension

    @property
    def digest(self) -> str:
        """SHA-256 over everything that decides a vector; equal digests mean comparable vectors."""
        whole = self.record.digest if self.record else self.base.digest
        return sha256(f"{whole} {self.cut_to}".encode()).hexdigest() if self.cut_to else whole

    @property
    def precision(self) -> str:
        """What the Transformer computed in last; empty before the first text."""
        return self.base.used or ""

    @property
    def base_digest(self) -> str:
        """The digest of the base: a head can reuse vectors stored under it."""
        return self.record.base.digest if self.record else self.base.digest

    @property
    def holdout(self) -> float:
        """The hold-out that it was trained under; 0 for a base."""
        return self.record.holdout if self.record else 0.0

    @property
    def learned_from(self) -> list[str]:
        """All sources of triplets that it and what it started from were trained on."""
        return self.record.learned_from if self.record else []

    @property
    def fingerprint(self) -> str:
        """The corpus fingerprint that it was trained on; empty for a base."""
        return self.record.corpus if self.record else ""

    def encode(
        self,
        texts: Sequence[PaperText],
        base_vectors: Vectors | None = None,
        progress: Progress = silent,
    ) -> Vectors:
        """Encode papers into float32 of shape (n, dimension), in their order.

        For a head, `base_vectors` (n, d) of the same papers under `base_digest` save encoding
        them again; other kinds have no use for them and raise ModelError.
        """
        if self.head is None:
            if base_vectors is not None:
                raise ModelError(f"a model of kind {self.kind} makes nothing of base vectors")
            return self._cut(self.base.encode(texts, progress))
        if base_vectors is None:
            base_vectors = self.base.encode(texts, progress)
        if base_vectors.shape != (len(texts), self.base.dimension):
            raise ModelError(
                f"base vectors of shape {base_vectors.shape} for {len(texts)} papers and a base of"
                f" dimension {self.base.dimension}"
            )
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), CHUNK):
            part = slice(start, start + CHUNK)
            words = words_of(texts[part], self.parts)
            vectors[part] = self._cut(self.head.apply(base_vectors[part], words))
        return vectors

    def covers(self, text: str) -> bool:
        """Return False if the tokenizer lacks the words of a text, so that its vector means little.

        Then more than half of the word pieces are unknown, or more than half of the letters are of
        scripts that the vocabulary has only as single characters. A letter alone does not count.
        """
        return text.isascii() or covers(self.base.tokenizer, self.base.scripts, text)

    def _cut(self, vectors: Vectors) -> Vectors:
        if self.cut_to is None:
            return vectors
        cut = np.ascontiguousarray(vectors[:, : self.cut_to])
        return unit(cut) if self.head or self.base.folder.normalize else cut

    def encode_query(self, text: str) -> Vectors:
        """Encode free text, read like a title, into a vector of shape (dimension,)."""
        [vector] = self.encode_queries([text])
        return np.asarray(vector, np.float32)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode free texts, each read like a title, into float32 of shape (n, dimension)."""
        return np.asarray(self.encode([PaperText("", text) for text in texts]), np.float32)


def _recorded_base(record: ModelRecord, name: str | None) -> BaseModel:
    """The base that a head was trained on; a head on another base would make noise."""
    told = record.base
    try:
        base = BaseModel.load(
            name or told.name,
            revision=None if name else told.revision,
            pooling=told.pooling,
            max_length=told.max_length,
            parts=told.parts,
            apart=told.apart,
        )
    except ModelError as error:
        raise ModelError(
            f"the head's base model is not there: {error.message}",
            "say where it lies now: Encoder.load(MODEL_DIR, base=PATH)",
        ) from error
    if base.digest != told.digest:
        raise ModelError(
            f"the base model {base.name} is not the one that the head was trained on",
            f"it was {told.name}, revision {told.revision}, digest {told.digest[:12]}",
        )
    return base
