"""Embedding in parts: of papers in files, or of the papers in the graph by many processes.

For the graph, the texts are read into parts first, then workers encode them into parts with
vectors, then the vectors are written to the graph. An interrupted run, run again, skips the parts
that are complete.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from specter_graph.core.errors import InputError, ModelError
from specter_graph.core.parts import Part, Parts, Workers, open_parts, read_part, write_part
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model import TransformerModel
from specter_graph.graph.contents import corpus_fingerprint, stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import (
    CHUNK,
    Chunk,
    EmbedSummary,
    Encoded,
    PaperEncoder,
    embed,
)
from specter_graph.graph.embeddings.index import IndexSettings
from specter_graph.graph.embeddings.paper_texts import MAX_BODY_CHARACTERS
from specter_graph.graph.loading.summary import Rejects, record_reject
from specter_graph.loaders import Corpus
from specter_graph.loaders.records import (
    CorpusItem,
    EndOfFile,
    Filtered,
    Paper,
    PaperText,
    Reject,
    UnknownKey,
)
from specter_graph.pipelines.vector_files import (
    Dtype,
    check_format,
    matrix_of,
    vector_table,
    write_vector_file,
)

_MAX_CHUNKS = 4
"""Maximum chunks of papers per part: a lost worker loses one part."""
_PARTS_PER_WORKER = 4
"""Parts per worker if there are few papers, so that all workers end at about the same time."""

WRITERS = 4
"""Transactions at the same time. Each writes other papers, so none waits for a lock of another."""

_LISTS = ("authors", "references")
_SCHEMA = pa.schema(
    [
        (field.name, pa.list_(pa.string()) if field.name in _LISTS else pa.string())
        for field in fields(PaperText)
    ]
)

PAPERS_PER_PART = 1_000
"""Papers per part: an interrupted run loses at most one part."""

MAX_TEXT_LENGTH = 1_000_000
"""Maximum characters of title and abstract; a longer text is an error in the data."""

TEXT_PER_PART = 10_000_000
"""Characters per part: a part of long texts has fewer papers, which limits memory."""

OnSkip = Callable[[str, str], None]
"""A function called with the id of each skipped paper and the reason."""


@dataclass(frozen=True, slots=True)
class EncodeTexts:
    """The encoding of a part with texts to a part with vectors, in a worker with its own model.

    Attributes:
        folder: The folder of the parts.
        digest: The digest that the model must have.
        options: Arguments of `Encoder.load`.
    """

    folder: str
    digest: str
    options: dict[str, Any]
    uses_gpu: bool = True

    def open(self) -> Callable[[Part], Part]:
        """Load the model.

        Raises:
            ModelError: The model is missing here, or is another one.
        """
        encoder = Encoder.load(**self.options)
        if encoder.digest != self.digest:
            raise ModelError(
                f"the model {self.options['name']} of a worker is not that of this machine",
                "copy the model to the same path on all machines, or use a shared disk",
            )
        if encoder.model.precision == "auto":  # a benchmark may choose differently in each worker
            encoder.model.precision = encoder.model.default_precision

        def encode(part: Part) -> Part:
            papers = _make_papers(read_part(self.folder, part))
            vectors = np.concatenate([encoder.encode(chunk) for chunk in batches(papers, CHUNK)])
            table = vector_table(papers, vectors, "float32")
            metadata = {"precision": encoder.model.used or ""}
            return write_part(
                self.folder, _name_vectors(part.name), table.replace_schema_metadata(metadata)
            )

        return encode


def embed_in_parts(
    db: Database,
    encoder: PaperEncoder,
    space: str,
    workers: Workers,
    *,
    index: IndexSettings | None = None,
    progress: Progress = silent,
) -> EmbedSummary:
    """Embed the papers that are new, or whose text or model has changed, by workers.

    The vectors are those of `embed`, in the precision that is set, or else the default of the
    device.

    Args:
        db: The graph; the workers do not open it.
        encoder: An `Encoder`, whose model the workers load by its name.
        space: The space to update.
        workers: The workers; the parts are in the folder `embed-SPACE` of their storage until the
            vectors are in the graph.
        index: Settings of the vector index.
        progress: Called with the number of papers, then with the number of parts.

    Raises:
        InputError: The model exists in this process only, or the parts of an earlier run were made
            of another corpus or with another model.
        ModelError: A worker has another model of this name.
    """
    if not isinstance(encoder, Encoder):
        raise InputError(
            "the workers cannot load this model", "save it, and give the name of its folder"
        )
    prompts, model = encoder.prompts, encoder.model
    identity = {
        "corpus": corpus_fingerprint(db),
        "model": encoder.digest,
        "precision": model.precision,
    }
    options = {
        "name": encoder.name,
        "base": model.folder.name if encoder.kind == "head" else None,
        "pooling": encoder.card.pooling,
        "precision": model.precision,
        "document_prompt": prompts.document,
        "query_prompt": prompts.query,
    }

    def encode_chunks(chunks: Iterator[Chunk]) -> Iterator[Encoded]:
        parts = Parts(f"{workers.storage}/embed-{space}", identity)
        count = workers.count(uses_gpu=True)
        fair_share = stats(db).papers // (CHUNK * _PARTS_PER_WORKER * count)
        size = CHUNK * min(max(fair_share, 1), _MAX_CHUNKS)
        for texts, base in _without_stored(chunks, parts, size):
            yield texts, encoder.apply_head(texts, base), None
        names = [f"{number:06}" for number in range(parts.notes["parts"])]
        work = EncodeTexts(parts.folder, encoder.digest, options)
        tasks = {_name_vectors(name): parts[name] for name in names}
        for _ in parts.compute(tasks, work, workers):
            progress("embed, parts", len(parts) - len(names), len(names))
        for name in names:
            texts, vectors = parts.tables([name, _name_vectors(name)])
            precision = vectors.schema.metadata[b"precision"].decode()
            yield _make_papers(texts), matrix_of(vectors["vector"]), precision
        parts.remove()

    return embed(db, encoder, space, progress, index, encode_chunks=encode_chunks, writers=WRITERS)


def _without_stored(
    chunks: Iterator[Chunk], parts: Parts, size: int
) -> Iterator[tuple[list[PaperText], Vectors]]:
    """Write the texts to parts of `size` papers, and yield the chunks that need no worker.

    These are the papers whose base vectors are stored, with these vectors. All texts are written by
    one run: those of a run that was interrupted meanwhile are written again.
    """
    written, papers = 0, list[PaperText]()
    is_complete = "parts" in parts.notes
    for texts, base in chunks:
        if base is not None:
            yield texts, base
        elif not is_complete:
            papers += texts
            if len(papers) >= size:
                _write_texts(parts, written, papers)
                written, papers = written + 1, []
    if not is_complete:
        if papers:
            _write_texts(parts, written, papers)
            written += 1
        parts.record(notes={"parts": written})


def _write_texts(parts: Parts, number: int, papers: list[PaperText]) -> None:
    table = pa.Table.from_pylist([asdict(paper) for paper in papers], _SCHEMA)
    parts.add(write_part(parts.folder, f"{number:06}", table))


def _make_papers(table: pa.Table) -> list[PaperText]:
    return [
        PaperText(**row | {name: tuple(row[name]) for name in _LISTS}) for row in table.to_pylist()
    ]


def _name_vectors(name: str) -> str:
    return f"{name}-vectors"


@dataclass(slots=True)
class FileEmbedSummary:
    """Counts of the records: records = embedded + skipped + rejected.

    Attributes:
        skipped: Papers skipped because their text is empty or too long.
        repaired: Values that loaders corrected; their records count as embedded.
        title_only: Embedded papers without an abstract.
        others: Items that are not papers (citations, separate abstracts, reader events); they do
            not count as records.
        rejects: The file of the rejected and repaired records, if there are any.
        before: Records processed by an earlier run of the same command.
    """

    path: str
    model: str
    digest: str
    dimension: int
    dtype: Dtype
    records: int = 0
    embedded: int = 0
    skipped: int = 0
    rejected: int = 0
    repaired: int = 0
    title_only: int = 0
    others: int = 0
    rejects: str | None = None
    before: int = 0
    seconds: float = 0.0


def embed_files(
    encoder: Encoder | Path | str,
    corpus: Corpus,
    path: Path | str,
    *,
    dtype: Dtype = "float32",
    strip_id_prefix: bool = False,
    rejects: Path | str | None = None,
    on_skip: OnSkip = lambda paper, reason: None,
    progress: Progress = silent,
) -> FileEmbedSummary:
    """Embed the papers of a corpus, in its order, into a .jsonl, .jsonl.gz or .parquet file.

    Memory does not grow with the corpus. The same call continues an interrupted run, which loses at
    most PAPERS_PER_PART papers.

    Args:
        encoder: The model, or its name or path.
        corpus: The papers, from `open_corpus`.
        path: The file, which is created or replaced when it is complete.
        dtype: Type of the stored vectors; only .parquet files support others than float32.
        strip_id_prefix: Write Semantic Scholar ids without `s2:`.
        rejects: File for the rejected records.
        on_skip: Called with the id of each skipped paper and the reason.
        progress: Called with the number of bytes read.

    Raises:
        InputError: The file cannot be written, or the parts of an earlier run were made with
            another model or input.
    """
    started = time.monotonic()
    path = Path(path)
    check_format(path, dtype)
    if isinstance(encoder, Path | str):
        encoder = Encoder.load(encoder)
    if any(Path(file.name).resolve() == path.resolve() for file in corpus.files):
        raise InputError(f"{path} is one of the files to read", "name another file")
    identity = {
        "model": encoder.digest,
        # Resuming counts items from the first file, so the order of the files matters.
        "input": " ".join([corpus.key, *(file.key for file in corpus.files)]),
        "precision": encoder.model.precision,
        "dtype": dtype,
        "format of ids": "bare" if strip_id_prefix else "prefixed",
        "file of rejects": os.path.realpath(rejects) if rejects else "",
    }
    with open_parts(path, identity) as parts, _use_precision(encoder.model, parts):
        summary = FileEmbedSummary(
            str(path), encoder.name, encoder.digest, encoder.dimension, dtype
        )
        if earlier := parts.notes.get("counts"):
            summary = FileEmbedSummary(**earlier | {"before": earlier["records"]})
        with Rejects(rejects, append=summary.rejects is not None) as rejected_records:
            _Run(encoder, parts, rejected_records, summary, on_skip, strip_id_prefix).read(
                corpus, progress
            )
        prompts = encoder.prompts
        about = {
            "model": encoder.name,
            "digest": encoder.digest,
            "base": encoder.card.base,
            "document_prompt": prompts.document,
            "query_prompt": prompts.query,
        }
        write_vector_file(parts.tables(), path, about)
        parts.remove()
    summary.seconds = time.monotonic() - started
    return summary


@contextmanager
def _use_precision(base: TransformerModel, parts: Parts) -> Iterator[None]:
    """Compute in the precision that an earlier run chose as the fastest, if there was one."""
    before = base.precision
    base.precision = parts.notes.get("precision") or before
    try:
        yield
    finally:
        base.precision = before


@dataclass(slots=True)
class _Run:
    """A run that reads the items of a corpus and writes a part for every PAPERS_PER_PART papers."""

    encoder: Encoder
    parts: Parts
    rejected_records: Rejects
    summary: FileEmbedSummary
    on_skip: OnSkip
    strip_id_prefix: bool
    chunk: list[PaperText] = field(default_factory=list)
    length: int = 0

    def read(self, corpus: Corpus, progress: Progress) -> None:
        """Embed the papers after the items that earlier runs processed."""
        items = self.parts.notes.get("items", 0)
        for item in islice(corpus, items, None):
            items += 1
            self._take_item(item)
            if len(self.chunk) >= PAPERS_PER_PART or self.length >= TEXT_PER_PART:
                self._write_part(items)
                progress("embed, bytes read", corpus.done, corpus.size)
        self._write_part(items)
        progress("embed, bytes read", corpus.size, corpus.size)

    def _take_item(self, item: CorpusItem) -> None:
        summary = self.summary
        if isinstance(item, Reject):
            record_reject(item, summary, self.rejected_records)
        elif isinstance(item, Paper):
            summary.records += 1
            if reason := unreadable(item):
                summary.skipped += 1
                self.on_skip(item.id, reason)
                return
            summary.title_only += not item.abstract
            paper = item.id.removeprefix("s2:") if self.strip_id_prefix else item.id
            self.chunk.append(
                PaperText(
                    paper,
                    item.title,
                    item.abstract,
                    venue=item.venue.name if item.venue else None,
                    authors=tuple(author.name for author in item.authors),
                    body=(item.body or "")[:MAX_BODY_CHARACTERS],
                )
            )
            self.length += text_length(item)
        elif not isinstance(item, UnknownKey | EndOfFile | Filtered):
            summary.others += 1

    def _write_part(self, items: int) -> None:
        """Write a part, possibly empty at the end, with the number of items read so far."""
        vectors = self.encoder.encode(self.chunk)
        self.summary.embedded += len(self.chunk)
        notes = {
            "items": items,
            "counts": asdict(self.summary),
            "precision": self.encoder.model.fixed_precision,
        }
        self.rejected_records.flush()
        self.parts.append(vector_table(self.chunk, vectors, self.summary.dtype), notes)
        self.chunk.clear()
        self.length = 0


def unreadable(paper: Paper) -> str | None:
    """Return the reason why a paper's text cannot be embedded, or None."""
    length = text_length(paper)
    if length > MAX_TEXT_LENGTH:
        return f"its text is {length:,} characters long, more than {MAX_TEXT_LENGTH:,}"
    if not paper.title.strip() and not (paper.abstract or "").strip():
        return "its text is empty"
    return None


def text_length(paper: Paper) -> int:
    """Count the characters that an encoder reads."""
    return (
        len(paper.title) + len(paper.abstract or "") + len((paper.body or "")[:MAX_BODY_CHARACTERS])
    )
