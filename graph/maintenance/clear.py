"""Empties the graph; the schema stays."""

from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_ROWS = 20_000


def clear(db: Database) -> None:
    """Delete all nodes, all relationships and the vector indexes of all embedding spaces.

    Not one transaction: when it is killed, run it again.
    """
    for row in db.read(statement("maintenance/vector_indexes").text):
        db.write(statement("maintenance/drop_index").text, name=row["name"])
    # Relationships first: deleting a node with all of its own could fill a transaction by itself.
    db.commit(statement("maintenance/relationships").text, rows=_ROWS)
    db.commit(statement("maintenance/nodes").text, rows=_ROWS)


def drop_stubs(db: Database) -> None:
    """Delete all stubs, with the citations of them."""
    db.commit(statement("loading/drop_dangling").text, rows=_ROWS)
