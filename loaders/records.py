"""The records that all packages share: a paper and its parts, whatever format they come from."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypeAlias, TypeVar, dataclass_transform

_Class = TypeVar("_Class")

SAMPLE_PRIME = 2_147_483_647
"""2^31 - 1, a prime. Sample keys are residues modulo it: products of two fit Cypher's integers."""


@dataclass_transform(frozen_default=True)
def _record(cls: type[_Class]) -> type[_Class]:
    """Return a dataclass that type checkers treat as frozen.

    With frozen=True, Python would need four times as long to create an instance, and a load creates
    millions.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


@_record
class Paper:
    """A paper as its source describes it.

    Attributes:
        published: The publication date as far as it is known: 2020-07-05, 2020-07 or 2020.
        body: The full text.
        authors: In the order of authorship.
        references: The ids of the papers it cites, in the order of the source. Cited papers need
            not have records.
        citations: Details of some of these citations; `citing` is always this paper.
        elsewhere: The parts that the source delivers in other files or answers ("abstract",
            "references"). This record says nothing about them and does not replace them.
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
    """An id that several sources use for a paper, normalized by `loaders.identifiers`."""

    scheme: str
    value: str


@_record
class Author:
    """An author; `identified` is False if the source gives only a name.

    `affiliations` are those that the author has in this paper.
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
    """A journal, a conference or a repository."""

    id: str
    name: str


@_record
class Field:
    """A subject label: a MAG field, a MeSH descriptor, an arXiv category, a keyword.

    `broader` are the ids of the labels directly above it in the same scheme, if known.
    """

    scheme: str
    id: str
    name: str
    broader: tuple[str, ...] = ()


@_record
class Citation:
    """A citation from a file of citations, or the details of one in the record of the citing paper.

    `contexts` are the sentences around the citation; `intents` are its purposes in the words of the
    source.
    """

    citing: str
    cited: str
    intents: tuple[str, ...] = ()
    influential: bool | None = None
    contexts: tuple[str, ...] = ()


@_record
class Abstract:
    """The abstract of a paper, from a file of abstracts."""

    id: str
    text: str


@_record
class Labels:
    """The subject labels of a paper, from a file of labels."""

    id: str
    fields: tuple[Field, ...]


@_record
class Reading:
    """A reader opened a paper ("VIEWED") or saved it in a library ("SAVED").

    `at` is the time as the source writes it.
    """

    reader: str
    paper: str
    kind: Literal["VIEWED", "SAVED"]
    at: str | None = None
    session: str | None = None


Item: TypeAlias = Paper | Citation | Abstract | Labels | Field | Reading
"""A record of a corpus; a separate Field is a label of a vocabulary."""


@_record
class PaperText:
    """The input of an encoder; `references` are titles of cited papers."""

    id: str
    title: str
    abstract: str | None = None
    venue: str | None = None
    authors: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    body: str | None = None

    @property
    def passage(self) -> str:
        """The title and the abstract as the text that a reranker reads."""
        return f"{self.title}. {self.abstract or ''}"


@dataclass(slots=True)
class Reject:
    """A record that cannot be used, or a value left out of one, with its place and the reason.

    `repaired` is True if the record was loaded without the value.
    """

    file: str
    line: int
    id: str | None
    reason: str
    record: str = ""
    repaired: bool = False

    @property
    def name(self) -> str:
        """The id, or else the line."""
        return self.id or f"line {self.line}"


@_record
class UnknownKey:
    """A key that the format does not have, reported once a file; its values are ignored."""

    file: str
    line: int
    key: str


@_record
class Filtered:
    """A record that the filters of the load exclude."""

    id: str


@_record
class EndOfFile:
    """The end of a file; `key` identifies the file with its present contents."""

    key: str


CorpusItem: TypeAlias = Item | Reject | UnknownKey | Filtered | EndOfFile
"""A result of reading a corpus."""


def sample_key(paper_id: str) -> int:
    """Return a fixed pseudo-random number in [0, SAMPLE_PRIME) for a paper id.

    The Paper node stores it. Splits and samples are derived from it, so that they depend neither on
    Neo4j's internal ids nor on the order of loading.
    """
    return int.from_bytes(blake2b(paper_id.encode(), digest_size=8).digest(), "big") % SAMPLE_PRIME
