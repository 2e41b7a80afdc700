"""Read the venues of the graph: submissions, reviewers with their papers, bids and vectors."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import neo4j

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import batches
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database, run_statement
from specter_graph.graph.embeddings.spaces import (
    outdated_ids,
    read_vectors,
    text_hash,
    write_vectors,
)
from specter_graph.loaders.records import PaperText
from specter_graph.loaders.review_records import Bid, Reviewer, Submission

MAX_VENUE_NAME_LENGTH = 200

ROWS_PER_WRITE = 10_000
_REVIEWERS_PER_READ = 200
_DIGITS = re.compile(r"(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class VenueCounts:
    """A venue and its numbers of submissions, reviewers, bids, conflicts and assigned reviews.

    Attributes:
        name: Name of the venue.
        year: Year of the venue, None if unknown.
        submissions: Number of submissions.
        without_known_author: Number of submissions without an author in the graph.
        reviewers: Number of reviewers.
        bids: Number of bids.
        conflicts: Number of declared conflicts.
        assigned: Number of assigned reviews.
    """

    name: str
    year: int | None
    submissions: int
    without_known_author: int
    reviewers: int
    bids: int
    conflicts: int
    assigned: int


@dataclass(frozen=True, slots=True)
class VenueReviewer:
    """A reviewer of a venue and the author of the graph that the reviewer is.

    `affiliations` are ids: the affiliations of the last year that papers give, or all affiliations
    if no paper gives a year.
    """

    reviewer: Reviewer
    author: str
    name: str
    affiliations: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id that the venue gave."""
        return self.reviewer.id


def distinct_names(reviewers: Sequence[VenueReviewer]) -> dict[str, str]:
    """Return the names of reviewers by id; those with a common name also have the id in theirs."""
    counts = Counter(reviewer.name for reviewer in reviewers)
    return {
        each.id: each.name if counts[each.name] == 1 else f"{each.name} ({each.id})"
        for each in reviewers
    }


@dataclass(frozen=True, slots=True)
class ReviewerPaper:
    """A paper of a reviewer, who is author number `position` (from 1) of `authors`.

    `archived` is true for a paper of an archive that the literature lacks.
    """

    reviewer: str
    paper: str
    year: int | None
    position: int
    authors: int
    archived: bool = False


def list_venues(db: Database) -> list[VenueCounts]:
    """List the venues by name, with their numbers of submissions, reviewers and reviews."""
    return [VenueCounts(**row) for row in db.read("reviewing/venues")]


def require_venue(db: Database, venue: str) -> int:
    """Return the year of a venue, by default this year; raise GraphError for an unknown venue."""
    rows = db.read("reviewing/known_venue", venue=venue)
    if not rows:
        names = ", ".join(known.name for known in list_venues(db)) or "none"
        raise GraphError(
            f"the graph has no venue {venue!r}; its venues are: {names}",
            "load submissions and reviewers first: specter-graph match load --help",
        )
    year: int | None = rows[0]["year"]
    return year or datetime.now(UTC).year


def checked_name(venue: str) -> str:
    """Return the name of a venue; raise InputError for a name that cannot be used."""
    if (
        not venue
        or venue != venue.strip()
        or len(venue) > MAX_VENUE_NAME_LENGTH
        or not venue.isprintable()
        or venue.startswith("-")  # a command would read an option
        or "/" in venue  # ends the name of the venue in the id of a submission
    ):
        raise InputError(
            f"{venue[:MAX_VENUE_NAME_LENGTH]!r} cannot be the name of a venue",
            f"use at most {MAX_VENUE_NAME_LENGTH} printable characters without a slash, a hyphen"
            " before them or space around them, such as ICLR-2027",
        )
    return venue


def retire_reviewers(db: Database, venue: str, reviewers: Collection[str]) -> None:
    """Set the loads of reviewers of a venue to 0; their bids and conflicts stay."""
    if reviewers:
        db.write("reviewing/retire_reviewers", venue=venue, reviewers=[*reviewers])


