"""Remembers, in the graph, which files a load has done: after a kill they are not read again."""

from hashlib import blake2b

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database


def load_number(key: str) -> int:
    """What names a load in the graph: the same for the same corpus, positive, 63 bits."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") >> 1


def begin_load(db: Database, load: int) -> frozenset[str]:
    """Begin a load, or go on with it; the keys of the files that are done."""
    [row] = db.write(statement("load/begin").text, load=load)
    return frozenset(row["done"])


def part_done(db: Database, load: int, key: str) -> None:
    """Note that all of a file is in the graph."""
    db.write(statement("load/part_done").text, load=load, key=key)


def end_load(db: Database, load: int) -> None:
    """Note that a load is complete."""
    db.write(statement("load/end").text, load=load)
