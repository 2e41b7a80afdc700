"""Data for evaluations: held-out citations, reading histories, labels, authors."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from specter_graph.core.progress import batches
from specter_graph.graph.database import Database, paged_rows
from specter_graph.graph.split import (
    MANY_REFERENCES,
    HeldOutSplit,
    held_out_below,
    query_ids,
    split_keys,
)

ReadingKind = Literal["VIEWED", "SAVED"]

_PAGE = 1_000
_QUERIES = 200


class HistoryEntry(NamedTuple):
    """A paper that a reader viewed or saved, with the time and the session if known."""

    paper: str
    sample_key: int
    at: str | None
    session: str | None


class LabeledPaper(NamedTuple):
    """A paper with its date, the ids of its venues, and its fields as (scheme, id)."""

    id: str
    sample_key: int
    year: int | None
    published: str | None
    venues: list[str]
    fields: list[list[str]]


class KnownPaper(NamedTuple):
    """A paper with the ids of its authors and citations; held-out papers have no citations."""

    id: str
    title: str
    year: int | None
    authors: list[str]
    references: list[str]
    cited_by: list[str]


def reading_histories(db: Database, kind: ReadingKind) -> Iterator[tuple[str, list[HistoryEntry]]]:
    """Stream the readers in the order of their ids, each with its history in any order."""
    for row in paged_rows(db, "evaluation/readings", "reader", _PAGE, kind=kind):
        yield row["reader"], [HistoryEntry(**reading) for reading in row["readings"]]


def labeled_papers(db: Database) -> Iterator[LabeledPaper]:
    """Stream all papers that have a record, in the order of their ids."""
    for row in paged_rows(db, "evaluation/labels", "id", _PAGE):
        yield LabeledPaper(**row)


def broader_fields(db: Database, scheme: str) -> dict[str, list[str]]:
    """Return the ids of the broader fields of each field of a scheme, except of top fields."""
    return {row["field"]: row["broader"] for row in db.read("evaluation/broader", scheme=scheme)}


def known_papers(db: Database, ids: Sequence[str], holdout: float) -> Iterator[KnownPaper]:
    """Stream the data of these papers, except of stubs."""
    held_out = held_out_below(holdout)
    for page in batches(ids, _PAGE):
        rows = db.read("evaluation/paper_facts", ids=page, held_out=held_out)
        yield from (KnownPaper(**row) for row in rows)


def merged_ids(db: Database, ids: Sequence[str]) -> dict[str, str]:
    """Map the ids that are members of combined papers to the ids of these papers."""
    papers: dict[str, str] = {}
    for page in batches(ids, _PAGE):
        [row] = db.read("loading/canonical_papers", ids=page)
        papers.update(zip(row["ids"], row["papers"], strict=True))
    return papers


class HeldOutCitations(NamedTuple):
    """A held-out paper and the training papers that are related to it, as ids in any order.

    Training papers have a record and are not held out. `cocited` counts the papers that cite both.
    """

    id: str
    cites: list[str]
    cited_by: list[str]
    cocited: dict[str, int]


def training_references(db: Database, holdout: float) -> Iterator[tuple[str, list[str]]]:
    """Stream the training papers in the order of their ids, each with its references."""
    held_out = held_out_below(holdout)
    for row in paged_rows(db, "evaluation/training_references", "id", _PAGE, held_out=held_out):
        yield row["id"], row["cites"]


def held_out_citations(
    db: Database, split: HeldOutSplit, holdout: float, *, references: range = MANY_REFERENCES
) -> Iterator[HeldOutCitations]:
    """Stream the papers of a split with their citations, see `query_ids`.

    Citations from test papers do not count as co-citations of validation papers, so a model that
    was chosen on the validation papers has not seen test citations.
    """
    held_out, (test, _) = held_out_below(holdout), split_keys(split, holdout)
    for ids in batches(query_ids(db, split, holdout, references=references), _QUERIES):
        for paper, cites, cited_by, cocited, times in db.stream(
            "evaluation/held_out_citations", ids=ids, held_out=held_out, test=test
        ):
            counts = dict(zip(cocited, times, strict=True))
            yield HeldOutCitations(paper, cites, cited_by, counts)
