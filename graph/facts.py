"""The citations of the held-out papers: what evaluation scores a space on."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.graph.holdout import split_ids
from specter_graph.graph.spaces import batches

HeldOutSplit = Literal["validation", "test"]

_BATCH = 200
_PAGE = 1_000


class HeldOutCitations(NamedTuple):
    """A held-out paper and the training papers it is related to, as ids in no order.

    Training papers have a record and are not held out themselves.
    """

    id: str
    cites: list[str]
    cited_by: list[str]
    cocited: list[str]


def training_references(db: Database) -> Iterator[tuple[str, list[str]]]:
    """Stream the training papers, in the order of their ids, with those that each cites."""
    text, after = statement("evaluate/training_references").text, ""
    while rows := db.read(text, after=after, limit=_PAGE):
        yield from ((row["id"], row["cites"]) for row in rows)
        after = rows[-1]["id"]


def held_out_citations(db: Database, split: HeldOutSplit) -> Iterator[HeldOutCitations]:
    """Stream the papers of a split with their citations and co-citations.

    The co-citations of validation papers are not counted in test papers, so that a model chosen
    on validation has seen nothing of the test citations.
    """
    text = statement("evaluate/held_out_citations").text
    hidden = "Test" if split == "validation" else None
    for ids in batches(split_ids(db, split), _BATCH):
        for row in db.stream(text, ids=ids, hidden=hidden):
            yield HeldOutCitations(*row)
