"""Remove venues, submissions and reviewers, with everything that belongs to them alone.

Papers of the literature stay. A paper of an archive is removed when no author of it reviews for a
venue any more.
"""

from functools import partial

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.database import Database, run_statement
from specter_graph.graph.loading.record_writer import Orphans, delete_orphans
from specter_graph.graph.reviewing.profiles import forget_profiles
from specter_graph.graph.reviewing.venue_data import require_venue

_BATCH = 200


def remove_venue(db: Database, venue: str) -> None:
    """Remove a venue with its submissions, reviewers and authors that belong to it alone.

    If it was interrupted, run it again. Raises GraphError for an unknown venue.
    """
    require_venue(db, venue)
    forget_profiles(db, venue)
    for remove in (_remove_submissions, _remove_reviewers):
        while db.transaction(partial(remove, venue=venue)):
            pass
    db.write(statement("reviewing/remove_venue").text, venue=venue)


def _remove_submissions(tx: neo4j.ManagedTransaction, venue: str) -> int:
    """Remove some submissions; return how many."""
    rows = run_statement(tx, "reviewing/remove_submissions", venue=venue, limit=_BATCH)
    forgotten = Orphans()
    for row in rows:
        forgotten.stubs.update(row["papers"])
        forgotten.authors.update(row["authors"])
    delete_orphans(tx, forgotten)
    return len(rows)


def _remove_reviewers(tx: neo4j.ManagedTransaction, venue: str) -> int:
    rows = run_statement(tx, "reviewing/remove_reviewers", venue=venue, limit=_BATCH)
    authors = {row["author"] for row in rows}
    archives = run_statement(tx, "reviewing/remove_archives", authors=sorted(authors))
    authors.update(author for row in archives for author in row["authors"])
    delete_orphans(tx, Orphans(authors=authors))
    return len(rows)
