"""Conversion of texts to Lucene query syntax: words, phrases and fuzzy words."""

import re
from collections.abc import Iterable
from itertools import chain

MAX_WORDS = 128
"""Maximum words of a query. Lucene's limit is 1,024, but more words mainly add time."""

STOP_WORDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into",
        "is", "it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then",
        "there", "these", "they", "this", "to", "was", "will", "with",
    }
)  # fmt: skip
"""Words that Lucene's English analyzer removes from the index and from queries."""

_WORD = re.compile(r"\w+")


def tokenize(*texts: str) -> list[str]:
    """Return the distinct words of texts in lower case, in order, at most MAX_WORDS.

    The words contain no Lucene syntax, whose only letters are the capitals of AND, OR, NOT and TO.
    Lucene may split a word that is not ASCII (Chinese), so each of its letters counts as a word.
    """
    result: list[str] = []
    left = MAX_WORDS
    for word in dict.fromkeys(chain.from_iterable(_WORD.findall(text.lower()) for text in texts)):
        if word.isascii() and len(word) > 100:
            continue
        left -= clauses(word)
        if left < 0:
            break
        result.append(word)
    return result


def clauses(text: str) -> int:
    """Return the maximum number of clauses that Lucene makes of a text (its limit is 1,024)."""
    return sum(1 if word.isascii() else len(word) for word in _WORD.findall(text))


def phrase(name: str, text: str) -> str:
    """Return a phrase query for the property `name`."""
    return f"{name}:{quoted(text)}"


def quoted(text: str) -> str:
    """Return the words of a text as a phrase."""
    escaped = text.replace("\\", " ").replace('"', " ")
    return f'"{escaped}"'


def words_like(names: Iterable[str]) -> str:
    """Return a query for words with these prefixes, or within an edit distance of two."""
    return " ".join(f"{word}* {word}~" if len(word) > 3 else f"{word}*" for word in names)
