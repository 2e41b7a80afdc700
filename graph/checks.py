"""Check whether the graph has papers, and suggest ids for one that is not there."""

from difflib import get_close_matches

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_MAX_LENGTH = 100
"""Ids longer than this are not compared with others."""


def is_empty(db: Database) -> bool:
    """Return whether the graph has no nodes besides those of the schema."""
    return bool(db.value(statement("maintenance/is_empty").text))


def require_papers(db: Database) -> None:
    """Raise GraphError, naming the instance or the server, when the graph has no papers."""
    if db.read(statement("maintenance/counts").text)[0]["papers"]:
        return
    others = f"; other instances: {', '.join(db.others)}" if db.others else ""
    raise GraphError(
        f"{db.place} has no papers", f"specter-graph load auto FILE{db.option}{others}"
    )


def unknown_paper(db: Database, paper_id: str) -> GraphError:
    """Return the error for an id that no paper has, with similar ids as the hint.

    Raises GraphError when the graph has no papers at all.
    """
    require_papers(db)
    similar = _similar_ids(db, paper_id)
    hint = f"ids like it: {', '.join(similar)}" if similar else "specter-graph stats"
    return GraphError(f"there is no paper {paper_id!r}", hint)


def _similar_ids(db: Database, paper_id: str) -> list[str]:
    """Return up to three similar ids among those that begin as this one does."""
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
