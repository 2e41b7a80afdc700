"""Embedding of the papers in the graph: encode their texts and store the vectors."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Protocol, TypeAlias, cast

import numpy as np

from specter_graph.core.encoder_card import EncoderCard
from specter_graph.core.progress import Progress, batches, map_ahead, silent
from specter_graph.core.vectors import Vectors
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import (
    IndexSettings,
    await_index,
    create_index,
    next_name,
)
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    find_space,
    list_spaces,
    outdated_ids,
    read_vectors,
    record_space,
    remove_vectors,
    replace_vectors,
    space_lock,
    text_hash,
    write_vectors,
)
from specter_graph.graph.split import HOLDOUT, split_digest, valid_holdout
from specter_graph.loaders.records import PaperText

CHUNK = 500
"""Papers per chunk. One chunk is encoded while another is written; an interruption loses both."""

Chunk: TypeAlias = tuple[list[PaperText], Vectors | None]
"""Papers to encode, and their base vectors (n, d) if they are stored."""
Encoded: TypeAlias = tuple[list[PaperText], Vectors, str | None]
"""Papers, their vectors (n, dimension), and the precision of the Transformer.

The precision is None if the base vectors are stored: their space records their precision.
"""
EncodeChunks: TypeAlias = Callable[[Iterator[Chunk]], Iterator[Encoded]]
"""Encodes the papers of a graph; in any order, and not necessarily in the same chunks."""


class PaperEncoder(Protocol):
    """The interface of an encoder of papers; `encoder.Encoder` implements it.

    `LiteratureGraph.embed` makes one of any object that encodes texts, see `TextEncoder`.

    Attributes:
        card: The facts about the encoder that the record of a space stores.
    """

    @property
    def card(self) -> EncoderCard: ...  # noqa: D102

    def encode(self, texts: Sequence[PaperText], progress: Progress = silent) -> Vectors:
        """Encode papers to (n, dimension) float32."""


class HeadEncoder(PaperEncoder, Protocol):
    """An encoder of the kind "head", which can start from stored vectors of its base."""

    def apply_head(self, papers: Sequence[PaperText], base_vectors: Vectors) -> Vectors:
        """Return (n, dimension) float32 of papers whose base vectors are (n, d)."""


@dataclass(frozen=True, slots=True)
class EmbedSummary:
    """The result of an embedding run.

    Attributes:
        space: The space.
        embedded: Papers that got a vector.
        unchanged: Papers that already had a vector of this model and text.
        reused: Embedded papers whose base vectors were already stored.
        replaced: True if the space held the vectors of another model before.
        seconds: Duration.
        untitled: Papers without a title, which get no vector.
    """

    space: str
    embedded: int
    unchanged: int
    reused: int
    replaced: bool
    seconds: float
    untitled: int = 0


def embed(
    db: Database,
    encoder: PaperEncoder,
    space: str = "specter",
    progress: Progress = silent,
    index: IndexSettings | None = None,
    holdout: float = HOLDOUT,
    encode_chunks: EncodeChunks | None = None,
    writers: int = 1,
) -> EmbedSummary:
    """Embed the papers that are new, or whose text or model has changed.

    All papers with a title are embedded, including held-out ones. An interrupted run loses at most
    1,000 papers; the next run continues it. The vectors of another model are first stored next to
    the old ones, which remain searchable until the new ones are complete (see `spaces`). If another
    command writes the space, the run waits for it to end.

    Args:
        db: The graph.
        encoder: Computes the vectors.
        space: The space to update.
        progress: Called with the number of papers.
        index: Settings of the vector index.
        holdout: For a base model that reads the titles of references: the papers held out under
            this share have no references. A trained model uses the hold-out of its training.
        encode_chunks: Encodes the papers elsewhere than in this process.
        writers: Transactions that write at the same time, each the vectors of other papers.
    """
    started = monotonic()
    card = encoder.card
    if card.kind != "base" or not _reads_citations(card):
        holdout = valid_holdout(card.holdout, card.split, split_digest(db))
    with space_lock(db, space):
        before = find_space(db, space)
        if before and before.replacing:
            replace_vectors(db, before)
        replaced = before is not None and before.digest != card.digest
        if before and not replaced and before.holdout not in (0.0, holdout):
            # Until the end, some vectors are from texts of one hold-out and some of the other.
            record_space(db, replace(before, holdout=0.0))
        target = next_name(space) if replaced else space
        source = _find_base_space(db, card)
        changed = _ChangedPapers(db, card, target, source, holdout, progress, stats(db).papers)
        encode_chunks = encode_chunks or partial(_encode_chunks, encoder, changed.chunk_progress)

        def write(encoded: Encoded) -> tuple[int, str]:
            texts, vectors, precision = encoded
            hashes = [text_hash(card.digest, text) for text in texts]
            write_vectors(db, target, [text.id for text in texts], vectors, hashes)
            return len(texts), source.precision if source and precision is None else precision or ""

        embedded, precisions = 0, set[str]()
        encoded = encode_chunks(changed.chunks())
        for size, precision in map_ahead(write, encoded, threads=writers, ahead=writers):
            precisions.add(precision)
            embedded += size
        seen = changed.seen
        progress("embed", seen, seen)
        if embedded < seen:
            precisions.add(before.precision if before and not replaced else "")
        record = space_record(card, space, holdout, precisions)
        if replaced:
            replace_vectors(db, record)
        create_index(db, space, card.dimension, index)
        # Record the space before waiting: the vectors are complete, but an index may take hours.
        is_new = before is None or replace(before, created=record.created) != record
        if not replaced and (embedded or is_new):
            record_space(db, record)
        await_index(db, space, progress)
        remove_vectors(db, next_name(space))
    seconds = monotonic() - started
    untitled = max(changed.total - seen, 0)
    return EmbedSummary(
        space, embedded, seen - embedded, changed.reused, replaced, seconds, untitled
    )


@dataclass(slots=True)
class _ChangedPapers:
    """The papers of a graph whose text or model has changed.

    Attributes:
        total: Papers with a record.
        seen: Papers read so far.
        reused: Papers so far whose base vectors are stored.
    """

    db: Database
    card: EncoderCard
    target: str
    source: EmbeddingSpace | None
    holdout: float
    progress: Progress
    total: int
    seen: int = 0
    reused: int = 0

    def chunks(self) -> Iterator[Chunk]:
        """Yield the papers in the order of their ids, those with base vectors by themselves."""
        db, source = self.db, self.source
        papers = batches(paper_texts(db, None, self.card.parts, self.holdout), CHUNK)
        for texts, changed in map_ahead(self._find_changed, papers, ahead=2):
            todo = [text for text in texts if text.id in changed]
            known = _read_base_vectors(db, source, todo) if source else {}
            if with_base := [text for text in todo if text.id in known]:
                yield with_base, np.stack([known[text.id] for text in with_base])
            if without := [text for text in todo if text.id not in known]:
                yield without, None
            self.seen, self.reused = self.seen + len(texts), self.reused + len(known)
            self.progress("embed", self.seen, max(self.total, self.seen))

    def _find_changed(self, texts: list[PaperText]) -> tuple[list[PaperText], set[str]]:
        """Return the texts, and the ids of those that have changed."""
        hashes = {text.id: text_hash(self.card.digest, text) for text in texts}
        return texts, set(outdated_ids(self.db, self.target, hashes.items()))

    def chunk_progress(self) -> Progress:
        """Return the progress of a chunk, to which the papers before it are added."""
        before, total, progress = self.seen, self.total, self.progress
        return lambda _, done, _of: progress("embed", before + done, max(total, before + done))


def _encode_chunks(
    encoder: PaperEncoder, progress: Callable[[], Progress], chunks: Iterator[Chunk]
) -> Iterator[Encoded]:
    """Encode chunks in this process; `progress` returns the progress of the next chunk."""
    for texts, base in chunks:
        if base is None:
            vectors = encoder.encode(texts, progress())
            yield texts, vectors, encoder.card.precision
        else:
            yield texts, cast(HeadEncoder, encoder).apply_head(texts, base), None


def _find_base_space(db: Database, card: EncoderCard) -> EmbeddingSpace | None:
    """Return the space with the encoder's base vectors, if there is one."""
    if card.kind != "head":
        return None
    return next((each for each in list_spaces(db) if each.digest == card.base_digest), None)


