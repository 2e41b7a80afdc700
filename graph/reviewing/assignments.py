"""Store assignments, and read what explains them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import neo4j

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.read import (
    authors_of,
    natural_order,
    require_venue,
    submission_id,
)
from specter_graph.graph.reviewing.resolve_people import few
from specter_graph.loaders.review_records import Assigned

_PAIRS = 500
_MOST = 10


@dataclass(frozen=True, slots=True)
class Paths:
    """The papers behind a signal, by their ids.

    `cited` are papers of the reviewer; `shared` are (the paper that both cite, one of the
    reviewer's that cites it), `two_hops` (the paper between, one of the reviewer's that it cites).
    `topics` are the words of the submission for what the reviewer's papers are about too.
    """

    reviewer: str
    submission: str
    cited: tuple[str, ...] = ()
    shared: tuple[tuple[str, str], ...] = ()
    two_hops: tuple[tuple[str, str], ...] = ()
    topics: tuple[str, ...] = ()


def paths(
    db: Database, venue: str, pairs: Iterable[tuple[str, str]], most: int = _MOST
) -> Iterator[Paths]:
    """Yield, for pairs of a reviewer and a submission, the papers and topics that connect them.

    At most `most` of each kind, in the order of ids; pairs that the venue does not have are left
    out.
    """
    require_venue(db, venue)
    author_of = authors_of(db, venue)
    text = statement("reviewing/paths").text
    known = ((author_of[key], key, paper) for key, paper in pairs if key in author_of)
    for some in batches(known, _PAIRS):
        of = {(author, submission_id(venue, paper)): (key, paper) for author, key, paper in some}
        rows = [{"author": author, "submission": paper} for author, paper in of]
        for row in db.read(text, pairs=rows, most=most):
            yield Paths(
                *of[row["author"], row["submission"]],
                cited=tuple(row["cited"]),
                shared=tuple((one, other) for one, other in row["shared"]),
                two_hops=tuple((one, other) for one, other in row["two_hops"]),
                topics=_in_common(row["topics"], {*map(_normal, row["fields"])}),
            )


def _in_common(topics: Sequence[str], fields: set[str]) -> tuple[str, ...]:
    return tuple(topic for topic in topics if _normal(topic) in fields)


def _normal(topic: str) -> str:
    return " ".join(topic.casefold().split())


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


def write_settings(db: Database, venue: str, settings: str) -> None:
    """Store the settings of the last scoring and assignment, as JSON."""
    db.write(statement("reviewing/save_settings").text, venue=venue, settings=settings)


def read_settings(db: Database, venue: str) -> str | None:
    """Return the settings of the last scoring and assignment as JSON, None before the first."""
    require_venue(db, venue)
    settings: str | None = db.value(statement("reviewing/settings").text, venue=venue)
    return settings


def _write(tx: neo4j.ManagedTransaction, venue: str, rows: list[dict[str, object]]) -> None:
    tx.run(statement("reviewing/forget_assigned").text, venue=venue).consume()
    for some in batches(rows, _ROWS):
        tx.run(statement("reviewing/assign").text, assigned=some).consume()
