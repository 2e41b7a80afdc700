"""Keeps who is to review what."""

from collections.abc import Iterable
from functools import partial

import neo4j

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.list_venues import natural_order, require_venue, submission_id
from specter_graph.graph.reviewing.read import authors_of
from specter_graph.graph.reviewing.resolve_people import few
from specter_graph.loaders.review_records import Assigned

_ROWS = 10_000


def write_assigned(db: Database, venue: str, pairs: Iterable[Assigned]) -> None:
    """Write who is to review what, all of it, in place of what was there; in one transaction.

    Raises GraphError for a reviewer or a submission that the venue does not have.
    """
    require_venue(db, venue)
    author_of = authors_of(db, venue)
    pairs = list(pairs)
    unknown = [pair.reviewer for pair in pairs if pair.reviewer not in author_of]
    rows = [
        {
            "author": author_of[pair.reviewer],
            "submission": submission_id(venue, pair.submission),
            "affinity": pair.affinity,
            "locked": pair.locked,
        }
        for pair in pairs
        if not unknown
    ]
    wanted = {pair.submission: submission_id(venue, pair.submission) for pair in pairs}
    known = statement("reviewing/known_submissions").text
    there = {row["id"] for row in db.read(known, ids=[*wanted.values()])}
    unknown += [key for key, paper in wanted.items() if paper not in there]
    if unknown:
        raise GraphError(f"{venue!r} does not have {few(unknown)}", "load what it has again")
    db.transaction(partial(_write, venue=venue, rows=rows))


def assigned(db: Database, venue: str) -> list[Assigned]:
    """Who is to review what, in the natural order of submissions and reviewers."""
    require_venue(db, venue)
    pairs = [Assigned(**row) for row in db.read(statement("reviewing/assigned").text, venue=venue)]
    return sorted(pairs, key=lambda pair: [*map(natural_order, (pair.submission, pair.reviewer))])


def _write(tx: neo4j.ManagedTransaction, venue: str, rows: list[dict[str, object]]) -> None:
    tx.run(statement("reviewing/forget_assigned").text, venue=venue).consume()
    for some in batches(rows, _ROWS):
        tx.run(statement("reviewing/assign").text, assigned=some).consume()
