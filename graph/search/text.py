"""Full-text search: any text as words that Lucene takes, and the passages where they stand."""

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.graph.search.filters import NONE, Filters, spliced

MOST_WORDS = 128
"""Of a query: Lucene refuses more than 1,024, and long before that more words add only time."""
WIDER = (5, 50, 500)
"""How many times as many papers as are wanted each try asks for, where filters are to be passed."""
_SNIPPET = 240

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def words(*texts: str) -> list[str]:
    """The different words of texts, small, in order: at most MOST_WORDS.

    Nothing of Lucene's syntax is left: it has no letters but in AND, OR, NOT and TO, which are
    capitals. A word that is not ASCII may be many to Lucene (Chinese), and counts by its letters.
    """
    found: list[str] = []
    room = MOST_WORDS
    for word in dict.fromkeys(chain.from_iterable(_WORD.findall(text.lower()) for text in texts)):
        if word.isascii() and len(word) > 100:
            continue
        room -= 1 if word.isascii() else len(word)
        if room < 0:
            break
        found.append(word)
    return found


def matching(
    db: Database,
    asked: Iterable[str],
    k: int,
    filters: Filters = NONE,
    *,
    enough: int | None = None,
) -> list[dict[str, Any]]:
    """Find the k papers that match these words best: maps of id and title, the best first.

    With `enough`, so many do: the rest come only as far as the index gives them at once.
    """
    joined = " ".join(asked)
    if not joined:
        return []
    text = spliced(statement("search/text").text, filters)
    rows: list[dict[str, Any]] = []
    for times in WIDER if filters.parameters else (1,):
        rows = db.value(text, words=joined, most=times * k, **filters.parameters)
        if len(rows) >= min(k, k if enough is None else enough):
            break
    return rows[:k]


def snippet(abstract: str | None, asked: Iterable[str]) -> tuple[str, list[str]]:
    """The passage of an abstract with the most of these words, and those of its words.

    A word of four letters or more is the same here as one that begins like it, but for up to three
    letters: the index compares English stems.
    """
    stems = tuple(word[: max(4, len(word) - 3)] for word in asked if len(word) >= 4)
    best, matched = "", list[str]()
    for sentence in _SENTENCE.split(abstract or ""):
        here = [word for word in _WORD.findall(sentence) if word.lower().startswith(stems)]
        if not best or len({*map(str.lower, here)}) > len({*map(str.lower, matched)}):
            best, matched = sentence, here
    return _cut(best), list(dict.fromkeys(matched))


def _cut(text: str) -> str:
    return text if len(text) <= _SNIPPET else text[:_SNIPPET].rsplit(" ", 1)[0] + " ..."
