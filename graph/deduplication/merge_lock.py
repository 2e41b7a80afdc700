"""One at a time: what makes papers one, and what takes them apart again."""

from collections.abc import Iterator
from contextlib import contextmanager

from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_LOCK_S = 7 * 24 * 3_600


@contextmanager
def alone(db: Database) -> Iterator[None]:
    """Wait for another merge or deletion to end.

    The lock is a node that is never committed: see `schema`.
    """
    with db.driver.session(database=db.name) as session:
        lock = session.begin_transaction(timeout=_LOCK_S)
        try:
            lock.run(statement("deduplication/lock").text).consume()
            yield
        finally:
            lock.close()
