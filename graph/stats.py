"""How much of what the graph holds."""

from dataclasses import dataclass

from specter_graph.cypher import statement
from specter_graph.graph.database import Database


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of nodes and relationships.

    `papers` have records, `stubs` are named but have none; `citations` are those of papers with
    records, `citations_to_stubs` those of the others; where citations were told apart from records,
    stubs may cite, too. `spaces` are the names of the embedding spaces.
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
    """Count what is in the graph; quick at any size."""
    [row] = db.read(statement("maintenance/counts").text)
    return Stats(**row)
