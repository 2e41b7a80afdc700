"""Texts of papers for an encoder."""

from collections.abc import Iterator, Sequence
from typing import Any

from specter_graph.core.progress import batches
from specter_graph.graph.database import Database, paged_rows
from specter_graph.graph.split import held_out_below
from specter_graph.loaders.records import PaperText

PAGE = 1_000
MAX_REFERENCES = 30
"""Maximum titles of references per paper: more than fit into 512 tokens."""
MAX_BODY_CHARACTERS = 20_000
"""Maximum characters of the full text."""


def paper_texts(
    db: Database, ids: Sequence[str] | None = None, parts: Sequence[str] = (), holdout: float = 0.0
) -> Iterator[PaperText]:
    """Yield the texts of papers in the order of their ids; stubs and untitled papers have none.

    Each page is read in a separate transaction, because encoding may take hours. A paper that is
    loaded meanwhile is included if its id is after those already read.

    Args:
        db: The graph.
        ids: The papers; None for all.
        parts: Parts to read in addition to title and abstract (see `encoder.input_fields`).
        holdout: A paper held out under this share has no references and is not a reference, because
            its citations are to be predicted.
    """
    wanted = {
        "parts": list(parts),
        "max_references": MAX_REFERENCES,
        "max_characters": MAX_BODY_CHARACTERS,
        "held_out": held_out_below(holdout),
    }
    if ids is None:
        rows = paged_rows(db, "embeddings/page", "id", PAGE, **wanted)
    else:
        pages = batches(sorted(set(ids)), PAGE)
        rows = (row for page in pages for row in db.read("embeddings/some", ids=page, **wanted))
    return map(_paper_text, rows)


def _paper_text(row: dict[str, Any]) -> PaperText:
    lists = {name: tuple(row[name]) for name in ("authors", "references")}
    return PaperText(**(row | lists))
