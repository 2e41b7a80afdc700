"""Remove venues, submissions and reviewers, with everything that belongs to them alone.

Papers of the literature stay. A paper of an archive is removed when no author of it reviews for a
venue any more.
"""

from collections.abc import Callable, Iterable
from functools import partial

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.database import Database, run_statement
from specter_graph.graph.loading.record_writer import Orphans, delete_orphans
from specter_graph.graph.reviewing.profiles import forget_profiles
from specter_graph.graph.reviewing.venue_data import (
    require_venue,
    reviewer_authors,
    submission_id,
)

_BATCH = 200


def remove_venue(db: Database, venue: str) -> None:
    """Remove a venue with its submissions, reviewers and authors that belong to it alone.

    If it was interrupted, run it again. Raises GraphError for an unknown venue.
    """
    require_venue(db, venue)
    forget_profiles(db, venue)
    _remove_all(db, _remove_submissions, venue, None)
    _remove_all(db, _remove_reviewers, venue, None)
    db.write(statement("reviewing/remove_venue").text, venue=venue)


def remove_submissions(db: Database, venue: str, keys: Iterable[str]) -> int:
    """Remove submissions by the ids that the venue gave; return how many were removed."""
    require_venue(db, venue)
    return _remove_all(db, _remove_submissions, venue, [submission_id(venue, key) for key in keys])


def remove_reviewers(db: Database, venue: str, keys: Iterable[str]) -> int:
    """Remove reviewers by the ids that the venue gave; return how many were removed.

    Their bids, conflicts and assignments are removed too.
    """
    require_venue(db, venue)
    author_of = reviewer_authors(db, venue)
    ids = [author_of[key] for key in keys if key in author_of]
    return _remove_all(db, _remove_reviewers, venue, ids)


def _remove_all(db: Database, remove: Callable[..., int], venue: str, ids: list[str] | None) -> int:
    removed = 0
    while count := db.transaction(partial(remove, venue=venue, ids=ids)):
        removed += count
    return removed


def _remove_submissions(tx: neo4j.ManagedTransaction, venue: str, ids: list[str] | None) -> int:
    rows = run_statement(tx, "reviewing/remove_submissions", venue=venue, ids=ids, limit=_BATCH)
    forgotten = Orphans()
    for row in rows:
        forgotten.stubs.update(row["papers"])
        forgotten.authors.update(row["authors"])
    delete_orphans(tx, forgotten)
    return len(rows)


def _remove_reviewers(tx: neo4j.ManagedTransaction, venue: str, ids: list[str] | None) -> int:
    rows = run_statement(tx, "reviewing/remove_reviewers", venue=venue, ids=ids, limit=_BATCH)
    authors = {row["author"] for row in rows}
    archives = run_statement(tx, "reviewing/remove_archives", authors=sorted(authors))
    authors.update(author for row in archives for author in row["authors"])
    delete_orphans(tx, Orphans(authors=authors))
    return len(rows)
