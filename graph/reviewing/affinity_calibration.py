"""What a venue keeps of the reference corpus of its scores, so that they stay as they are."""

from specter_graph.cypher import statement
from specter_graph.graph.database import Database


def read_reference(db: Database, venue: str, space: str, digest: str) -> str | None:
    """What was kept for a space of a model; None before the venue's first scores in it."""
    rows = db.read(statement("reviewing/reference").text, venue=venue, space=space, digest=digest)
    return rows[0]["kept"] if rows else None


def keep_reference(db: Database, venue: str, space: str, digest: str, kept: str) -> None:
    """Keep it; what was kept before stays."""
    text = statement("reviewing/keep_reference").text
    db.write(text, venue=venue, space=space, digest=digest, kept=kept)
