"""The citations of the held-out papers: what evaluation scores a space on."""

from collections.abc import Iterator
from typing import NamedTuple

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import batches
from specter_graph.graph.triplets.split import HeldOutSplit, held_out_below, query_ids, split_draws

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


def training_references(db: Database, holdout: float) -> Iterator[tuple[str, list[str]]]:
    """Stream the training papers, in the order of their ids, with those that each cites."""
    text, after = statement("evaluation/training_references").text, ""
    held_out = held_out_below(holdout)
    while rows := db.read(text, after=after, limit=_PAGE, held_out=held_out):
        yield from ((row["id"], row["cites"]) for row in rows)
        after = rows[-1]["id"]


def held_out_citations(
    db: Database, split: HeldOutSplit, holdout: float
) -> Iterator[HeldOutCitations]:
    """Stream the papers of a split that are scored, with their citations and co-citations.

    The co-citations of validation papers are not counted in test papers, so that a model chosen
    on validation has seen nothing of the test citations.
    """
    text = statement("evaluation/held_out_citations").text
    held_out, (test, _) = held_out_below(holdout), split_draws(split, holdout)
    for ids in batches(query_ids(db, split, holdout), _BATCH):
        for row in db.stream(text, ids=ids, held_out=held_out, test=test):
            yield HeldOutCitations(*row)
