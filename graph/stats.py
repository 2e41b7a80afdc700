"""Counts of the content of the graph."""

from dataclasses import dataclass

from specter_graph.cypher import statement
from specter_graph.graph.database import Database


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of nodes and relationships.

    Attributes:
        papers: Papers with a record.
        stubs: Papers that are cited but have no record.
        citations: Citations of papers with a record.
        citations_to_stubs: Citations of stubs. Stubs may also cite, if citations were loaded from
            separate files.
        authors: Authors.
        venues: Venues.
        fields: Fields of study.
        spaces: Names of the embedding spaces.
    """

    papers: int
    stubs: int
    citations: int
    citations_to_stubs: int
    authors: int
    venues: int
    fields: int
    spaces: list[str]


def stats(db: Database) -> Stats:
    """Count nodes and relationships; fast at any size."""
    [row] = db.read(statement("maintenance/counts").text)
    return Stats(**row)
