"""Files of papers in, a file of vectors out; no database in between, memory flat."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.resumable_file import Unfinished, unfinished
from specter_graph.encoder import BaseModel, Encoder
from specter_graph.graph.embeddings.paper_texts import MOST_LETTERS
from specter_graph.graph.loading.rejects import Rejects, rejects_file
from specter_graph.graph.loading.summary import put_aside
from specter_graph.loaders import Corpus
from specter_graph.loaders.records import (
    EndOfFile,
    Filtered,
    Paper,
    PaperText,
    Read,
    Reject,
    UnknownKey,
)
from specter_graph.pipelines.vector_files import Dtype, VectorFile, vector_file

CHUNK = 1_000
"""Papers; what a kill loses at most."""

LONGEST_TEXT = 1_000_000
"""Characters of title and abstract; a longer text is no abstract, but something gone wrong."""

CHUNK_TEXT = 10_000_000
"""Characters; of long texts a chunk has fewer papers, so that memory stays flat."""

LeftOut = Callable[[str, str], None]
"""Is told the id of each paper that is left out, and why."""


@dataclass(slots=True)
class FileEmbedSummary:
    """What became of the records: records = embedded + left_out + rejected.

    `left_out` papers have an empty or a huge text. `repaired` are values that loaders mended; their
    records count as embedded. `title_only` of the embedded had no abstract. `others` are items that
    are no papers (citations, abstracts told apart, readings): they are no records here. `rejects`
    is the file that keeps the rejected and the repaired, if there are any. `before` records were
    done by an earlier run of the same command.
    """

    path: str
    model: str
    digest: str
    dimension: int
    dtype: Dtype
    records: int = 0
    embedded: int = 0
    left_out: int = 0
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
    bare_ids: bool = False,
    rejects: Path | None = None,
    left_out: LeftOut = lambda paper, reason: None,
    progress: Progress = silent,
) -> FileEmbedSummary:
    """Embed the papers of a corpus, in its order, into a .jsonl, .jsonl.gz or .parquet file.

    `bare_ids` takes the `s2:` off Semantic Scholar's ids. A run that was killed loses a chunk at
    most: the same call goes on. `output` appears, or is replaced, when it is whole. Raises
    InputError where it cannot be written, or an unfinished one is of another model or input.
    """
    started = time.monotonic()
    if any(Path(part.name).resolve() == output.resolve() for part in corpus.parts):
        raise InputError(f"{output} is read: it cannot be written too", "name another file")
    about = {"model": encoder.name, "digest": encoder.digest, "base": encoder.base_name}
    form = vector_file(output, dtype, encoder.dimension, about)
    identity = {
        "model": encoder.digest,
        # What is done is counted from the first file on: their order is a part of the input.
        "input": " ".join([corpus.key, *(part.key for part in corpus.parts)]),
        "precision": encoder.base.precision,
        "dtype": dtype,
        "way to write ids": "bare" if bare_ids else "as they are",
        "file of rejects": os.fspath(rejects.resolve()) if rejects else "",
    }
    with unfinished(output, identity) as growing, _as_begun(encoder.base, growing):
        done = growing.notes.get("counts")
        summary = (
            FileEmbedSummary(**done | {"before": done["records"]})
            if done
            else FileEmbedSummary(
                str(output), encoder.name, encoder.digest, encoder.dimension, dtype
            )
        )
        with _rejects(rejects, growing.notes.get("rejects", 0)) as kept:
            run = _Run(encoder, form, growing, kept, summary, left_out, bare_ids)
            run.read(corpus, progress)
        growing.finish(form.finish)
    summary.seconds = time.monotonic() - started
    return summary


@contextmanager
def _as_begun(base: BaseModel, growing: Unfinished) -> Iterator[None]:
    """Compute in the precision that an earlier run has settled on, if one has."""
    asked = base.precision
    base.precision = growing.notes.get("precision") or asked
    try:
        yield
    finally:
        base.precision = asked


@contextmanager
def _rejects(path: Path | None, size: int) -> Iterator[Rejects]:
    """Go on after the first `size` bytes, which are those of the chunks that are done."""
    if path and path.exists() and path.stat().st_size > size > 0:
        os.truncate(path, size)
    with rejects_file(path, append=size > 0) as kept:
        yield kept


@dataclass(slots=True)
class _Run:
    """Takes the items of a corpus one by one and writes a chunk when it is full."""

    encoder: Encoder
    form: VectorFile
    growing: Unfinished
    kept: Rejects
    summary: FileEmbedSummary
    left_out: LeftOut
    bare_ids: bool
    chunk: list[PaperText] = field(default_factory=list)
    length: int = 0

    def read(self, corpus: Corpus, progress: Progress) -> None:
        """Embed what comes after the items that are done."""
        items = self.growing.notes.get("items", 0)
        for item in islice(corpus, items, None):
            items += 1
            self._take(item)
            if len(self.chunk) >= CHUNK or self.length >= CHUNK_TEXT:
                self._write(items)
                progress("embed, bytes read", corpus.done, corpus.size)
        self._write(items)
        progress("embed, bytes read", corpus.size, corpus.size)

    def _take(self, item: Read) -> None:
        summary = self.summary
        if isinstance(item, Reject):
            put_aside(item, summary, self.kept)
        elif isinstance(item, Paper):
            summary.records += 1
            if reason := unreadable(item):
                summary.left_out += 1
                self.left_out(item.id, reason)
                return
            summary.title_only += not item.abstract
            paper = item.id.removeprefix("s2:") if self.bare_ids else item.id
            self.chunk.append(
                PaperText(
                    paper,
                    item.title,
                    item.abstract,
                    venue=item.venue.name if item.venue else None,
                    authors=tuple(author.name for author in item.authors),
                    body=(item.body or "")[:MOST_LETTERS],
                )
            )
            self.length += text_length(item)
        elif not isinstance(item, UnknownKey | EndOfFile | Filtered):
            summary.others += 1

    def _write(self, items: int) -> None:
        """Write a chunk, at the end perhaps an empty one, and note all up to it."""
        vectors = self.encoder.encode(self.chunk)
        self.summary.embedded += len(self.chunk)
        self.kept.flush()
        path = self.kept.path
        rejects = path.stat().st_size if path and path.exists() and self.summary.rejects else 0
        notes = {
            "items": items,
            "counts": asdict(self.summary),
            "rejects": rejects,
            "precision": self.encoder.base.settled,
        }
        self.growing.append(self.form.pack(self.chunk, vectors), notes)
        self.chunk.clear()
        self.length = 0


def unreadable(paper: Paper) -> str | None:
    """Why a paper's text is not worth a vector; None if it is."""
    length = text_length(paper)
    if length > LONGEST_TEXT:
        return f"its text is {length:,} characters long, more than {LONGEST_TEXT:,}"
    if not paper.title.strip() and not (paper.abstract or "").strip():
        return "its text is empty"
    return None


def text_length(paper: Paper) -> int:
    """Characters of what an encoder reads."""
    return len(paper.title) + len(paper.abstract or "") + len((paper.body or "")[:MOST_LETTERS])
