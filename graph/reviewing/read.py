"""Reads what a venue has: submissions, reviewers with what they wrote, bids."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specter_graph.core.batching import batches
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.list_venues import natural_order, require_venue
from specter_graph.loaders.review_records import Bid, Reviewer, Submission

REVIEWERS = 200
"""In a read of what is known of each: they are read some at a time, so that none takes long."""


@dataclass(frozen=True, slots=True)
class VenueReviewer:
    """A reviewer of a venue, who is the author `author` of the graph.

    `affiliations` are ids: those of the last year that the papers tell of, or all where no paper
    tells a year.
    """

    reviewer: Reviewer
    author: str
    name: str
    affiliations: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id that the venue gave."""
        return self.reviewer.id


@dataclass(frozen=True, slots=True)
class ReviewerPaper:
    """A paper that a reviewer wrote as the `position`-th of `authors`, both from 1.

    `archived` says that only an archive has it, not the literature.
    """

    reviewer: str
    paper: str
    year: int | None
    position: int
    authors: int
    archived: bool = False


def submissions(db: Database, venue: str) -> list[Submission]:
    """The submissions of a venue in the natural order of their ids (2 before 10).

    They come without authors and references: whoever scores them does not see who wrote them.
    Raises GraphError for an unknown venue.
    """
    require_venue(db, venue)
    return [
        Submission(row["key"], row["title"], row["abstract"], topics=tuple(row["topics"]))
        for row in _by_key(db.read(statement("reviewing/submissions_of").text, venue=venue))
    ]


def reviewers(db: Database, venue: str) -> list[VenueReviewer]:
    """The reviewers of a venue in the natural order of their ids.

    Raises GraphError for an unknown venue.
    """
    require_venue(db, venue)
    return [
        VenueReviewer(
            Reviewer(row["key"], row["minimum"], row["maximum"], row["senior"]),
            row["author"],
            row["name"],
            _latest(row["affiliations"]),
        )
        for row in _by_key(db.read(statement("reviewing/reviewers_of").text, venue=venue))
    ]


def reviewer_papers(
    db: Database, venue: str, only: Iterable[str] | None = None
) -> Iterator[ReviewerPaper]:
    """What the reviewers of a venue wrote, or some of them, one reviewer after another.

    Papers without records are left out.
    """
    text = statement("reviewing/reviewer_papers").text
    for some in author_pages(db, venue, only):
        for row in db.read(text, authors=[*some]):
            yield ReviewerPaper(some[row.pop("author")], **row)


def bids(db: Database, venue: str) -> list[Bid]:
    """The bids on the submissions of a venue, in the order of submissions and reviewers."""
    require_venue(db, venue)
    return [Bid(**row) for row in db.read(statement("reviewing/bids_of").text, venue=venue)]


def authors_of(db: Database, venue: str) -> dict[str, str]:
    """The reviewers of a venue: from the ids that it gave to the ids of authors, in order."""
    rows = db.read(statement("reviewing/reviewers_of").text, venue=venue)
    return {row["key"]: row["author"] for row in rows}


def author_pages(
    db: Database, venue: str, only: Iterable[str] | None = None
) -> Iterator[dict[str, str]]:
    """The reviewers of a venue, or some, a page at a time: from ids of authors to its own."""
    require_venue(db, venue)
    chosen = None if only is None else {*only}
    every = [
        (author, key)
        for key, author in authors_of(db, venue).items()
        if chosen is None or key in chosen
    ]
    return map(dict, batches(every, REVIEWERS))


def _by_key(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: natural_order(row["key"]))


def _latest(affiliations: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    newest = max((last for _, last in affiliations if last is not None), default=None)
    return tuple(key for key, last in affiliations if last == newest)
