"""Find authors by name."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, NamedTuple

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.search.lucene import STOP_WORDS, quoted

_PARTICLES = frozenset(
    {"al", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "el",
     "la", "le", "ten", "ter", "van", "von", "zu", "zur"}
)  # fmt: skip
_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"}
    | {"\N{LATIN SMALL LETTER DOTLESS I}": "i", "\N{RIGHT SINGLE QUOTATION MARK}": "'", ".": " "}
)
"""Letters that are no accented ones, as Lucene's ASCII folding writes them."""
_INITIALS = re.compile(r"[A-Z]{1,3}")


class Reading(NamedTuple):
    """One way to read a name, in lower case and without accents.

    Attributes:
        given: Given names and initials, in order.
        family: The words of the family name.
    """

    given: tuple[str, ...]
    family: tuple[str, ...]

    @property
    def key(self) -> str:
        """The family name without what sources leave out: spaces, hyphens, apostrophes."""
        return re.sub(r"[-']", "", "".join(self.family))


def readings(name: str) -> list[Reading]:
    """Return the ways to read a name, the most likely first; none without letters.

    "Weinberg, S." has one. "Juan Castro Pena" may have the family name Pena or Castro Pena, and
    "Weinberg S" begins with it.
    """
    before, comma, after = name.partition(",")
    words = _words(before)
    if comma:
        return [Reading(_given(_words(after.replace(",", " "))), words)] if words else []
    written = name.split()
    if len(written) > 1 and _INITIALS.fullmatch(written[-1]) and not written[0].isupper():
        return [Reading(tuple(written[-1].lower()), _words(" ".join(written[:-1])))]
    return [
        Reading(_given(words[:at]), words[at:])
        for at in reversed(range(len(words)))
        if not any(_is_initial(word) for word in words[at:])
    ]


def is_same(asked: str, name: str) -> bool:
    """Return whether an author of this name may be the one asked for.

    The family names must be equal. Given names must agree as far as both names have them, where
    one may be the beginning of the other: "S." and "Steven". An author without given names is not
    the one that is asked for with them.
    """
    names = readings(name)
    return any(
        one.key == other.key and _agree(one.given, other.given)
        for one in readings(asked)
        for other in names
    )


def _agree(asked: tuple[str, ...], given: tuple[str, ...]) -> bool:
    pairs = zip(asked, given, strict=False)
    return (bool(given) or not asked) and all(
        one.startswith(other) or other.startswith(one) for one, other in pairs
    )


def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name, folded, without suffixes and particles before other words."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    words = [word for part in plain.split() if (word := re.sub(r"[^\w'-]|_", "", part).strip("-'"))]
    words = [word for word in words if word not in _SUFFIXES] or words
    return tuple([word for word in words[:-1] if word not in _PARTICLES] + words[-1:])


def _given(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for word in words for part in word.split("-") if part)


def _is_initial(word: str) -> bool:
    return len(word) == 1 and word.isascii()


MAX_NAMES = 1_000
"""How many authors are compared with a name."""
_MAX_WORDS = 5
_NAME = re.compile(r"[^\W\d_][^\d_:;!?/()\[\]{}<>=+*^~\"\\$&%#@|]*")


@dataclass(frozen=True, slots=True)
class NamedAuthor:
    """An author and the number of the author's papers."""

    id: str
    name: str
    papers: int


def authors_named(db: Database, text: str, k: int = 5) -> list[NamedAuthor]:
    """Find the authors whose name is the entire text, those with the most papers first.

    Args:
        db: The graph.
        text: What the user typed: "Weinberg, S.", "Steven Weinberg", "Weinberg".
        k: How many authors.

    Returns:
        At most k authors; none, without a statement, for what cannot be a name: a text with more
        than five words or with a digit.
    """
    if len(text.split()) > _MAX_WORDS or not _NAME.fullmatch(text.strip()):
        return []
    found = [NamedAuthor(row["id"], row["name"], row["papers"]) for row in find_authors(db, text)]
    return sorted(found, key=lambda each: (-each.papers, each.name, each.id))[:k]


def find_authors(db: Database, name: str) -> list[dict[str, Any]]:
    """Find the authors of a name; rows of search/authors_named."""
    likely = next(iter(readings(name)), None)
    if likely is None:
        return []
    last = likely.family[-1]
    initials = {given[0] for given in likely.given if given[0].isascii()}
    if last in STOP_WORDS:  # which the index, the only one without accents, does not hold
        rows = db.read(statement("search/authors_ending").text, name=last, most=MAX_NAMES)
    else:
        rows = db.read(
            statement("search/authors_named").text,
            names=" ".join([f"+{quoted(last)}", *(f"{initial}*" for initial in sorted(initials))]),
            most=MAX_NAMES,
        )
    return [row for row in rows if is_same(name, row["name"])]
