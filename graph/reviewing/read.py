"""Read the venues, and what each has: submissions, reviewers with their papers, bids, vectors."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    Vectors,
    read_vectors,
    stale,
    text_hash,
    write_vectors,
)
from specter_graph.loaders.records import PaperText
from specter_graph.loaders.review_records import Bid, Reviewer, Submission

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


def stale_submissions(db: Database, venue: str, space: str, digest: str) -> list[PaperText]:
    """The texts, by the venue's ids, whose vector is missing, or of another text or model.

    `digest` is that of the model that made the space.
    """
    texts = [PaperText(each.id, each.title, each.abstract) for each in submissions(db, venue)]
    of = {submission_id(venue, text.id): text for text in texts}
    hashes = ((key, text_hash(digest, text)) for key, text in of.items())
    return [of[key] for key in stale(db, space, hashes, of="Submission")]


def write_submission_vectors(
    db: Database,
    venue: str,
    space: str,
    texts: Sequence[PaperText],
    vectors: Vectors,
    digest: str,
) -> None:
    """Store vectors, (n, d) float32, of texts by a model with that digest."""
    ids = [submission_id(venue, text.id) for text in texts]
    hashes = [text_hash(digest, text) for text in texts]
    write_vectors(db, space, ids, vectors, hashes, of="Submission")


def read_submission_vectors(
    db: Database, venue: str, space: str, keys: Sequence[str]
) -> tuple[list[str], Vectors]:
    """Of submissions those that have a vector, in their order, and (n, d) float32 of these.

    Raises GraphError where there is no such space.
    """
    ids = [submission_id(venue, key) for key in keys]
    found, vectors = read_vectors(db, space, ids, of="Submission")
    return [key.removeprefix(f"{venue}/") for key in found], vectors


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
