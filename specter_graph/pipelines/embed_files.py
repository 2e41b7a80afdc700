"""Embedding of the papers in files into a file of vectors, without a database."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.core.parts import Parts, open_parts
from specter_graph.core.progress import Progress, silent
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model import TransformerModel
from specter_graph.graph.embeddings.paper_texts import MAX_BODY_CHARACTERS
from specter_graph.graph.loading.summary import Rejects, record_reject, resumed_rejects_file
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
    vector_table,
    write_vectors,
)

CHUNK = 1_000
"""Papers per part: an interrupted run loses at most one part."""

MAX_TEXT_LENGTH = 1_000_000
"""Maximum characters of title and abstract; a longer text is an error in the data."""

CHUNK_TEXT = 10_000_000
"""Characters per part: a part of long texts has fewer papers, which limits memory."""

OnSkip = Callable[[str, str], None]
"""A function called with the id of each skipped paper and the reason."""


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
    encoder: Encoder,
    corpus: Corpus,
    output: Path,
    *,
    dtype: Dtype = "float32",
    strip_id_prefix: bool = False,
    rejects: Path | None = None,
    on_skip: OnSkip = lambda paper, reason: None,
    progress: Progress = silent,
) -> FileEmbedSummary:
    """Embed the papers of a corpus, in its order, into a .jsonl, .jsonl.gz or .parquet file.

    Memory does not grow with the corpus. The same call continues an interrupted run, which loses at
    most CHUNK papers.

    Args:
        encoder: Computes the vectors.
        corpus: The papers, from `open_corpus`.
        output: The file, which is created or replaced when it is complete.
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
    check_format(output, dtype)
    if any(Path(file.name).resolve() == output.resolve() for file in corpus.files):
        raise InputError(f"{output} is one of the files to read", "name another file")
    identity = {
        "model": encoder.digest,
        # Resuming counts items from the first file, so the order of the files matters.
        "input": " ".join([corpus.key, *(file.key for file in corpus.files)]),
        "precision": encoder.model.precision,
        "dtype": dtype,
        "format of ids": "bare" if strip_id_prefix else "prefixed",
        "file of rejects": os.fspath(rejects.resolve()) if rejects else "",
    }
    with open_parts(output, identity) as parts, _precision(encoder.model, parts):
        summary = FileEmbedSummary(
            str(output), encoder.name, encoder.digest, encoder.dimension, dtype
        )
        if earlier := parts.notes.get("counts"):
            summary = FileEmbedSummary(**earlier | {"before": earlier["records"]})
        with resumed_rejects_file(rejects, parts.notes.get("rejects", 0)) as rejected_records:
            _Run(encoder, parts, rejected_records, summary, on_skip, strip_id_prefix).read(
                corpus, progress
            )
        prompts = encoder.prompts
        about = {
            "model": encoder.name,
            "digest": encoder.digest,
            "base": encoder.base_name,
            "document_prompt": prompts.document,
            "query_prompt": prompts.query,
        }
        write_vectors(parts.tables(), output, about)
        parts.remove()
    summary.seconds = time.monotonic() - started
    return summary


@contextmanager
def _precision(base: TransformerModel, parts: Parts) -> Iterator[None]:
    """Compute in the precision that an earlier run chose as the fastest, if there was one."""
    before = base.precision
    base.precision = parts.notes.get("precision") or before
    try:
        yield
    finally:
        base.precision = before


@dataclass(slots=True)
class _Run:
    """A run that reads the items of a corpus and writes a part for each CHUNK of papers."""

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
            self._take(item)
            if len(self.chunk) >= CHUNK or self.length >= CHUNK_TEXT:
                self._write(items)
                progress("embed, bytes read", corpus.done, corpus.size)
        self._write(items)
        progress("embed, bytes read", corpus.size, corpus.size)

    def _take(self, item: CorpusItem) -> None:
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

    def _write(self, items: int) -> None:
        """Write a part, possibly empty at the end, with the number of items read so far."""
        vectors = self.encoder.encode(self.chunk)
        self.summary.embedded += len(self.chunk)
        notes = {
            "items": items,
            "counts": asdict(self.summary),
            "rejects": self.rejected_records.flushed_size(),
            "precision": self.encoder.model.fixed_precision,
        }
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
