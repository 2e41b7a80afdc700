"""Empties the graph; the schema stays."""

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database

_ROWS = 20_000


def is_empty(db: Database) -> bool:
    """Whether there is nothing but the schema."""
    return bool(db.value(statement("clear/is_empty").text))


def clear(db: Database) -> None:
    """Delete all nodes, all relationships and the vector indexes of all embedding spaces.

    Not one transaction: when it is killed, run it again.
    """
    for row in db.read(statement("clear/vector_indexes").text):
        db.write(statement("clear/drop_index").text, name=row["name"])
    # Relationships first: deleting a node with all of its own could fill a transaction by itself.
    db.commit(statement("clear/relationships").text, rows=_ROWS)
    db.commit(statement("clear/nodes").text, rows=_ROWS)


def drop_stubs(db: Database) -> None:
    """Delete all stubs, with the citations of them."""
    db.commit(statement("load/drop_dangling").text, rows=_ROWS)
