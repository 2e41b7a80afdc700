"""Reads one paper with its surroundings."""

from dataclasses import dataclass
from typing import TypedDict

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.queries.library_queries import current_ids

NEIGHBORS = 20
"""Cited papers, and citing papers, of a paper."""


class Neighbor(TypedDict):
    """A paper that cites another, or is cited by it."""

    id: str
    title: str | None
    year: int | None


@dataclass(frozen=True, slots=True)
class PaperDetails:
    """A paper with its text, its authors and the most cited papers around it.

    Attributes:
        title: None for a stub, a paper of which only the id is known.
        authors: Names, in order.
        references: The number of papers that it cites.
        citations: The number of papers that cite it.
        cites: The most cited papers that it cites, `NEIGHBORS` at most.
        cited_by: The most cited papers that cite it, `NEIGHBORS` at most.
    """

    id: str
    title: str | None
    abstract: str | None
    year: int | None
    venue: str | None
    doi: str | None
    url: str | None
    authors: list[str]
    references: int
    citations: int
    cites: list[Neighbor]
    cited_by: list[Neighbor]


def read_paper(db: Database, id: str) -> PaperDetails:
    """Read a paper; a merged paper is found by the ids of its parts, too.

    Raises:
        GraphError: There is no such paper; the hint names similar ids.
    """
    [current] = current_ids(db, [id])
    [row] = db.read(statement("integrations/paper").text, id=current, k=NEIGHBORS)
    return PaperDetails(**row)
