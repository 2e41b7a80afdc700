"""Reads the ids of many papers in order, a page at a time."""

from collections.abc import Iterator

from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_PAGE = 10_000


def id_pages(db: Database, name: str, **parameters: object) -> Iterator[list[str]]:
    """Run a statement that pages through ids in order: it takes $after and $limit, returns `ids`.

    Many short reads instead of one long one: a slow consumer holds no transaction open.
    """
    text = statement(name).text
    after = ""
    while True:
        ids: list[str] = db.value(text, after=after, limit=_PAGE, **parameters)
        if ids:
            yield ids
        if len(ids) < _PAGE:
            return
        after = ids[-1]
