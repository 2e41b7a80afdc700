"""The vocabulary that all rooms share: what a paper is, whichever format it came from."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypeAlias, TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True)
def _record(cls: type[_Class]) -> type[_Class]:
    """Return a dataclass that nobody changes.

    Type checkers see to it: with frozen=True Python would too, and take four times as long to make
    one, which loads do by the million.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


DRAW_PRIME = 2_147_483_647
"""2^31 - 1, a prime: draws are its residues, so that products of two fit Cypher's integers."""


@_record
class Paper:
    """One paper as its source gives it.

    `references` are the ids of the papers it cites, in the source's order; they need not have
    records of their own. What is known of some of these citations beyond the id is in `citations`,
    whose `citing` is this paper. `authors` are in the order of authorship. `elsewhere` names the
    parts that the source gives in other files or answers ("abstract", "references"): this record
    says nothing about them, and leaves alone what another says.
    """

    id: str
    title: str
    abstract: str | None = None
    year: int | None = None
    published: str | None = None
    language: str | None = None
    url: str | None = None
    source: str | None = None
    body: str | None = None
    retracted: bool | None = None
    identifiers: tuple["Identifier", ...] = ()
    authors: tuple["Author", ...] = ()
    venue: "Venue | None" = None
    fields: tuple["Field", ...] = ()
    references: tuple[str, ...] = ()
    citations: tuple["Citation", ...] = ()
    elsewhere: tuple[str, ...] = ()


@_record
class Identifier:
    """A name of a paper that other sources use too, in the spelling of `loaders.identifiers`."""

    scheme: str
    value: str


@_record
class Author:
    """An author; `identified` is false where the source knows only the name.

    `affiliations` are those given with this paper.
    """

    id: str
    name: str
    identified: bool = False
    orcid: str | None = None
    affiliations: tuple["Affiliation", ...] = ()


@_record
class Affiliation:
    """An institution."""

    id: str
    name: str


@_record
class Venue:
    """A journal, a conference, a repository."""

    id: str
    name: str


@_record
class Field:
    """A subject label: a MAG field, a MeSH descriptor, an arXiv category, a keyword.

    `broader` are the ids, in the same scheme, of the labels just above it, where that is known.
    """

    scheme: str
    id: str
    name: str
    broader: tuple[str, ...] = ()


@_record
class Citation:
    """One citation: told apart from the record of the citing paper, or a detail within it.

    `contexts` are the sentences around it, `intents` are the source's words for its purpose.
    """

    citing: str
    cited: str
    intents: tuple[str, ...] = ()
    influential: bool | None = None
    contexts: tuple[str, ...] = ()


@_record
class Abstract:
    """The abstract of a paper, told apart from its record."""

    id: str
    text: str


@_record
class Labels:
    """Subject labels of a paper, told apart from its record."""

    id: str
    fields: tuple[Field, ...]


@_record
class Reading:
    """A reader opened a paper ("VIEWED") or keeps it in a library ("READ").

    `at` is a time as the source writes it.
    """

    reader: str
    paper: str
    kind: Literal["VIEWED", "READ"]
    at: str | None = None
    session: str | None = None


Item: TypeAlias = Paper | Citation | Abstract | Labels | Field | Reading
"""What a corpus holds; a Field by itself is a label of a vocabulary."""


@_record
class PaperText:
    """What an encoder reads of a paper; `references` are titles of papers that it cites."""

    id: str
    title: str
    abstract: str | None = None
    venue: str | None = None
    authors: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    body: str | None = None


@dataclass(slots=True)
class Reject:
    """What could not be used, kept with where it stood and why.

    `repaired` records were loaded all the same, without what was wrong in them.
    """

    file: str
    line: int
    id: str | None
    reason: str
    record: str = ""
    repaired: bool = False


@_record
class UnknownKey:
    """A key that the format does not have, told at its first appearance; its values are ignored."""

    file: str
    line: int
    key: str


@_record
class Filtered:
    """A record that the filters of the load leave out."""

    id: str


@_record
class EndOfFile:
    """All items of a file have come; `key` tells the file, as it is now, from any other."""

    key: str


Read: TypeAlias = Item | Reject | UnknownKey | Filtered | EndOfFile
"""What comes out of reading a corpus."""


def draw(paper_id: str) -> int:
    """Return a fixed pseudo-random number in [0, DRAW_PRIME) for a paper, from its id alone.

    It is stored on the Paper node. Hold-outs and samples are made from it, so that they depend
    neither on Neo4j's internal ids nor on the order of loading.
    """
    return int.from_bytes(blake2b(paper_id.encode(), digest_size=8).digest(), "big") % DRAW_PRIME
