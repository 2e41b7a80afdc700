"""The vocabulary that all rooms share: what a paper is, whichever format it came from."""

from dataclasses import dataclass, field
from hashlib import blake2b

DRAW_PRIME = 2_147_483_647
"""2^31 - 1, a prime: draws are its residues, so that products of two fit Cypher's integers."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper as its source gives it.

    `references` are the ids of the papers it cites, in the source's order; they need not have
    records of their own. `fields` are (scheme, name) pairs, `authors` are (id, name) pairs in
    the order of authorship.
    """

    id: str
    title: str
    abstract: str | None = None
    year: int | None = None
    published: str | None = None
    doi: str | None = None
    language: str | None = None
    url: str | None = None
    source: str | None = None
    authors: tuple["Author", ...] = ()
    venue: str | None = None
    fields: tuple["Field", ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Author:
    """An author; `identified` is false where the source knows only the name."""

    id: str
    name: str
    identified: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A subject label: a MAG field, a MeSH descriptor, an arXiv category, a keyword."""

    scheme: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class PaperText:
    """What an encoder reads of a paper."""

    id: str
    title: str
    abstract: str | None = None


@dataclass(slots=True)
class Reject:
    """A record that could not be used, kept with where it stood and why."""

    file: str
    line: int
    id: str | None
    reason: str
    record: str = field(default="")


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A key that the format does not have, told at its first appearance; its values are ignored."""

    file: str
    line: int
    key: str


def draw(paper_id: str) -> int:
    """A fixed pseudo-random number in [0, DRAW_PRIME) for a paper, from its id alone.

    It is stored on the Paper node. Hold-outs and samples are made from it, so that they depend
    neither on Neo4j's internal ids nor on the order of loading.
    """
    return int.from_bytes(blake2b(paper_id.encode(), digest_size=8).digest(), "big") % DRAW_PRIME
