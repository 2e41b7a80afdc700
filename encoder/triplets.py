"""Triplets for training: rows of the corpus instead of ids, in memory or memory-mapped."""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from specter_graph.core.errors import ModelError
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
_ABOUT = "about.json"
_REDRAWS = 20
"""An easy negative that the query cites is drawn again, this often at most."""


@dataclass(frozen=True, slots=True)
class IndexedTriplets:
    """t triplets: rows of the corpus, each array (t,), and the digest of the table they are from.

    The digest is SHA-256 over the lines `query TAB positive TAB negative TAB 0|1 NEWLINE`, in the
    table's order. `left_out` of its triplets are not here: a paper of theirs has no text.
    """

    query: Rows
    positive: Rows
    negative: Rows
    hard: Hard
    digest: str
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.query)

    @property
    def pairs(self) -> Pairs:
        """The citations that they tell of: (query, positive)."""
        return self.query, self.positive

    @property
    def papers(self) -> Rows:
        """The rows of the corpus that occur, ascending."""
        return np.unique(np.concatenate([self.query, self.positive, self.negative]))


@dataclass(frozen=True, slots=True)
class PaperRows:
    """The papers of a corpus: `row_of` an id is its row, `readable` (n,) says which have a text."""

    row_of: dict[str, int]
    readable: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, texts: Iterable[PaperText]) -> "PaperRows":
        """Number the papers in the order in which their texts come."""
        row_of: dict[str, int] = {}
        readable = bytearray()
        for row, paper in enumerate(texts):
            row_of[paper.id] = row
            readable.append(has_text(paper))
        return cls(row_of, np.frombuffer(readable, np.bool_))

    def __len__(self) -> int:
        return len(self.row_of)

    def rows(self, column: pa.Array) -> Rows:
        """Look up a column of ids; raises ModelError when a paper is not in the corpus."""
        ids = column.to_pylist()
        found = np.fromiter((self.row_of.get(paper, -1) for paper in ids), np.int64, len(ids))
        if (found < 0).any():
            lost = np.flatnonzero(found < 0)
            raise ModelError(
                f"{len(lost)} triplets name papers without a text, such as {ids[lost[0]]!r}",
                "mine the triplets again from the graph as it is now",
            )
        return found


class Indexing:
    """Turns ids into rows of the corpus, a batch at a time; counts and digests on the way.

    `left_out` counts triplets with a paper whose title and abstract are empty: all such papers
    would have one vector, from which nothing is learned.
    """

    def __init__(self, papers: PaperRows) -> None:
        self._papers = papers
        self._digest = sha256()
        self.left_out = 0

    @property
    def digest(self) -> str:
        """That of `IndexedTriplets`, of the batches so far."""
        return self._digest.hexdigest()

    def batches(self, triplets: TripletTable) -> Iterator[tuple[Rows, Rows, Rows, Hard]]:
        """Yield the columns query, positive, negative and hard.

        Raises ModelError when a triplet names a paper that is not in the corpus.
        """
        readable = self._papers.readable
        for batch in triplets.to_batches() if isinstance(triplets, pa.Table) else triplets:
            self._digest.update(_lines(batch))
            hard = batch.column("hard").to_numpy(zero_copy_only=False).astype(np.bool_)
            query, positive, negative = (
                self._papers.rows(batch.column(name)) for name in ("query", "positive", "negative")
            )
            kept = readable[query] & readable[positive] & readable[negative]
            self.left_out += int((~kept).sum())
            yield query[kept], positive[kept], negative[kept], hard[kept]


def has_text(paper: PaperText) -> bool:
    """Whether there is anything to read: a title or an abstract."""
    return bool(paper.title.strip() or (paper.abstract or "").strip())


def index_triplets(triplets: TripletTable, papers: PaperRows) -> IndexedTriplets:
    """Turn ids into rows of the corpus, in memory; see `Indexing`."""
    indexing = Indexing(papers)
    none = np.empty(0, np.int64)
    batches = [(none, none, none, none > 0), *indexing.batches(triplets)]
    query, positive, negative, hard = (
        np.concatenate(column) for column in zip(*batches, strict=True)
    )
    return IndexedTriplets(query, positive, negative, hard, indexing.digest, indexing.left_out)


