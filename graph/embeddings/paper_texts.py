"""The texts of papers, streamed for an encoder."""

from collections.abc import Iterator, Sequence
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.split import held_out_below
from specter_graph.loaders.records import PaperText

PAGE = 1_000
MOST_REFERENCES = 30
"""Titles of references read of a paper: more than models of 512 tokens take in."""
MOST_LETTERS = 20_000
"""Letters of the full text."""


def paper_texts(
    db: Database,
    ids: Sequence[str] | None = None,
    parts: Sequence[str] = (),
    holdout: float = 0.0,
) -> Iterator[PaperText]:
    """Yield the texts of these papers, or of all, in the order of their ids.

    Stubs and papers without a title have none.

    Title and abstract are always there, of `parts` (see `encoder.input_fields`) those that are
    named. A paper held out under `holdout` has no references and is none: its citations are to be
    predicted.

    Each page is a read of its own: encoding what was read may take hours, and a transaction should
    not stay open so long. A paper that comes in meanwhile is seen if its id is still ahead.
    """
    wanted = {
        "parts": list(parts),
        "most": MOST_REFERENCES,
        "letters": MOST_LETTERS,
        "held_out": held_out_below(holdout),
    }
    return _all(db, wanted) if ids is None else _some(db, sorted(set(ids)), wanted)


def count_papers(db: Database) -> int:
    """Count the papers that have a record, and so a text."""
    count: int = db.read(statement("embeddings/count").text)[0]["papers"]
    return count


def _all(db: Database, wanted: dict[str, Any]) -> Iterator[PaperText]:
    text, after = _spliced("embeddings/page"), ""
    while rows := db.read(text, after=after, limit=PAGE, **wanted):
        yield from map(_text, rows)
        after = rows[-1]["id"]


def _some(db: Database, ids: list[str], wanted: dict[str, Any]) -> Iterator[PaperText]:
    text = _spliced("embeddings/some")
    for start in range(0, len(ids), PAGE):
        yield from map(_text, db.read(text, ids=ids[start : start + PAGE], **wanted))


def _spliced(name: str) -> str:
    return statement(name).text.replace("{{parts}}", statement("embeddings/parts").text.strip())


def _text(row: dict[str, Any]) -> PaperText:
    lists = {name: tuple(row[name]) for name in ("authors", "references")}
    return PaperText(**(row | lists))
