"""Search for authors by name."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, NamedTuple

from specter_graph.core.errors import MAX_COUNT
from specter_graph.graph.database import Database
from specter_graph.graph.search.lucene import STOP_WORDS, quoted
from specter_graph.loaders.identifiers import is_cjk, split_suffix

_PARTICLES = frozenset(
    {"al", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "el",
     "la", "le", "ten", "ter", "van", "von", "zu", "zur"}
)  # fmt: skip
_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"}
    | {"\N{LATIN SMALL LETTER DOTLESS I}": "i", "\N{RIGHT SINGLE QUOTATION MARK}": "'", ".": " "}
)
"""Letters that are not accented letters, as Lucene's ASCII folding writes them."""
_INITIALS = re.compile(r"[A-Z]{1,3}|([A-Z]\.){1,3}")
_FIRST_INITIALS = re.compile(r"^[A-Z]{2,3}(?=\s.*[a-z])")
"""Initials without periods before a name, of which some look like a suffix: "JR Forshaw"."""

MAX_NAMES = 1_000
"""Maximum number of authors compared with a name."""
MAX_READ = 1_000_000
"""Maximum number of authors that `authors_named` reads for a stop word such as An: one second."""
_MAX_WORDS = 5
_NAME = re.compile(r"[^\W\d_][^\d_:;!?/()\[\]{}<>=+*^~\"\\$&%#@|]*")
_MAX_REFERENCE = 200
"""Maximum characters of a reference; the time of `_REFERENCE` grows with their square."""
_REFERENCE = re.compile(
    r"""\(? (?P<name>[^\d()]+?)
    (?P<others> ,?\s+et\.?\s+al\b\.? | \s+(?:and|&)\s+[^\d()]+?)?
    (?: ,?\s*\(?(?P<year>(?:1[5-9]|20)\d\d)[a-z]? )? \)?""",
    re.VERBOSE | re.ASCII,
)


class NameParts(NamedTuple):
    """One interpretation of a name, in lower case and without accents.

    Attributes:
        given: Given names and initials, in order.
        family: The words of the family name.
    """

    given: tuple[str, ...]
    family: tuple[str, ...]

    @property
    def key(self) -> str:
        """The family name without spaces, hyphens and apostrophes, which some sources omit."""
        return re.sub(r"[-']", "", "".join(self.family))


def parse_name(name: str) -> list[NameParts]:
    """Return the interpretations of a name, the most likely first; none without letters.

    "Weinberg, S." has one. "Juan Castro Pena" may have the family name Pena or Castro Pena, and
    "Weinberg S" begins with it. Chinese, Japanese and Korean names are compared in full.
    """
    if is_cjk(name):
        return [NameParts((), ("".join(_words(name.replace(",", " "))),))]
    name, _ = split_suffix(name)
    name = _FIRST_INITIALS.sub(lambda match: " ".join(match[0]), name)
    before, comma, after = name.partition(",")
    words = _words(before)
    if comma:
        return [NameParts(_given(_words(after.replace(",", " "))), words)] if words else []
    written = name.split()
    if len(written) > 1 and _INITIALS.fullmatch(written[-1]) and not written[0].isupper():
        initials = tuple(written[-1].lower().replace(".", ""))
        return [NameParts(initials, _words(" ".join(written[:-1])))]
    parts = [
        NameParts(_given(words[:at]), words[at:])
        for at in reversed(range(len(words)))
        if not any(len(word) == 1 and word.isascii() for word in words[at:])
    ]
    return parts or ([NameParts((), words)] if words else [])  # such as "J. L. Lucio M."


def is_same_author(wanted: str, name: str) -> bool:
    """Return True if an author with this name may be the wanted one.

    The family names must be equal. Given names are compared as far as both names have them; one may
    be the beginning of the other, as in "S." and "Steven". An author without given names does not
    match a wanted name with given names.
    """
    names = parse_name(name)
    return any(
        one.key == other.key and _agree(one.given, other.given)
        for one in parse_name(wanted)
        for other in names
    )


def _agree(wanted: tuple[str, ...], given: tuple[str, ...]) -> bool:
    pairs = zip(wanted, given, strict=False)
    return (bool(given) or not wanted) and all(
        one.startswith(other) or other.startswith(one) for one, other in pairs
    )


def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name, folded, without suffixes and particles before other words."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    plain = unicodedata.normalize("NFC", re.sub(r"[^\w\s'-]|_", "", plain))  # for Hangul
    words = [word for part in plain.split() if (word := part.strip("-'"))]
    words = [word for word in words if word not in _SUFFIXES] or words
    return tuple([word for word in words[:-1] if word not in _PARTICLES] + words[-1:])


def _given(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for word in words for part in word.split("-") if part)


def split_reference(text: str) -> tuple[str, int | None]:
    """Return the first author and the year of a reference: "Koide 1995", "Koide et al. (1995)".

    Any other text is returned unchanged, without a year.
    """
    match = _REFERENCE.fullmatch(text.strip()) if len(text) <= _MAX_REFERENCE else None
    if match and (match["year"] or " al" in (match["others"] or "")):
        return match["name"], int(match["year"]) if match["year"] else None
    return text, None


@dataclass(frozen=True, slots=True)
class NamedAuthor:
    """An author and the number of the author's papers."""

    id: str
    name: str
    papers: int


def authors_named(db: Database, text: str, k: int = 5) -> list[NamedAuthor]:
    """Return the authors whose name is the entire text, those with the most papers first.

    Args:
        db: The graph.
        text: The query: "Weinberg, S.", "Steven Weinberg", "Weinberg".
        k: Maximum number of authors.

    Returns:
        At most k authors. A text of more than five words, with a digit, or that ends with a stop
        word in lower case is not a name; it returns none without querying the database. Of a
        family name that is a stop word, such as An, it finds only authors among the first MAX_READ.
    """
    words = text.split()
    if not 0 < len(words) <= _MAX_WORDS or words[-1] in STOP_WORDS:
        return []
    if not _NAME.fullmatch(text.strip()):
        return []
    rows = find_authors(db, text, max_read=MAX_READ)
    authors = [NamedAuthor(row["id"], row["name"], row["papers"]) for row in rows]
    return sorted(authors, key=lambda author: (-author.papers, author.name, author.id))[:k]


def find_authors(db: Database, name: str, max_read: int = MAX_COUNT) -> list[dict[str, Any]]:
    """Return the authors with a name as rows of search/authors_named.

    A family name that is a stop word is not in the index: at most `max_read` authors are read.
    """
    likely = next(iter(parse_name(name)), None)
    if likely is None:
        return []
    *others, last = likely.family
    initials = {f"{given[0]}*" for given in likely.given if given[0].isascii()}
    if last in STOP_WORDS:  # not in the index, which is the only one without accents
        rows = db.read("search/authors_ending", name=last, read=max_read, limit=MAX_NAMES)
    else:
        rows = db.read(
            "search/authors_named",
            names=" ".join([f"+{quoted(last)}", *map(quoted, others), *sorted(initials)]),
            limit=MAX_NAMES,
        )
    return [row for row in rows if is_same_author(name, row["name"])]
