"""Papers as they are shown: authors, venue, citations, identifiers and links beside the title."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.search.filters import Filters, resolve, spliced
from specter_graph.graph.search.fulltext import snippet
from specter_graph.graph.search.results import Hit, Reason, links


def of_ids(db: Database, ids: Sequence[str], reason: str = "has this identifier") -> list[Hit]:
    """Show papers in the order of their ids, each with a score of 1."""
    return complete(db, [Hit(each, None, None, 1.0, reasons=(Reason(reason),)) for each in ids])


def most_cited(db: Database, filters: Filters, k: int, reason: str) -> list[Hit]:
    """Show the k papers that pass the filters and are cited most."""
    passing = resolve(db, filters)
    text = spliced(statement("search/most_cited").text, passing)
    rows = db.read(text, k=k, **passing.values)
    return of_ids(db, [row["id"] for row in rows], reason)


def complete(db: Database, hits: Iterable[Hit], words: Sequence[str] = ()) -> list[Hit]:
    """Read what else is shown of each hit, with the snippet that has most of the words.

    Hits whose paper was deleted meanwhile are left out.
    """
    wanted = list(hits)
    rows = db.read(statement("search/hits").text, ids=[hit.id for hit in wanted])
    found = {row["id"]: row for row in rows}
    shown = []
    for hit in wanted:
        if (row := found.get(hit.id)) is None:
            continue
        sentence, matched = snippet(row["abstract"], words) if words else ("", [])
        shown.append(
            replace(
                hit,
                title=row["title"],
                year=row["year"],
                authors=tuple(row["authors"]),
                venue=row["venue"],
                citations=row["citations"],
                doi=row["doi"],
                arxiv_id=row["arxiv_id"],
                pubmed_id=row["pubmed_id"],
                links=links(hit.id, row["doi"], row["arxiv_id"], row["pubmed_id"], row["url"]),
                stub=row["stub"],
                snippet=sentence,
                words=tuple(matched),
            )
        )
    return shown
