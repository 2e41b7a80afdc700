"""The vocabulary of peer review: submissions, reviewers, and what is known of pairs of them."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["author", "coauthor", "affiliation", "advisor", "declared"]
"""Why a reviewer must not see a submission."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A paper to be reviewed.

    `authors` are ids of authors, none for an anonymous submission; `references` are ids of papers;
    `topics` are the words of the venue for its subjects.
    """

    id: str
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A reviewer, by the id of an author; `minimum` and `maximum` bound the number of papers.

    None is what the venue sets for all.
    """

    id: str
    minimum: int | None = None
    maximum: int | None = None
    senior: bool = False


@dataclass(frozen=True, slots=True)
class Quota:
    """How many papers a reviewer takes; None leaves a bound as it is."""

    reviewer: str
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Bid:
    """How much a reviewer wants a submission, from -1 (not at all) to 1 (eager)."""

    reviewer: str
    submission: str
    value: float


@dataclass(frozen=True, slots=True)
class Conflict:
    """A reason that a reviewer must not see a submission.

    `evidence` says in words what it rests on; `certain` is false where names alone, or a pattern,
    speak for it ("likely").
    """

    reviewer: str
    submission: str
    kind: Kind
    evidence: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Assigned:
    """A reviewer is to review a submission; `locked` where a person has fixed it."""

    reviewer: str
    submission: str
    affinity: float
    locked: bool = False


_PERSONS = (
    re.compile(r"(?:https?://)?(?:www\.)?orcid\.org/(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])/?", re.ASCII),
    re.compile(r"(?:https?://)?(?:api\.)?openalex\.org/(?:authors/)?([Aa]\d+)/?", re.ASCII),
    re.compile(r"(?:https?://)?openreview\.net/profile\?id=(~[^&\s]+)"),
)


def parse_person_id(written: str) -> str:
    """Return the id within an address of a person: `0000-0002-1825-0097`, `A123`, `~Ann_Smith1`.

    Addresses are those of ORCID, OpenAlex and OpenReview; any other id stays as it is.
    """
    written = written.strip()
    for address in _PERSONS:
        if match := address.fullmatch(written):
            return match[1] if match[1].startswith("~") else match[1].upper()
    return written
