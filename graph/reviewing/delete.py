"""Removes venues, submissions and reviewers, with what only they have.

Papers of the literature stay; papers of archives go with the last reviewer among their authors.
"""

from collections.abc import Iterable
from functools import partial

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.loading.record_writer import Forgotten, delete_orphans
from specter_graph.graph.reviewing.read import authors_of, require_venue, submission_id

_ROWS = 200


def remove_venue(db: Database, venue: str) -> None:
    """Remove a venue; who reviews for no other is a reviewer no more.

    Authors and stubs whom only the venue kept go too. Killed, it goes on when it is run again.
    Raises GraphError where there is no such venue.
    """
    require_venue(db, venue)
    while db.transaction(partial(_some_submissions, venue=venue, ids=None)):
        pass
    while db.transaction(partial(_some_reviewers, venue=venue, ids=None)):
        pass
    db.write(statement("reviewing/remove_venue").text, venue=venue)


def remove_submissions(db: Database, venue: str, keys: Iterable[str]) -> int:
    """Remove some submissions, such as those withdrawn; how many there were of them."""
    require_venue(db, venue)
    ids = [submission_id(venue, key) for key in keys]
    removed = 0
    while some := db.transaction(partial(_some_submissions, venue=venue, ids=ids)):
        removed += some
    return removed


def remove_reviewers(db: Database, venue: str, keys: Iterable[str]) -> int:
    """Remove some reviewers, by the ids that the venue gave; how many there were of them.

    Their bids, conflicts and assignments go with them.
    """
    require_venue(db, venue)
    of_venue = authors_of(db, venue)
    ids = [of_venue[key] for key in keys if key in of_venue]
    removed = 0
    while some := db.transaction(partial(_some_reviewers, venue=venue, ids=ids)):
        removed += some
    return removed


def _some_submissions(tx: neo4j.ManagedTransaction, venue: str, ids: list[str] | None) -> int:
    text = statement("reviewing/remove_submissions").text
    rows = tx.run(text, venue=venue, ids=ids, rows=_ROWS).data()
    forgotten = Forgotten()
    for row in rows:
        forgotten.stubs.update(row["papers"])
        forgotten.authors.update(row["authors"])
    delete_orphans(tx, forgotten)
    return len(rows)


def _some_reviewers(tx: neo4j.ManagedTransaction, venue: str, ids: list[str] | None) -> int:
    text = statement("reviewing/remove_reviewers").text
    rows = tx.run(text, venue=venue, ids=ids, rows=_ROWS).data()
    authors = {row["author"] for row in rows}
    archives = tx.run(statement("reviewing/remove_archives").text, authors=sorted(authors)).data()
    authors.update(author for row in archives for author in row["authors"])
    delete_orphans(tx, Forgotten(authors=authors))
    return len(rows)
