"""Embedding write-back: the texts of papers through an encoder, onto the papers."""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from specter_graph.core.batching import batches
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import IndexSettings, await_index, create_index
from specter_graph.graph.embeddings.paper_texts import count_papers, paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    Vectors,
    next_name,
    property_name,
    read_vectors,
    record_space,
    recorded,
    remove_vectors,
    replace_vectors,
    spaces,
    stale,
    text_hash,
    write_vectors,
)
from specter_graph.graph.split import HOLDOUT
from specter_graph.loaders.records import PaperText


class WriteBehind:
    """One writer, one write on its way at most: in the order they come, memory flat.

    with WriteBehind() as writer:
        for chunk in chunks:
            vectors = encode(chunk)
            writer.put(lambda: store(vectors))

    What a write raises, the next `put` raises, or the end of the block. A block that is left by an
    error, Ctrl-C too, still waits for the write that is on its way.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "write-behind")
        self._last: Future[None] | None = None

    def put(self, write: Callable[[], None]) -> None:
        """Begin a write, once the one before has ended well."""
        self._await()
        self._last = self._thread.submit(write)

    def _await(self) -> None:
        if self._last is not None:
            self._last.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown()
        if error is None:
            self._await()


CHUNK = 500
"""Papers encoded while as many are written: a kill loses these two chunks at most."""


class PaperEncoder(Protocol):
    """What `embed` asks of an encoder; `encoder.Encoder` is one.

    `name` loads it again. `kind` is "base", "head" or "full"; only a head starts from base vectors,
    those of `base_digest`. `digest` changes whenever the vectors would. `precision` is what the
    Transformer computed in last, empty where there is none. `parts` is what it reads of a paper,
    `mined` what its triplets were mined from, `holdout` the hold-out that it was trained under,
    `learned_from` all that it has learned from (see `EmbeddingSpace`).
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def base_name(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def digest(self) -> str: ...  # noqa: D102
    @property
    def base_digest(self) -> str: ...  # noqa: D102
    @property
    def dimension(self) -> int: ...  # noqa: D102
    @property
    def precision(self) -> str: ...  # noqa: D102
    @property
    def parts(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def mined(self) -> Mapping[str, object]: ...  # noqa: D102
    @property
    def pooling(self) -> str: ...  # noqa: D102
    @property
    def revision(self) -> str | None: ...  # noqa: D102
    @property
    def learned_from(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def holdout(self) -> float: ...  # noqa: D102
    @property
    def fingerprint(self) -> str: ...  # noqa: D102

    def encode(
        self,
        texts: Sequence[PaperText],
        base_vectors: Vectors | None = None,
        progress: Progress = silent,
    ) -> Vectors:
        """Encode papers to (n, dimension) float32; base vectors are (n, d) of the same papers."""


@dataclass(frozen=True, slots=True)
class EmbedSummary:
    """What an embedding run did.

    `kept` papers had a vector of this model and text already; of the `embedded` ones `reused` came
    from stored base vectors. `replaced` says that the space held another model's vectors before.
    `untitled` papers have a record or other properties and no title: they get no vector.
    """

    space: str
    embedded: int
    kept: int
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
) -> EmbedSummary:
    """Bring a space up to date: embed the papers that are new, or whose text or model changed.

    All papers that have a title are embedded, held-out ones too; a chunk is written while the
    next one is encoded. A run that is killed loses 1,000 papers at most, and the next one goes on
    from there. Vectors of another model than the recorded one are built beside the old ones, see
    `spaces`: the old ones are searched until all new ones are there. `index` says how the index is
    built. A model that reads the titles of what papers cite sees none of the papers that were held
    out when it was trained; a base sees none of those held out under `holdout`.
    """
    started = monotonic()
    if encoder.kind != "base" or not _reads_citations(encoder):
        holdout = encoder.holdout
    before = recorded(db, property_name(space))
    if before and before.replacing:
        replace_vectors(db, before)
    replaced = before is not None and before.digest != encoder.digest
    target = next_name(space) if replaced else space
    source = _base_space(db, encoder, space)
    total, seen, embedded, reused = count_papers(db), 0, 0, 0
    precisions: set[str] = set()
    with WriteBehind() as writer:
        for texts in batches(paper_texts(db, None, encoder.parts, holdout), CHUNK):
            hashes = {text.id: text_hash(encoder.digest, text) for text in texts}
            changed = set(stale(db, target, hashes.items()))
            todo = [text for text in texts if text.id in changed]
            known = _base_vectors(db, source, todo) if source else {}
            for part in _parts(todo, known):
                base = np.stack([known[text.id] for text in part]) if part[0].id in known else None
                ids = [text.id for text in part]
                vectors = encoder.encode(part, base, _shifted(progress, seen, total))
                precisions.add(
                    encoder.precision if base is None or not source else source.precision
                )
                marks = [hashes[paper] for paper in ids]
                writer.put(partial(write_vectors, db, target, ids, vectors, marks))
            seen, embedded, reused = seen + len(texts), embedded + len(todo), reused + len(known)
            progress("embed", seen, max(total, seen))
    progress("embed", seen, seen)
    if embedded < seen:
        precisions.add(before.precision if before and not replaced else "")
    record = _record(encoder, space, holdout, precisions)
    if replaced:
        replace_vectors(db, record)
    create_index(db, space, encoder.dimension, index)
    # Recorded before the wait: a server may need hours for an index, and vectors are there.
    if not replaced and (embedded or before is None or not _same(before, record)):
        record_space(db, record)
    await_index(db, space, progress)
    remove_vectors(db, next_name(space))
    seconds = monotonic() - started
    untitled = max(total - seen, 0)
    return EmbedSummary(space, embedded, seen - embedded, reused, replaced, seconds, untitled)


def _same(before: EmbeddingSpace, record: EmbeddingSpace) -> bool:
    return replace(before, created=record.created) == record


def _base_space(db: Database, encoder: PaperEncoder, space: str) -> EmbeddingSpace | None:
    """Find the space with the vectors that the encoder would begin by computing."""
    if encoder.kind != "head":
        return None
    same = (each for each in spaces(db) if each.digest == encoder.base_digest)
    return next((each for each in same if each.property != space), None)


def _base_vectors(
    db: Database, source: EmbeddingSpace, texts: list[PaperText]
) -> dict[str, Vectors]:
    """Read the stored base vectors, (d,) each, of the texts that have not changed since."""
    hashes = {text.id: text_hash(source.digest, text) for text in texts}
    changed = set(stale(db, source.property, hashes.items()))
    ids, vectors = read_vectors(
        db, source.property, [text.id for text in texts if text.id not in changed]
    )
    return dict(zip(ids, vectors, strict=True))


def _parts(texts: list[PaperText], known: dict[str, Vectors]) -> list[list[PaperText]]:
    """Split texts into those with a base vector and those without, leaving out what is empty."""
    with_base = [text for text in texts if text.id in known]
    without = [text for text in texts if text.id not in known]
    return [part for part in (with_base, without) if part]


def _shifted(progress: Progress, before: int, total: int) -> Progress:
    """Count a chunk's papers on from those before it."""
    return lambda _stage, done, _of: progress("embed", before + done, max(total, before + done))


def _reads_citations(encoder: PaperEncoder) -> bool:
    return "references" in encoder.parts


def _record(
    encoder: PaperEncoder, space: str, holdout: float, precisions: set[str]
) -> EmbeddingSpace:
    made_from = {
        "base_digest": encoder.base_digest,
        "parts": list(encoder.parts),
        "mined": dict(encoder.mined),
    }
    return EmbeddingSpace(
        property=space,
        kind=encoder.kind,
        dimension=encoder.dimension,
        model=encoder.name,
        base=encoder.base_name,
        digest=encoder.digest,
        revision=encoder.revision or "",
        pooling=encoder.pooling,
        precision="" if "" in precisions else ", ".join(sorted(precisions)),
        sees_edges=encoder.kind != "base" or _reads_citations(encoder),
        holdout=holdout,
        learned_from=tuple(encoder.learned_from),
        trained_on=encoder.fingerprint,
        sources=json.dumps(made_from),
    )
