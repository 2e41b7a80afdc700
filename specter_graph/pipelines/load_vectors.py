"""Load vectors from files into a space of the graph."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np

from specter_graph.core.errors import InputError, counted
from specter_graph.core.progress import Progress, batches, map_ahead
from specter_graph.core.vectors import Vectors
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import PaperEncoder, space_record
from specter_graph.graph.embeddings.index import (
    IndexSettings,
    hash_name,
    property_name,
)
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    begin_space,
    bolt_vectors,
    complete_space,
    find_space,
    replace_vectors,
    space_lock,
)
from specter_graph.graph.identifier_lookup import find_papers
from specter_graph.graph.loading.summary import Rejects, record_reject
from specter_graph.loaders.corpus import digest
from specter_graph.loaders.corpus_files import find_files
from specter_graph.loaders.records import Reject
from specter_graph.pipelines.vector_files import VectorFile, VectorRow, as_vector

_BATCH = 1_000
"""Rows per transaction."""
_QUEUED = 3
"""Maximum number of transactions that run or wait; the next rows are read meanwhile."""


@dataclass(slots=True)
class VectorLoadSummary:
    """The counts of rows: records = vectors + duplicates + without_vector + unknown + rejected.

    Attributes:
        space: The space.
        records: Rows of the files.
        vectors: Vectors stored on papers.
        duplicates: Rows of papers for which another row has a vector.
        without_vector: Rows of papers without a vector.
        unknown: Rows whose id is not the id or an identifier of a paper with a record.
        rejected: Rows with an invalid vector, a vector of another dimension, or no id.
        first_reject: The reason for the first unknown or rejected row.
        rejects: The file of the unknown and rejected rows, if there are any.
        dimension: The dimension of the space.
        seconds: Duration.
    """

    space: str
    records: int = 0
    vectors: int = 0
    duplicates: int = 0
    without_vector: int = 0
    unknown: int = 0
    rejected: int = 0
    first_reject: str | None = None
    repaired: int = 0
    rejects: str | None = None
    dimension: int = 0
    seconds: float = 0.0


def load_vectors(
    db: Database,
    paths: Sequence[Path | str],
    space: str,
    *,
    ids: Path | str | None,
    encoder: PaperEncoder | None,
    text_only: bool,
    rejects: Path | str | None,
    index: IndexSettings | None,
    progress: Progress,
) -> VectorLoadSummary:
    """Load vectors from files into a space, replacing an older space; see `Spaces.load`.

    The older space can be searched until all vectors are stored. An interrupted load can be run
    again; it starts with the first row.
    """
    started = monotonic()
    require_papers(db)
    name = property_name(space)
    files = [VectorFile(path, name, ids) for path in find_files(map(Path, paths))]
    with space_lock(db, space):
        before = find_space(db, space)
        if before and before.replacing:
            replace_vectors(db, before)
        if before and before.origin == "made" and not (encoder or _find_description(files)):
            raise InputError(
                f"the space {space!r} has vectors of {before.model or before.kind}, which vectors"
                " of an unknown model would replace",
                f"choose another space, or run `specter-graph spaces delete {space}` first",
            )
        target = begin_space(db, space)
        summary = VectorLoadSummary(space, dimension=encoder.card.dimension if encoder else 0)
        with Rejects(rejects) as file:
            load = _Load(db, target, summary, file)
            for source in files:
                load.read(source, progress)
        if not summary.vectors:
            begin_space(db, space)  # discards what is stored
            first = f"; the first: {summary.first_reject}" if summary.first_reject else ""
            raise InputError(
                f"none of {counted(summary.records, 'row')} is a valid vector of a paper of the"
                f" graph{first}",
                f"see the reasons in {summary.rejects}"
                if summary.rejects
                else "load the papers first, and use vectors of one dimension, that of the encoder",
            )
        [counts] = db.read(
            "embeddings/shapes", space=target, hash=hash_name(target), dimension=summary.dimension
        )
        summary.duplicates = summary.vectors - counts["vectors"]
        summary.vectors = counts["vectors"]
        record = _make_record(files, space, summary.dimension, encoder, text_only)
        complete_space(db, record, target, index, progress)
    summary.seconds = monotonic() - started
    return summary


def _find_description(files: Sequence[VectorFile]) -> Mapping[str, str]:
    """Return what the first file that names its model says about it."""
    return next((file.model for file in files if file.model), {})


def _make_record(
    files: Sequence[VectorFile],
    space: str,
    dimension: int,
    encoder: PaperEncoder | None,
    text_only: bool,
) -> EmbeddingSpace:
    if encoder:
        return replace(space_record(encoder.card, space), origin="imported")
    about = _find_description(files)
    versions = ((file.path.resolve(), file.path.stat()) for file in files)
    key = digest(*((str(path), of.st_size, of.st_mtime_ns) for path, of in versions), space)
    return EmbeddingSpace(
        name=space,
        kind="imported",
        dimension=dimension,
        model=about.get("model", ""),
        base=about.get("base", ""),
        digest=about.get("digest") or key,
        document_prompt=about.get("document_prompt", ""),
        query_prompt=about.get("query_prompt", ""),
        sees_edges=not text_only,
        sources=json.dumps({"files": [file.path.name for file in files]}),
        origin="imported",
    )


class _CheckedRows(NamedTuple):
    """Rows with a valid vector, their vectors (n, d), rows with a reason, and the number of others.

    The others have no vector.
    """

    good: list[VectorRow]
    vectors: Vectors
    bad: list[VectorRow]
    without_vector: int


@dataclass(slots=True)
class _Load:
    """Rows on their way into the graph: one batch is read while earlier ones are written."""

    db: Database
    target: str
    summary: VectorLoadSummary
    rejects: Rejects

    def read(self, source: VectorFile, progress: Progress) -> None:
        """Load the rows of a file."""
        rows = (self._check(batch) for batch in batches(source.rows(), _BATCH))
        for checked, known in map_ahead(self._write_checked, rows, ahead=_QUEUED):
            self._count(source.path, checked, known)
            progress("vectors", self.summary.records, None)

    def _check(self, batch: list[VectorRow]) -> _CheckedRows:
        """Divide rows into those with a valid vector, with a reason, and without a vector."""
        good, vectors, bad = [], [], []
        for row in batch:
            if row.reason or not row.id:
                bad.append(row._replace(reason=row.reason or "there is no id"))
                continue
            if row.vector is None:
                continue
            vector = as_vector(row.vector)
            if vector is None or not np.isfinite(vector).all():
                bad.append(row._replace(reason="the vector is not a list of finite numbers"))
                continue
            self.summary.dimension = self.summary.dimension or len(vector)
            if len(vector) != self.summary.dimension:
                size = counted(len(vector), "dimension")
                reason = f"the vector has {size}, not {self.summary.dimension}"
                bad.append(row._replace(reason=reason))
                continue
            good.append(row)
            vectors.append(vector)
        shape = (0, self.summary.dimension)
        stacked = np.stack(vectors) if vectors else np.empty(shape, np.float32)
        return _CheckedRows(good, stacked, bad, len(batch) - len(good) - len(bad))

    def _write_checked(self, checked: _CheckedRows) -> tuple[_CheckedRows, dict[str, str]]:
        """Store the vectors of a batch, of several rows of a paper the last one.

        Returns:
            The batch, and the papers of its rows by their names: ids and identifiers.
        """
        names = [row.id or "" for row in checked.good]
        paper_of = {name: name for name in self._write(names, checked.vectors)}
        if others := [name for name in names if name not in paper_of]:
            identified = find_papers(self.db, others)
            paper_of |= identified
            papers = {*identified.values()}
            again = [at for at, name in enumerate(names) if paper_of.get(name) in papers]
            self._write([paper_of[names[at]] for at in again], checked.vectors[again])
        return checked, paper_of

    def _write(self, ids: Sequence[str], vectors: Vectors) -> set[str]:
        """Store vectors, and return the ids that are ids of papers."""
        rows = [[*row] for row in zip(ids, bolt_vectors(self.db, vectors), strict=True)]
        written = self.db.write("embeddings/load_vectors", space=self.target, rows=rows)
        return set(written[0]["ids"])

    def _count(self, path: Path, checked: _CheckedRows, known: Collection[str]) -> None:
        """Count the rows of a batch; `known` are the names of papers."""
        summary, good = self.summary, checked.good
        unknown = [row for row in good if row.id not in known]
        for row in unknown:
            self._reject(path, row, "no paper with a record has this id")
        for row in checked.bad:
            self._reject(path, row, row.reason)
        summary.rejected -= len(unknown)
        summary.unknown += len(unknown)
        summary.vectors += len(good) - len(unknown)
        summary.without_vector += checked.without_vector
        summary.records += len(good) - len(unknown) + checked.without_vector

    def _reject(self, path: Path, row: VectorRow, reason: str) -> None:
        self.summary.first_reject = self.summary.first_reject or reason
        record_reject(Reject(str(path), row.number, row.id, reason), self.summary, self.rejects)
