"""Triplets as Arrow rows, and what they come to: one digest for the same rows in the same order."""

import hashlib
from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SCHEMA = pa.schema(
    [
        pa.field("query", pa.string(), nullable=False),
        pa.field("positive", pa.string(), nullable=False),
        pa.field("negative", pa.string(), nullable=False),
        pa.field("hard", pa.bool_(), nullable=False),
    ]
)
"""Ids of the query, a paper like it and one unlike it (SPECTER, section 2.3).

`hard` says that the negative is not a random one (section 2.4).
"""


class TripletRows:
    """Gathers the triplets of several queries, column by column."""

    def __init__(self) -> None:
        self._columns: tuple[list[str], list[str], list[str], list[bool]] = ([], [], [], [])

    def add(
        self, query: str, references: Sequence[str], hard: Sequence[str], easy: Sequence[str]
    ) -> int:
        """Add a triplet for each negative; the references are its positives, round and round.

        Returns how many were added.
        """
        queries, positives, negatives, flags = self._columns
        rows = len(hard) + len(easy)
        queries += [query] * rows
        positives += islice(cycle(references), rows)
        negatives += hard
        negatives += easy
        flags += [True] * len(hard)
        flags += [False] * len(easy)
        return rows

    def batch(self) -> pa.RecordBatch:
        """Make a batch of SCHEMA of all that was added."""
        arrays = [
            pa.array(column, kind.type) for column, kind in zip(self._columns, SCHEMA, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


class TripletDigest:
    """SHA-256 over the lines `query TAB positive TAB negative TAB 0|1 NEWLINE`, batches or not.

    It is the digest that a model directory keeps of the triplets it was trained on.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def update(self, batch: pa.RecordBatch) -> None:
        """Go on with the rows of a batch of SCHEMA."""
        if not batch.num_rows:
            return
        query, positive, negative, hard = batch.columns
        ends = pc.if_else(hard, "1\n", "0\n")
        rows = pc.binary_join_element_wise(query, positive, negative, ends, "\t")
        # The values of an Arrow string column lie one after another: hash them where they are.
        offsets = np.frombuffer(rows.buffers()[1], np.int32)[: len(rows) + 1]
        self._hash.update(memoryview(rows.buffers()[2])[offsets[0] : offsets[-1]])

    def hexdigest(self) -> str:
        """The digest of the rows so far."""
        return self._hash.hexdigest()