def store_triplets(folder: Path, triplets: TripletTable, indexing: Indexing) -> IndexedTriplets:
    """Write triplets as rows of the corpus, a batch at a time, and open them.

    The folder gets a file of plain numbers for each column; what was there is replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        columns = [files.enter_context((folder / name).open("wb")) for name in _COLUMNS]
        for batch in indexing.batches(triplets):
            for file, values in zip(columns, batch, strict=True):
                file.write(values.tobytes())
    about = {"digest": indexing.digest, "left_out": indexing.left_out}
    (folder / _ABOUT).write_text(json.dumps(about))
    return stored_triplets(folder)


def stored_triplets(folder: Path) -> IndexedTriplets:
    """Open what `store_triplets` wrote."""
    columns: dict[str, Any] = {name: _opened(folder / name, k) for name, k in _COLUMNS.items()}
    return IndexedTriplets(**columns, **json.loads((folder / _ABOUT).read_text()))


def _opened(file: Path, kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.memmap(file, kind, "r") if file.stat().st_size else np.empty(0, kind)


def without_hard_negatives(rows: IndexedTriplets, seed: int) -> IndexedTriplets:
    """The control without hard negatives: each is replaced by an easy one of another triplet.

    Queries, positives and the number of triplets stay as they are.
    """
    generator = np.random.default_rng(seed)
    easy = rows.negative[~rows.hard]
    if not len(easy):
        raise ModelError("a control without hard negatives needs triplets with easy ones")
    known = KnownCitations(rows.pairs)
    negative = rows.negative.copy()
    redrawn = np.flatnonzero(rows.hard)
    for _ in range(_REDRAWS):
        negative[redrawn] = generator.choice(easy, len(redrawn))
        redrawn = redrawn[known.related(rows.query[redrawn], negative[redrawn])]
    return replace(rows, negative=negative, hard=np.zeros_like(rows.hard))


def with_shuffled_positives(rows: IndexedTriplets, seed: int) -> IndexedTriplets:
    """The control that has nothing to learn: positives permuted among the triplets."""
    generator = np.random.default_rng(seed)
    return replace(rows, positive=generator.permutation(rows.positive))


def control_tables(rows: IndexedTriplets, seed: int) -> dict[str, IndexedTriplets]:
    """The controls that are trained beside a model, by name.

    The one without hard negatives is left out where there is no easy one to put in their place.
    """
    controls = {"shuffled_positives": with_shuffled_positives(rows, seed)}
    if not rows.hard.all():
        controls = {"without_hard_negatives": without_hard_negatives(rows, seed), **controls}
    return controls


class KnownCitations:
    """The citations that triplets tell of (query, positive), looked up in either direction."""

    def __init__(self, *tables: Pairs) -> None:
        query = np.concatenate([query for query, _ in tables])
        positive = np.concatenate([positive for _, positive in tables])
        papers = np.concatenate([query, positive])
        self._size = int(papers.max(initial=0)) + 1
        self._keys = np.unique(
            np.concatenate([query * self._size + positive, positive * self._size + query])
        )

    def related(self, one: Rows, other: Rows) -> npt.NDArray[np.bool_]:
        """Whether pairs (broadcast against each other) are the same paper or a known citation."""
        keys = one * self._size + other
        places = np.searchsorted(self._keys, keys)
        found = self._keys[np.minimum(places, len(self._keys) - 1)] == keys
        return np.asarray((found & (other < self._size) & (one < self._size)) | (one == other))

    def excluded(self, query: Rows, positive: Rows, negative: Rows) -> npt.NDArray[np.bool_]:
        """Which candidates of a batch are no negatives of a row, for `losses.contrastive_loss`.

        Takes rows of the corpus, queries and positives (b,), negatives (m,); returns (b, b + m)
        over the positives, then the negatives: true where the candidate is the row's query, a
        paper that it is known to cite or be cited by (its positive among them).
        """
        candidates = np.concatenate([positive, negative])
        # A query has a few known papers, so these are looked for among the candidates.
        starts, ends = (
            np.searchsorted(self._keys, np.minimum(paper, self._size) * self._size)
            for paper in (query, query + 1)
        )
        own = np.arange(len(query))
        row, key = _ranges(starts, ends)
        row = np.concatenate([row, own])
        known = np.concatenate([self._keys[key] % self._size, query])
        order = np.argsort(candidates, kind="stable")
        ordered = candidates[order]
        place, candidate = _ranges(
            np.searchsorted(ordered, known), np.searchsorted(ordered, known, side="right")
        )
        excluded = np.zeros((len(query), len(candidates)), np.bool_)
        excluded[row[place], order[candidate]] = True
        return excluded


def _ranges(starts: Rows, ends: Rows) -> tuple[Rows, Rows]:
    """List the members of ranges [start, end): the number of the range, and the member."""
    sizes = ends - starts
    owner = np.repeat(np.arange(len(starts)), sizes)
    first = np.cumsum(sizes) - sizes
    return owner, np.arange(len(owner)) + (starts - first)[owner]


def _lines(batch: pa.RecordBatch) -> bytes:
    hard = pc.if_else(batch.column("hard"), "1", "0")
    names = ("query", "positive", "negative")
    lines = pc.binary_join_element_wise(*(batch.column(name) for name in names), hard, "\t")
    return "".join(f"{line}\n" for line in lines.to_pylist()).encode()
