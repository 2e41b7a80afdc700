"""Texts in the syntax of Lucene's queries: words, a phrase, words like those of a name."""

import re
from collections.abc import Iterable
from itertools import chain

MOST_WORDS = 128
"""Of a query: Lucene refuses more than 1,024, and long before that more words add only time."""

STOP_WORDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into",
        "is", "it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then",
        "there", "these", "they", "this", "to", "was", "will", "with",
    }
)  # fmt: skip
"""Words that Lucene's English analyzer leaves out of an index and of queries."""

_WORD = re.compile(r"\w+")


def words(*texts: str) -> list[str]:
    """The different words of texts, small, in order: at most MOST_WORDS.

    Nothing of Lucene's syntax is left: it has no letters but in AND, OR, NOT and TO, which are
    capitals. A word that is not ASCII may be many to Lucene (Chinese), and counts by its letters.
    """
    found: list[str] = []
    left = MOST_WORDS
    for word in dict.fromkeys(chain.from_iterable(_WORD.findall(text.lower()) for text in texts)):
        if word.isascii() and len(word) > 100:
            continue
        left -= clauses(word)
        if left < 0:
            break
        found.append(word)
    return found


def clauses(text: str) -> int:
    """Count the words of a text as Lucene may count them against its limit of 1,024."""
    return sum(1 if word.isascii() else len(word) for word in _WORD.findall(text))


def phrase(name: str, text: str) -> str:
    """Return a query for the property `name` with the words of a text, one after the other."""
    return f"{name}:{quoted(text)}"


def quoted(text: str) -> str:
    """Return the words of a text as a phrase."""
    escaped = text.replace("\\", " ").replace('"', " ")
    return f'"{escaped}"'


def words_like(names: Iterable[str]) -> str:
    """Return a query for words that begin as these do, or differ by two letters."""
    return " ".join(f"{word}* {word}~" if len(word) > 3 else f"{word}*" for word in names)
