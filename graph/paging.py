"""Read many nodes in the order of their ids, a page at a time."""

from collections.abc import Iterator
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_PAGE = 10_000


def column_pages(db: Database, name: str, **parameters: object) -> Iterator[list[list[Any]]]:
    """Run a statement that pages through papers; it takes $after and $limit.

    Each page is read in a separate transaction, so a slow consumer keeps no transaction open. A
    page is one row, because the driver takes 15 microseconds per row, whatever its size.

    Yields:
        The columns of each page, lists of equal length; the first one contains ids, in order.
    """
    text = statement(name).text
    after = ""
    while True:
        [columns] = db.values(text, after=after, limit=_PAGE, **parameters)
        ids = columns[0]
        if ids:
            yield columns
        if len(ids) < _PAGE:
            return
        after = ids[-1]


def id_pages(db: Database, name: str, **parameters: object) -> Iterator[list[str]]:
    """Yield the ids of each page of a statement as for `column_pages`."""
    for columns in column_pages(db, name, **parameters):
        yield columns[0]


def paged_rows(
    db: Database, text: str, key: str, limit: int, **parameters: object
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a statement, in pages of `limit`, each read in a separate transaction.

    The statement takes $after and $limit and returns rows in the order of the column `key`, those
    with a greater key than $after.
    """
    after = ""
    while rows := db.read(text, after=after, limit=limit, **parameters):
        yield from rows
        after = rows[-1][key]
