"""Checks for an empty graph and for unknown paper ids."""

from difflib import get_close_matches

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_MAX_LENGTH = 100
"""Longer ids are not compared with others."""


def is_empty(db: Database) -> bool:
    """Return True if the graph has no nodes except those of the schema."""
    return bool(db.value(statement("maintenance/is_empty").text))


def require_papers(db: Database) -> None:
    """Raise GraphError with the name of the server if the graph has no papers."""
    if db.read(statement("maintenance/counts").text)[0]["papers"]:
        return
    others = f"; other instances: {', '.join(db.others)}" if db.others else ""
    raise GraphError(
        f"{db.place} has no papers", f"specter-graph load auto FILE{db.option}{others}"
    )


def unknown_paper(db: Database, paper_id: str) -> GraphError:
    """Return the error for an unknown paper id, with similar ids as the hint.

    Raises:
        GraphError: The graph has no papers.
    """
    require_papers(db)
    similar = _similar_ids(db, paper_id)
    hint = f"use one of the similar ids: {', '.join(similar)}" if similar else "specter-graph stats"
    return GraphError(f"there is no paper {paper_id!r}", hint)


def _similar_ids(db: Database, paper_id: str) -> list[str]:
    """Return up to three similar ids that share a prefix with this one."""
    if len(paper_id) > _MAX_LENGTH:
        return []
    text = statement("embeddings/ids_from").text
    for shorter in (2**step for step in range(_MAX_LENGTH.bit_length())):
        if shorter >= len(paper_id):
            break
        rows = db.read(text, prefix=paper_id[:-shorter], limit=200)
        if similar := get_close_matches(paper_id, [row["id"] for row in rows], n=3):
            return similar
    return []