def _read_base_vectors(
    db: Database, source: EmbeddingSpace, texts: list[PaperText]
) -> dict[str, Vectors]:
    """Read the stored base vectors, (d,) each, of the texts that have not changed."""
    hashes = {text.id: text_hash(source.digest, text) for text in texts}
    changed = set(outdated_ids(db, source.name, hashes.items()))
    ids, vectors = read_vectors(
        db, source.name, [text.id for text in texts if text.id not in changed]
    )
    return dict(zip(ids, vectors, strict=True))


def _reads_citations(card: EncoderCard) -> bool:
    return "references" in card.parts


def space_record(
    card: EncoderCard, space: str, holdout: float = HOLDOUT, precisions: Collection[str] = ()
) -> EmbeddingSpace:
    """Return the record of a space with the vectors of an encoder.

    Args:
        card: The encoder.
        space: The space.
        holdout: The hold-out of a base model that reads the titles of references.
        precisions: The precisions of the vectors; "" is an unknown one.
    """
    sees_edges = card.kind != "base" or _reads_citations(card)
    parts, mined = list(card.parts), dict(card.mined)
    return EmbeddingSpace(
        name=space,
        kind=card.kind,
        dimension=card.dimension,
        model=card.name,
        base=card.base,
        digest=card.digest,
        revision=card.revision or "",
        pooling=card.pooling,
        document_prompt=card.prompts.document,
        query_prompt=card.prompts.query,
        precision="" if "" in precisions else ", ".join(sorted(precisions)),
        sees_edges=sees_edges,
        holdout=holdout if card.kind == "base" and sees_edges else card.holdout,
        split=card.split,
        learned_from=card.learned_from,
        trained_on=card.trained_on,
        sources=json.dumps({"base_digest": card.base_digest, "parts": parts, "mined": mined}),
    )
