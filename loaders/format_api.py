"""What the modules in `formats/` give: how a format is named, recognised and read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from specter_graph.loaders.records import Item

Count: TypeAlias = Callable[[int], None]
"""Is told the size of each piece of a file, in bytes as they are on disk, when it has been read."""


class RecordError(ValueError):
    """A record that cannot be used: the message says why, `id` names it if it could be read."""

    def __init__(self, reason: str, paper_id: str | None = None) -> None:
        super().__init__(reason)
        self.id = paper_id


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a record; `repaired`: the record follows, or came, without it."""

    reason: str
    id: str | None = None
    record: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Ignored:
    """A key or an element that the format's field map does not know."""

    key: str


@dataclass(frozen=True, slots=True)
class Share:
    """Every `of`-th line of a file that several processes read at once, the `number`-th, from 0."""

    number: int = 0
    of: int = 1


WHOLE = Share()

Found: TypeAlias = Item | Problem | Ignored
Reader: TypeAlias = Callable[[Path, Count], Iterator[tuple[int, Found]]]
"""Reads one file: (line, what was found there). It raises nothing: damage is a Problem."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    `title` is what people call it. `recognise` gets the name of a file and the first bytes of its
    contents, decompressed and without a byte order mark (at most `recognise.HEAD`), and says in a
    few words what it sees there ("PubMed XML, PubmedArticleSet"), or None. `read_share` is there
    where a file can be read by several processes at once.
    """

    name: str
    title: str
    read: Reader
    recognise: Callable[[str, bytes], str | None]
    read_share: Callable[[Path, Count, Share], Iterator[tuple[int, Found]]] | None = None
