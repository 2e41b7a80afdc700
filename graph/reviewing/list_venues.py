"""Which venues there are, and how much each has."""

import re
from dataclasses import dataclass

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database

LONGEST_NAME = 200
_DIGITS = re.compile(r"(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class VenueSize:
    """A venue and how much it has.

    `anonymous` are the submissions of which the graph knows no author, `conflicts` those declared,
    `assigned` pairs of a reviewer and a submission.
    """

    name: str
    year: int | None
    submissions: int
    anonymous: int
    reviewers: int
    bids: int
    conflicts: int
    assigned: int


def venues(db: Database) -> list[VenueSize]:
    """List the venues by name."""
    return [VenueSize(**row) for row in db.read(statement("reviewing/venues").text)]


def require_venue(db: Database, venue: str) -> int | None:
    """The year of a venue, if it is known; raises GraphError, naming others, where it is not."""
    found = db.read(statement("reviewing/known_venue").text, venue=venue)
    if not found:
        there = ", ".join(each.name for each in venues(db))
        raise GraphError(
            f"there is no venue {venue!r}; " + (f"there are {there}" if there else "there is none"),
            "load its submissions and reviewers first",
        )
    year: int | None = found[0]["year"]
    return year


def checked_name(venue: str) -> str:
    """The name of a venue, if it can be one; raises GraphError."""
    if not venue or venue != venue.strip() or len(venue) > LONGEST_NAME or not venue.isprintable():
        raise GraphError(
            f"{venue[:LONGEST_NAME]!r} cannot name a venue",
            f"at most {LONGEST_NAME} letters and signs, without space around them: ICLR-2027",
        )
    if "/" in venue:  # it ends the venue's name in the ids of submissions
        raise GraphError(f"{venue!r} cannot name a venue: it has a slash", "write ICLR-2027, say")
    return venue


def natural_order(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return a sort key by which numbers within names count as numbers: 2 before 10."""
    parts = _DIGITS.split(name)
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts)), name


def submission_id(venue: str, key: str) -> str:
    """The id in the graph of a submission that the venue calls `key`."""
    return f"{venue}/{key}"
