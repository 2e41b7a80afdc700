"""Tells one corpus from another, so that a model knows what it was trained on."""

from hashlib import sha256

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.loaders.records import DRAW_PRIME


def corpus_fingerprint(db: Database) -> str:
    """A digest (16 hexadecimal digits) of the papers, their records and their citations.

    It depends neither on the order of loading nor on vectors and hold-outs, and takes one pass
    over the citations in the server. It finds accidents, not forgeries.
    """
    [row] = db.read(statement("maintenance/corpus").text, prime=DRAW_PRIME)
    return sha256(repr(sorted(row.items())).encode()).hexdigest()[:16]
