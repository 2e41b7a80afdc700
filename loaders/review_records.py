"""The records of peer review, and the ids of people and institutions in its files."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["author", "coauthor", "affiliation", "advisor", "relation", "declared"]
"""The kind of a conflict of interest."""
REVIEWER = "reviewer"
"""The role of reviewers without another role."""
_PERSON_URLS: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"(?:www\.)?orcid\.org/(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])/?", str.upper),
    (r"(?:api\.)?openalex\.org/(?:authors/)?([Aa]\d+)/?", str.upper),
    (r"openreview\.net/profile\?id=(~[^&\s]+)", str),
    (r"(?:www\.)?semanticscholar\.org/author/(?:[^/]+/)?(\d+)/?", "s2:{}".format),
    (
        r"(?:www\.)?dblp\.(?:org|uni-trier\.de)/pid/([^\s?#]+)",
        lambda pid: f"dblp:{pid.removesuffix('.html')}",
    ),
)
"""URLs of persons without https://, and functions that return the id of a person."""
_ORCID = re.compile(r"(?:orcid:)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.ASCII)
_OPENALEX = re.compile(r"[Aa]\d+", re.ASCII)
_NAMED = re.compile(r"(?:s2|dblp|openalex|openreview|email):.+")
_IDENTIFIERS = {
    "orcid": _ORCID,
    "openalex": re.compile(r"(?:openalex:)?([Aa]\d+)", re.ASCII),
    "semantic_scholar": re.compile(r"(?:s2:)?(\d+)", re.ASCII),
    "dblp": re.compile(r"(?:dblp:)?([\w-]+/[\w/-]+)"),
}
_PREFIXES = {"semantic_scholar": "s2:", "dblp": "dblp:"}
IDENTIFIERS = tuple(_IDENTIFIERS)
"""Kinds of ids by which the papers of a person can be fetched."""
_ROR = re.compile(r"(?:https?://)?(?:ror\.org/|ror:)?(0[a-hj-km-np-tv-z0-9]{6}\d{2})/?", re.I)
_DOMAIN = re.compile(r"(?:https?://)?(?:[^\s@/]+@)?((?:[\w-]+\.)+[a-z]{2,})(?:/\S*)?", re.I)
_SECOND_LEVEL = {"ac", "co", "com", "edu", "gob", "gouv", "gov", "go", "net", "or", "org", "sch"}
"""Labels before the label of a country that belong to no institution: ox.ac.uk, tsinghua.edu.cn."""
MAIL_PROVIDERS = frozenset(
    Path(__file__).with_name("mail_providers.txt").read_text(encoding="utf-8").split()
)
"""Domains of e-mail addresses that say nothing about an institution."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A paper to be reviewed.

    Attributes:
        authors: Ids of authors; none for an anonymous submission.
        references: Ids of papers.
        topics: Subject areas of the venue.
        demand: Number of reviewers, None for the number that all submissions get.
        track: Track, None if reviewers of all tracks can review it.
    """

    id: str
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    demand: int | None = None
    track: str | None = None


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A reviewer or a chair; `id` is the id of an author.

    Attributes:
        minimum: Minimum number of papers, None for the default of the venue.
        maximum: Maximum number of papers, None for the default of the venue.
        senior: True for a senior reviewer.
        email: E-mail address, by which files of conference systems name the reviewer.
        role: The role at the venue, such as `reviewer` or `area chair`.
        tracks: Tracks whose submissions the reviewer can have; none for all tracks.
        region: Region, such as a country or a continent.
        member: Number of the member in files of EasyChair.
        name: Name of a person who is new to the graph; the venue does not store it.
    """

    id: str
    minimum: int | None = None
    maximum: int | None = None
    senior: bool = False
    email: str | None = None
    role: str = REVIEWER
    tracks: tuple[str, ...] = ()
    region: str | None = None
    member: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """Bounds of the number of papers of a reviewer; None leaves a bound unchanged."""

    reviewer: str
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Bid:
    """A reviewer's interest in a submission, from -1 (not at all) to 1 (eager)."""

    reviewer: str
    submission: str
    value: float


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict of interest of a reviewer with a submission.

    `evidence` explains it in words. `certain` is False if only names or a pattern support it
    ("likely").
    """

    reviewer: str
    submission: str
    kind: Kind
    evidence: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's membership of an institution; `until` is the last year, None if it continues."""

    person: str
    institution: str
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of two people, such as advisor; `until` is the last year, None if it continues."""

    person: str
    other: str
    relation: str
    until: int | None = None


@dataclass(frozen=True, slots=True)
class InstitutionLink:
    """An institution and another one: its parent, or the same one under another id."""

    institution: str
    other: str
    is_parent: bool


@dataclass(frozen=True, slots=True)
class AssignedPair:
    """The assignment of a reviewer to a submission; `locked` if a person has fixed it."""

    reviewer: str
    submission: str
    affinity: float
    locked: bool = False


def member_id(number: str) -> str:
    """Return the id of a reviewer in files of EasyChair that give only the number of a member."""
    return f"easychair:{number}"


def parse_person_id(written: str) -> str:
    """Return the id in the URL of a person: `0000-0002-1825-0097`, `A123`, `~Ann_Smith1`, `s2:1`.

    URLs are those of ORCID, OpenAlex, OpenReview, Semantic Scholar and dblp; any other id is
    returned unchanged.
    """
    written = written.strip()
    for pattern, normalize in _PERSON_URLS:
        if match := re.fullmatch(rf"(?:https?://)?{pattern}", written, re.ASCII):
            return normalize(match[1])
    return written


def parse_identifier(kind: str, written: str) -> str | None:
    """Return an id of one of the kinds `IDENTIFIERS` in its normal form, or None.

    The forms are `0000-0002-1825-0097`, `A123`, `s2:1741101` and `dblp:65/9612`.
    """
    person = parse_person_id(written)
    if kind in ("orcid", "openalex"):
        person = person.upper().replace("ORCID:", "orcid:").replace("OPENALEX:", "openalex:")
    match = _IDENTIFIERS[kind].fullmatch(person)
    return f"{_PREFIXES.get(kind, '')}{match[1]}" if match else None


def orcid_of(person: str) -> str | None:
    """Return the ORCID that the id of a person is, or None."""
    match = _ORCID.fullmatch(person)
    return match[1] if match else None


def new_author_id(person: str) -> str:
    """Return the id that a reviewer gets in the graph if no author has the id yet.

    The prefix says what kind of id it is: `orcid:`, `openalex:`, `s2:`, `dblp:`, `email:`, or else
    `openreview:`.
    """
    if orcid := orcid_of(person):
        return f"orcid:{orcid}"
    if _OPENALEX.fullmatch(person):
        return f"openalex:{person.upper()}"
    if _NAMED.fullmatch(person):
        return person
    return f"email:{person.lower()}" if "@" in person else f"openreview:{person}"


def institution_id(written: str) -> str | None:
    """Return the id of an institution, None for a text that is none and for a mail provider.

    `https://ror.org/042nb2s44` gives `ror:042nb2s44`; `ann@cs.ox.ac.uk`, `cs.ox.ac.uk` and
    `https://www.ox.ac.uk/about` give `domain:ox.ac.uk`: subdomains belong to their institution.
    """
    written = written.strip()
    if ror := _ROR.fullmatch(written):
        return f"ror:{ror[1].lower()}"
    if not (match := _DOMAIN.fullmatch(written)):
        return None
    labels = match[1].lower().split(".")
    is_under_country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    domain = ".".join(labels[-3 if is_under_country else -2 :])
    return None if domain in MAIL_PROVIDERS else f"domain:{domain}"


def is_mail_provider(written: str) -> bool:
    """Return true for an address whose domain is in `MAIL_PROVIDERS`."""
    match = _DOMAIN.fullmatch(written.strip())
    return bool(match) and institution_id(written) is None


def normalize_name(name: str) -> str:
    """Return the name of a track, region or topic without case and repeated white space."""
    return " ".join(name.casefold().split())
