"""Which record of a paper counts when one load has several: always the same, in any order."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

Rank = bytes
"""Of two records of a paper the one of greater rank counts; it is made from the record alone."""


_ADMIT = """
    INSERT INTO best (id, rank) VALUES (?, ?)
    ON CONFLICT (id) DO UPDATE SET rank = excluded.rank WHERE excluded.rank > best.rank
"""


class Duplicates:
    """Remembers the best rank of every id of one load, on disk, so that memory stays flat."""

    def __init__(self, store: sqlite3.Connection) -> None:
        self._store = store

    def admit(self, paper_id: str, rank: Rank) -> bool:
        """Whether this record of the paper counts more than those that came before it."""
        return self._store.execute(_ADMIT, (paper_id, rank)).rowcount == 1


@contextmanager
def duplicates() -> Iterator[Duplicates]:
    """A memory for one load; its file is temporary and private."""
    store = sqlite3.connect("", isolation_level=None)  # "": a temporary file of its own
    try:
        store.execute("PRAGMA journal_mode = OFF")
        store.execute("PRAGMA synchronous = OFF")
        store.execute("CREATE TABLE best (id TEXT PRIMARY KEY, rank BLOB) WITHOUT ROWID")
        store.execute("BEGIN")
        yield Duplicates(store)
    finally:
        store.close()
