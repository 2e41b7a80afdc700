"""One class for all text models: a base, a head on a base, a fine-tuned Transformer."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeGuard, Unpack, get_args

import numpy as np

from specter_graph.core.encoder_card import EncoderCard, Prompts
from specter_graph.core.errors import (
    InputError,
    ModelError,
    counted,
    require_characters,
    require_choice,
    require_collection,
    require_paths,
    text_list,
)
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.device import Precision
from specter_graph.encoder.head import Head
from specter_graph.encoder.input_fields import Parts, covers, words_of
from specter_graph.encoder.model import CHUNK, TransformerModel
from specter_graph.encoder.model_files import (
    RECORD_FILE,
    BaseOptions,
    Pooling,
    TransformerFolder,
    read_base,
)
from specter_graph.encoder.model_record import (
    BaseRecord,
    ModelRecord,
    fine_tuned_folder,
    read_record,
)
from specter_graph.encoder.static_model import load_base
from specter_graph.loaders.records import PaperText


class Encoder:
    """Encodes papers and texts with a trained or untrained model; see `load` and `base`.

    Attributes:
        model: The Transformer.
        record: The record of the training; None for an untrained base.
        head: The head of a model of mode `head`.
        truncate_dim: The dimension to which vectors are truncated, if any.
    """

    def __init__(
        self,
        model: TransformerModel,
        record: ModelRecord | None = None,
        head: Head | None = None,
        folder: Path | None = None,
        truncate_dim: int | None = None,
    ) -> None:
        if isinstance(model, str | Path):
            raise InputError(
                f"{str(model)!r} is a name, not a model", f"Encoder.load({str(model)!r})"
            )
        self.model = model
        self.record = record
        self.head = head
        self.truncate_dim = truncate_dim
        self._folder = folder

    def __repr__(self) -> str:
        return f"<Encoder {self.name!r}: {self.kind}, {self.dimension} dimensions>"

    @classmethod
    def load(
        cls,
        name: Path | str | None = None,
        *,
        base: str | None = None,
        pooling: Pooling | None = None,
        truncate_dim: int | None = None,
        precision: Literal["auto"] | Precision = "auto",
        document_prompt: str | None = None,
        query_prompt: str | None = None,
    ) -> "Encoder":
        """Load a model directory, or an untrained base.

            Encoder.load("model").encode(["Measurement of the top quark mass"])

        Args:
            name: A MODEL_DIR, or a folder or hub name of a base; None is the offline MiniLM.
                `NAME#64` truncates vectors to 64 dimensions, `BASE+ADAPTER+QUERY_ADAPTER` adds
                task adapters (see `find_base`). `static` is distilled from MiniLM, `static:BASE`
                from another base (see `static_model`).
            base: The path of the base of a head, if it has moved.
            pooling: `cls`, `mean` or `max`, of a base; by default that of its folder.
            truncate_dim: The number of leading dimensions to keep, see `truncate`.
            precision: The arithmetic of the Transformer, see `TransformerModel`.
            document_prompt: The text before each paper, by default that of the folder.
            query_prompt: The text before each query, by default that of the folder.

        Raises:
            ModelError: The folder is damaged, the base is missing or not the one of the training,
                a trained model has another `pooling` or `document_prompt`, or `truncate_dim` is not
                a number of its dimensions.
            InputError: `pooling` or `precision` is unknown.
        """
        require_choice("precision", precision, ("auto", *get_args(Precision)))
        if name is not None:
            require_paths('Encoder.load("model")', name=name)
        text = str(name or "")
        stem, _, dimension = text.rpartition("#")
        if stem and dimension.isdecimal() and not Path(text).exists():
            name, truncate_dim = stem, int(dimension)
        if name and (base or (Path(name) / RECORD_FILE).is_file()):
            encoder = cls._load_trained(Path(name), base)
            if pooling not in (None, encoder.card.pooling):
                raise ModelError(
                    f"{name} was trained to pool by {encoder.card.pooling}, not by {pooling}",
                    f"train another: specter-graph train --set base.pooling={pooling}",
                )
        else:
            encoder = cls(load_base(str(name) if name else None, pooling=pooling))
        encoder._set_prompts(document_prompt, query_prompt)
        encoder.model.precision = precision
        return encoder if truncate_dim is None else encoder.truncate(truncate_dim)

    @classmethod
    def base(
        cls,
        name: Path | str | None = None,
        *,
        revision: str | None = None,
        **options: Unpack[BaseOptions],
    ) -> "Encoder":
        """Load a Transformer to train: an untrained base, or a model of mode `full`.

        Args:
            name: A name on the Hugging Face Hub, a folder, or a MODEL_DIR; None is the offline
                MiniLM.
            revision: Branch, tag or commit of a hub name.
            **options: `pooling`, `max_length` and others, see `static_model.load_base`.

        Raises:
            ModelError: The base does not exist, or is a model of mode `head`.
            InputError: An option is unknown, or has an invalid value.
        """
        if name is not None:
            require_paths('Encoder.base("MODEL")', name=name)
        if name is None or not (Path(name) / RECORD_FILE).is_file():
            return cls(load_base(str(name) if name else None, revision=revision, **options))
        trained = cls._load_trained(Path(name))
        record, path = trained.record, trained.model.folder.path
        if record is None or record.mode == "head":
            raise ModelError(
                f"{name} is a head: its Transformer was not trained",
                f"use its base, {trained.card.base}, or a model of mode full",
            )
        if revision:
            raise ModelError(f"the model directory {name} has no revisions", "omit the revision")
        options["max_length"] = options.get("max_length") or record.base.max_length
        folder = read_base(trained.name, None, path, **options)
        return cls(TransformerModel(folder), record, None, Path(trained.name))

    @classmethod
    def _load_trained(cls, folder: Path, base: str | None = None) -> "Encoder":
        record, head = read_record(folder), None
        if record.mode == "reranker":
            raise ModelError(
                f"{folder} is a reranker, which scores pairs of texts",
                f"specter-graph search TEXT --rerank {folder}",
            )
        if record.mode == "head":
            head = Head.load(folder, record)
            model = _recorded_base(record, base)
        else:
            model = TransformerModel(fine_tuned_folder(folder, record.base))
            record.require_digest(folder, model.folder.digest)
        return cls(model, record, head, folder.resolve())

    def _set_prompts(self, document: str | None, query: str | None) -> None:
        own = self.prompts
        if self.record and document not in (None, own.document):
            raise ModelError(
                f"{self.name} was trained with the prompt {own.document!r} before papers, not"
                f" {document!r}",
                "omit the prompt of papers, or train again from a base with this prompt",
            )
        document, query = (
            old if new is None else new
            for new, old in ((document, own.document), (query, own.query))
        )
        if own != (prompts := Prompts(document, query)):  # a new folder hashes its files again
            self.model.folder = replace(self.model.folder, prompts=prompts)

    def truncate(self, dimension: int) -> "Encoder":
        """Return an encoder that truncates vectors to their first dimensions.

        If the model normalizes vectors, they are normalized again. The setting `matryoshka` of the
        recipe lists the dimensions that a model was trained for. Raises ModelError beyond the full
        dimension.
        """
        if not 0 < dimension <= self._full_dimension:
            raise ModelError(
                f"vectors of {self._full_dimension} dimensions cannot be truncated to {dimension}",
                f"choose a dimension from 1 to {self._full_dimension}",
            )
        truncate_dim = dimension if dimension < self._full_dimension else None
        return Encoder(self.model, self.record, self.head, self._folder, truncate_dim)

    @property
    def name(self) -> str:
        """The argument of `load`: the absolute path of the model directory, or the base's name."""
        name = str(self._folder) if self._folder else self.model.folder.name
        return f"{name}#{self.truncate_dim}" if self.truncate_dim else name

    @property
    def _origin(self) -> BaseRecord | TransformerFolder:
        """The base that training started from, or the untrained model itself."""
        return self.record.base if self.record else self.model.folder

    @property
    def parts(self) -> Parts:
        """The parts of a paper that the model reads."""
        return self.model.folder.parts

    @property
    def prompts(self) -> Prompts:
        """The texts before papers and before queries."""
        return self.model.folder.prompts

    @property
    def kind(self) -> Literal["base", "head", "full"]:
        """The mode of the training, or `base`."""
        mode = self.record.mode if self.record else "base"
        assert mode != "reranker"  # `load` refuses it
        return mode

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.truncate_dim or self._full_dimension

    @property
    def _full_dimension(self) -> int:
        return self.record.dimension if self.record else self.model.folder.dimension

    @property
    def digest(self) -> str:
        """SHA-256 of all that determines a vector; equal digests mean comparable vectors."""
        digest = self.record.digest if self.record else self.model.folder.digest
        cut = self.truncate_dim
        return sha256(f"{digest} {cut}".encode()).hexdigest() if cut else digest

    @property
    def card(self) -> EncoderCard:
        """The facts about the encoder that embedding spaces record."""
        base, record = self._origin, self.record
        card = EncoderCard(
            name=self.name,
            digest=self.digest,
            dimension=self.dimension,
            kind=self.kind,
            base=base.name,
            base_digest=base.digest,
            revision=base.revision,
            pooling=base.pooling,
            precision=self.model.used or "",
            parts=self.parts,
            prompts=self.prompts,
        )
        if record is None:
            return card
        return replace(
            card,
            mined=record.mined,
            learned_from=tuple(record.learned_from),
            trained_on=record.corpus,
            holdout=record.holdout,
            split=record.split,
        )

    def encode(
        self,
        texts: Sequence[PaperText | str] | PaperText | str,
        progress: Progress = silent,
    ) -> Vectors:
        """Encode papers or texts into vectors, with the prompt of papers.

        Args:
            texts: n papers, or strings, which are encoded like titles; or a single one.
            progress: Called with the stage `encode`.

        Returns:
            (n, dimension) float32; (dimension,) for a single paper or text.

        Raises:
            InputError: An entry is neither a text nor a paper with a title and an abstract, or the
                papers are in a frame.
        """
        if isinstance(texts, str | PaperText) or _is_paper(texts):
            return np.asarray(self.encode([texts], progress)[0], np.float32)
        hint = "give texts, or PaperText(id, title, abstract)"
        require_collection("texts", texts, hint)
        papers = [PaperText("", text) if isinstance(text, str) else text for text in texts]
        for paper in papers:
            if not _is_paper(paper):  # such as a hit of a search, or a dict
                raise InputError(
                    f"texts has a {type(paper).__name__}, not a text or a paper with a title", hint
                )
            require_characters("texts", paper.title)
        return self.apply_head(papers, self.model.encode(papers, progress))

    def encode_query(self, texts: Sequence[str] | str) -> Vectors:
        """Encode queries.

        With a prompt or an adapter of queries, the input of the Transformer is the prompt and the
        text. Without them, a text is encoded like a title: the model compares papers with papers.

        Args:
            texts: n texts, or a single one.

        Returns:
            (n, dimension) float32; (dimension,) for a single text.
        """
        if isinstance(texts, str):
            return np.asarray(self.encode_query([texts])[0], np.float32)
        texts = text_list("texts", texts)
        model = self.model.query_model
        if not self.prompts.query and model is self.model:
            return self.encode(texts)
        require_characters("texts", *texts)
        base_vectors = model.encode([self.prompts.query + text for text in texts])
        return self.apply_head([PaperText("", text) for text in texts], base_vectors)

    def apply_head(self, papers: Sequence[PaperText], base_vectors: Vectors) -> Vectors:
        """Return the vectors of papers whose base vectors are known.

        Args:
            papers: n papers; the features of a head are made from their texts.
            base_vectors: (n, d) float32, the vectors of the papers under the base.

        Returns:
            (n, dimension) float32; the base vectors if the encoder has no head.

        Raises:
            ModelError: `base_vectors` have another shape.
            InputError: A base vector has a value that is not finite.
        """
        if base_vectors.shape != (len(papers), self.model.folder.dimension):
            raise ModelError(
                f"base vectors of shape {base_vectors.shape} for {counted(len(papers), 'paper')}"
                f" and a base of dimension {self.model.folder.dimension}"
            )
        if not (is_finite := np.isfinite(base_vectors).all(axis=1)).all():
            raise InputError(
                f"row {is_finite.argmin()} of `base_vectors` has a NaN or an infinite value",
                "encode the papers instead",
            )
        if self.head is None:
            return self._truncate(base_vectors)
        vectors = np.empty((len(papers), self.dimension), np.float32)
        for start in range(0, len(papers), CHUNK):
            part = slice(start, start + CHUNK)
            words = words_of(papers[part], self.parts)
            vectors[part] = self._truncate(self.head.apply(base_vectors[part], words))
        return vectors

    def covers(self, text: str) -> bool:
        """Return True if the tokenizer knows the words of a text, so that its vector is meaningful.

        False if more than half of its word pieces are unknown, or if more than half of its letters
        belong to scripts of which the vocabulary has only single characters. Single letters do not
        count.
        """
        return text.isascii() or covers(self.model.tokenizer, self.model.scripts, text)

    def _truncate(self, vectors: Vectors) -> Vectors:
        if self.truncate_dim is None:
            return vectors
        cut = np.ascontiguousarray(vectors[:, : self.truncate_dim])
        return unit(cut) if self.head or self.model.folder.normalize else cut


def _is_paper(value: object) -> TypeGuard[PaperText]:
    """Return True for an object with a title and an abstract, such as a Paper."""
    title, abstract = getattr(value, "title", None), getattr(value, "abstract", value)
    return isinstance(title, str) and isinstance(abstract, str | None)


def _recorded_base(record: ModelRecord, name: str | None) -> TransformerModel:
    """Load the base that a head was trained on; with another base its vectors are noise."""
    recorded = record.base
    try:
        base = Encoder.base(
            name or recorded.name,
            revision=None if name else recorded.revision,
            pooling=recorded.pooling,
            max_length=recorded.max_length,
            parts=recorded.parts,
            separate_parts=recorded.separate_parts,
            prompts=recorded.prompts,
        ).model
    except ModelError as error:
        raise ModelError(
            f"the base model of the head is missing: {error.message}",
            "if it has moved, pass its path: Encoder.load(MODEL_DIR, base=PATH)",
        ) from error
    if base.folder.digest != recorded.digest:
        raise ModelError(
            f"the base model {base.folder.name} is not the one that the head was trained on",
            f"use {recorded.name}, revision {recorded.revision}, digest {recorded.digest[:12]}",
        )
    return base
