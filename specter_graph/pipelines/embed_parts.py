"""Embedding of the papers in the graph by many processes, in parts.

The texts are read into parts first, then workers encode them into parts with vectors, then the
vectors are written to the graph. An interrupted run, run again, skips the parts that are complete.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa

from specter_graph.core.batching import batches
from specter_graph.core.errors import InputError, ModelError
from specter_graph.core.parts import Part, Parts, Workers, read_part, write_part
from specter_graph.core.progress import Progress, silent
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.contents import corpus_fingerprint
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
from specter_graph.graph.embeddings.paper_texts import count_papers
from specter_graph.loaders.records import PaperText
from specter_graph.pipelines.vector_files import matrix_of, vector_table

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
            papers = _papers(read_part(self.folder, part))
            vectors = np.concatenate([encoder.encode(chunk) for chunk in batches(papers, CHUNK)])
            table = vector_table(papers, vectors, "float32")
            metadata = {"precision": encoder.model.used or ""}
            return write_part(
                self.folder, _vectors_of(part.name), table.replace_schema_metadata(metadata)
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
        "base": model.name if encoder.kind == "head" else None,
        "pooling": encoder.pooling,
        "precision": model.precision,
        "document_prompt": prompts.document,
        "query_prompt": prompts.query,
    }

    def encode_chunks(chunks: Iterator[Chunk]) -> Iterator[Encoded]:
        parts = Parts(f"{workers.storage}/embed-{space}", identity)
        count = workers.count(uses_gpu=True)
        fair_share = count_papers(db) // (CHUNK * _PARTS_PER_WORKER * count)
        size = CHUNK * min(max(fair_share, 1), _MAX_CHUNKS)
        for texts, base in _without_stored(chunks, parts, size):
            yield texts, encoder.encode(texts, base), None
        names = [f"{number:06}" for number in range(parts.notes["parts"])]
        work = EncodeTexts(parts.folder, encoder.digest, options)
        tasks = {_vectors_of(name): parts[name] for name in names}
        for _ in parts.compute(tasks, work, workers):
            progress("embed, parts", len(parts) - len(names), len(names))
        for name in names:
            texts, vectors = parts.tables([name, _vectors_of(name)])
            precision = vectors.schema.metadata[b"precision"].decode()
            yield _papers(texts), matrix_of(vectors["vector"]), precision
        parts.remove()

    return embed(db, encoder, space, progress, index, encode_chunks=encode_chunks, writers=WRITERS)


def _without_stored(chunks: Iterator[Chunk], parts: Parts, size: int) -> Iterator[Chunk]:
    """Write the texts to parts of `size` papers, and yield the chunks that need no worker.

    These are the papers whose base vectors are stored. All texts are written by one run: those of a
    run that was interrupted meanwhile are written again.
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


def _papers(table: pa.Table) -> list[PaperText]:
    return [
        PaperText(**row | {name: tuple(row[name]) for name in _LISTS}) for row in table.to_pylist()
    ]


def _vectors_of(name: str) -> str:
    return f"{name}-vectors"
