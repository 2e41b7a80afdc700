"""The texts of papers, streamed for an encoder."""

from collections.abc import Iterator, Sequence
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.loaders.records import PaperText

PAGE = 1_000


def paper_texts(db: Database, ids: Sequence[str] | None = None) -> Iterator[PaperText]:
    """Yield the texts of these papers, or of all, in the order of their ids; stubs have none.

    Each page is a read of its own: encoding what was read may take hours, and a transaction should
    not stay open so long. A paper that comes in meanwhile is seen if its id is still ahead.
    """
    if ids is None:
        return _all(db)
    return _some(db, sorted(set(ids)))


def count_papers(db: Database) -> int:
    """Count the papers that have a record, and so a text."""
    count: int = db.read(statement("texts/count").text)[0]["papers"]
    return count


def _all(db: Database) -> Iterator[PaperText]:
    text, after = statement("texts/page").text, ""
    while rows := db.read(text, after=after, limit=PAGE):
        yield from map(_text, rows)
        after = rows[-1]["id"]


def _some(db: Database, ids: list[str]) -> Iterator[PaperText]:
    text = statement("texts/some").text
    for start in range(0, len(ids), PAGE):
        yield from map(_text, db.read(text, ids=ids[start : start + PAGE]))


def _text(row: dict[str, Any]) -> PaperText:
    return PaperText(row["id"], row["title"], row["abstract"])
