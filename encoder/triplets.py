"""Triplets for training, as rows of the corpus instead of ids, in memory-mapped files."""

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from specter_graph.core.errors import ModelError, counted
from specter_graph.core.triplet_settings import triplet_lines
from specter_graph.loaders.records import PaperText

Rows: TypeAlias = npt.NDArray[np.int64]
Hard: TypeAlias = npt.NDArray[np.bool_]
Pairs: TypeAlias = tuple[Rows, Rows]
TripletTable: TypeAlias = pa.Table | Iterable[pa.RecordBatch]
"""Columns query, positive, negative (string ids) and hard (bool)."""

_COLUMNS: dict[str, type[np.generic]] = {
    "query": np.int64,
    "positive": np.int64,
    "negative": np.int64,
    "hard": np.bool_,
}
_PAPER_COLUMNS = ("query", "positive", "negative")
_ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class IndexedTriplets:
    """t triplets as rows of the corpus: each array is (t,).

    Attributes:
        hard: True where the negative is a hard one.
        digest: SHA-256 over the `triplet_lines` of the table that they were made of.
        skipped: The number of triplets of that table that were skipped: they have a paper that is
            not in the corpus, or whose title and abstract are empty.
    """

    query: Rows
    positive: Rows
    negative: Rows
    hard: Hard
    digest: str
    skipped: int = 0

    def __len__(self) -> int:
        return len(self.query)

    def sample(self, maximum: int, rng: np.random.Generator) -> "IndexedTriplets":
        """Return a random sample in random order, with the digest and `skipped` of the table."""
        rows = rng.permutation(len(self))[:maximum]
        return replace(self, **{name: getattr(self, name)[rows] for name in _COLUMNS})

    @property
    def pairs(self) -> Pairs:
        """The citations in the triplets: (query, positive)."""
        return self.query, self.positive

    @property
    def papers(self) -> Rows:
        """The distinct rows of the corpus that occur, ascending."""
        return np.unique(np.concatenate([self.query, self.positive, self.negative]))


@dataclass(frozen=True, slots=True)
class PaperRows:
    """The n papers of a corpus: `row_of` maps ids to rows; `has_text` is (n,)."""

    row_of: dict[str, int]
    has_text: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, texts: Iterable[PaperText]) -> "PaperRows":
        """Number the papers in the order of their texts."""
        row_of: dict[str, int] = {}
        has_text = bytearray()
        for row, paper in enumerate(texts):
            row_of[paper.id] = row
            has_text.append(bool(paper.title.strip() or (paper.abstract or "").strip()))
        return cls(row_of, np.frombuffer(has_text, np.bool_))

    def __len__(self) -> int:
        return len(self.row_of)

    def rows(self, column: pa.Array) -> Rows:
        """Look up a column of ids; -1 for a paper that is not in the corpus or has no text."""
        ids = column.to_pylist()
        rows = np.fromiter((self.row_of.get(paper, -1) for paper in ids), np.int64, len(ids))
        rows[~np.append(self.has_text, False)[rows]] = -1
        return rows


def store_triplets(folder: Path, triplets: TripletTable, papers: PaperRows) -> IndexedTriplets:
    """Write triplets as rows of the corpus into a folder, one batch at a time, and open them.

    Each column is a file of plain numbers; existing files are replaced.

    Raises:
        ModelError: There are triplets, but each names a paper without a text.
    """
    folder.mkdir(parents=True, exist_ok=True)
    digest, skipped = sha256(), 0
    with ExitStack() as stack:
        files = {name: stack.enter_context((folder / name).open("wb")) for name in _COLUMNS}
        for batch in triplets.to_batches() if isinstance(triplets, pa.Table) else triplets:
            digest.update(triplet_lines(batch))
            rows = {name: papers.rows(batch.column(name)) for name in _PAPER_COLUMNS}
            hard = batch.column("hard").to_numpy(zero_copy_only=False).astype(np.bool_)
            complete = np.logical_and.reduce([row >= 0 for row in rows.values()])
            skipped += int((~complete).sum())
            for name, values in {**rows, "hard": hard}.items():
                files[name].write(values[complete].tobytes())
    about = {"digest": digest.hexdigest(), "skipped": skipped}
    (folder / _ABOUT).write_text(json.dumps(about))
    stored = stored_triplets(folder)
    if skipped and not len(stored):
        raise ModelError(
            f"no triplet can be used: {counted(skipped, 'triplet names', 'triplets name')} a paper"
            " without a record or text in the graph",
            "load the papers of the triplets first",
        )
    return stored


def stored_triplets(folder: Path) -> IndexedTriplets:
    """Open the files of `store_triplets`, memory-mapped."""
    columns: dict[str, Any] = {
        name: np.memmap(folder / name, kind, "r")
        if (folder / name).stat().st_size
        else np.empty(0, kind)
        for name, kind in _COLUMNS.items()
    }
    return IndexedTriplets(**columns, **json.loads((folder / _ABOUT).read_text()))


class KnownCitations:
    """The citations (query, positive) of triplets, for lookups in either direction."""

    def __init__(self, *tables: Pairs) -> None:
        query, positive = (np.concatenate(column) for column in zip(*tables, strict=True))
        ends = np.concatenate([query, positive]), np.concatenate([positive, query])
        size = int(ends[0].max(initial=0)) + 2  # the last row is that of all other papers
        linked = np.ones(len(ends[0]), np.bool_)
        self._linked = sparse.csr_array((linked, ends), shape=(size, size))

    def __len__(self) -> int:
        """Return the number of pairs of papers of which one cites the other."""
        return int(self._linked.nnz) // 2

    def excluded(self, query: Rows, positive: Rows, negative: Rows) -> npt.NDArray[np.bool_]:
        """Return the mask `excluded` of `losses.contrastive_loss` for a batch.

        Args:
            query: Rows of the corpus, (b,).
            positive: (b,).
            negative: (m,).

        Returns:
            (b, b + m) over the positives, then the negatives: True where the candidate is the query
            itself, cites it or is cited by it. The query's own positive is True too.
        """
        own = np.arange(len(query))
        linked = self._linked[np.minimum(query, self._linked.shape[0] - 1)]
        row = np.append(np.repeat(own, np.diff(linked.indptr)), own)
        known = np.append(linked.indices, query)
        # A query has only a few known papers: they are looked up among the candidates.
        candidates, place = np.unique(np.append(positive, negative), return_inverse=True)
        at = np.searchsorted(candidates, known)
        is_candidate = candidates.take(at, mode="clip") == known
        excluded = np.zeros((len(query), len(candidates)), np.bool_)
        excluded[row[is_candidate], at[is_candidate]] = True
        result: npt.NDArray[np.bool_] = excluded[:, place]
        return result