def natural_order(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return a sort key by which numbers within names count as numbers: 2 before 10."""
    parts = _DIGITS.split(name)
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts)), name


def submission_id(venue: str, key: str) -> str:
    """Return the id in the graph of the submission that the venue calls `key`."""
    return f"{venue}/{key}"


def possible_ids(written: str) -> tuple[str, str]:
    """Return the ids that a file may mean, the likeliest first.

    Spreadsheets and pandas write 1 as 1.0, if a column of numbers has empty cells.
    """
    return written, written.removesuffix(".0")


def find_submission(written: str, ids: Container[str]) -> str | None:
    """Return the id among `ids` that a file gives, None for none."""
    return next((id for id in possible_ids(written) if id in ids), None)


def outdated_submissions(db: Database, venue: str, space: str, digest: str) -> list[PaperText]:
    """Return the texts of submissions whose vector is missing or outdated, by the venue's ids.

    A vector is outdated if it belongs to another text, or to a model with another digest.
    """
    texts = {
        submission_id(venue, submission.id): PaperText(
            submission.id, submission.title, submission.abstract
        )
        for submission in read_submissions(db, venue)
    }
    hashes = ((key, text_hash(digest, text)) for key, text in texts.items())
    return [texts[key] for key in outdated_ids(db, space, hashes, label="Submission")]


def write_submission_vectors(
    db: Database, venue: str, space: str, texts: Sequence[PaperText], vectors: Vectors, digest: str
) -> None:
    """Store the vectors, (n, d) float32, of n texts by the model with this digest."""
    ids = [submission_id(venue, text.id) for text in texts]
    hashes = [text_hash(digest, text) for text in texts]
    write_vectors(db, space, ids, vectors, hashes, label="Submission")


def read_submission_vectors(
    db: Database, venue: str, space: str, keys: Sequence[str]
) -> tuple[list[str], Vectors]:
    """Return the keys of the submissions that have a vector, and these vectors, (n, d) float32.

    Raises GraphError for an unknown space.
    """
    ids = [submission_id(venue, key) for key in keys]
    with_vector, vectors = read_vectors(db, space, ids, label="Submission")
    return [key.removeprefix(f"{venue}/") for key in with_vector], vectors


def read_submissions(db: Database, venue: str) -> list[Submission]:
    """Return the submissions of a venue in the natural order of their ids (2 before 10).

    Authors and references are omitted, so that scores cannot depend on them. Raises GraphError
    for an unknown venue.
    """
    require_venue(db, venue)
    return [
        Submission(row.pop("key"), **row | {"topics": tuple(row["topics"])})
        for row in _sort_by_key(db.read("reviewing/submissions_of", venue=venue))
    ]


def read_reviewers(db: Database, venue: str, role: str | None = None) -> list[VenueReviewer]:
    """Return the reviewers of a venue with a role, or all, in the natural order of their ids.

    Raises GraphError for an unknown venue, and for a role that none of its reviewers has.
    """
    require_venue(db, venue)
    reviewers = []
    for row in _sort_by_key(db.read("reviewing/reviewers_of", venue=venue)):
        author, name, affiliations = map(row.pop, ("author", "name", "affiliations"))
        reviewer = Reviewer(row.pop("key"), **row | {"tracks": tuple(row["tracks"])})
        reviewers.append(VenueReviewer(reviewer, author, name, _select_latest(affiliations)))
    chosen = [each for each in reviewers if role in (None, each.reviewer.role)]
    if reviewers and not chosen:
        roles = ", ".join(sorted({each.reviewer.role for each in reviewers}))
        raise GraphError(
            f"no reviewer of {venue!r} has the role {role!r}; the roles are: {roles}",
            "load a list of reviewers with a column role",
        )
    return chosen


def reviewers_by_email(reviewers: Iterable[VenueReviewer]) -> dict[str, VenueReviewer]:
    """Map e-mail addresses, in lower case, to the reviewers who have one."""
    return {each.reviewer.email.lower(): each for each in reviewers if each.reviewer.email}


def read_reviewer_papers(
    db: Database, venue: str, only: Iterable[str] | None = None
) -> Iterator[ReviewerPaper]:
    """Yield the papers of the reviewers of a venue, or of the reviewers `only`, by reviewer.

    Papers without a record are omitted.
    """
    require_venue(db, venue)
    chosen = None if only is None else {*only}
    pairs = (
        (author, key)
        for key, author in reviewer_authors(db, venue).items()
        if chosen is None or key in chosen
    )
    for page in map(dict, batches(pairs, _REVIEWERS_PER_READ)):
        for row in db.read("reviewing/reviewer_papers", authors=[*page]):
            yield ReviewerPaper(page[row.pop("author")], **row)


def read_bids(db: Database, venue: str) -> list[Bid]:
    """Return the bids on the submissions of a venue, by submission and reviewer."""
    require_venue(db, venue)
    return [Bid(**row) for row in db.read("reviewing/bids_of", venue=venue)]


def bid_values(db: Database, venue: str) -> dict[tuple[str, str], float]:
    """Map pairs of a reviewer and a submission of a venue to the values of their bids."""
    return {(bid.reviewer, bid.submission): bid.value for bid in read_bids(db, venue)}


def reviewer_authors(db: Database, venue: str) -> dict[str, str]:
    """Map the ids of the reviewers of a venue to the ids of their authors, in order."""
    rows = db.read("reviewing/reviewers_of", venue=venue)
    return {row["key"]: row["author"] for row in rows}


def _sort_by_key(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: natural_order(row["key"]))


def _select_latest(affiliations: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    newest = max((last for _, last in affiliations if last is not None), default=None)
    return tuple(key for key, last in affiliations if last == newest)


def replace_rows(
    db: Database,
    venue: str,
    kind: str,
    rows: Sequence[dict[str, Any]],
    *,
    check: Callable[[neo4j.ManagedTransaction], None] = lambda _: None,
    **parameters: object,
) -> int:
    """Run `check`, reviewing/forget_KIND, then reviewing/KIND in batches, in one transaction.

    Returns the number of rows.
    """
    given = {"venue": venue, "source": None, "papers": None, **parameters}

    def write(tx: neo4j.ManagedTransaction) -> None:
        check(tx)
        run_statement(tx, f"reviewing/forget_{kind}", **given)
        for batch in batches(rows, ROWS_PER_WRITE):
            run_statement(tx, f"reviewing/{kind}", **given, **{kind: batch})

    db.transaction(write)
    return len(rows)
