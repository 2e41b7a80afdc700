"""Find papers by the words of their titles and abstracts, with snippets."""

import re
from collections.abc import Iterable, Iterator
from math import ceil
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.search.filters import NONE, Filters, Resolved, resolve, spliced
from specter_graph.graph.search.lucene import clauses, phrase

_CANDIDATES_PER_HIT = 5
_WIDER = 10
"""How many times as many papers the next try asks for, where too few passed the filters."""
_FEW = 1_000
"""Papers of a venue or field whose own texts the index is asked for."""
_MOST_CLAUSES = 700
"""Of the beginnings of texts, in one query: words may be 2 * MOST_WORDS, and Lucene takes 1,024."""
_LETTERS = 500
_BEGINNING = 12
"""Words of a text that tell it from most others."""
_LONG_TITLE = 40
"""Letters of a title that has more than words which Lucene passes over (of, the)."""
_SNIPPET = 240

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def matching(
    db: Database,
    lucene: str,
    k: int,
    filters: Filters = NONE,
    *,
    enough: int | None = None,
) -> list[dict[str, Any]]:
    """Find the k papers that match a full-text query best: maps of id, title and BM25 score.

    With `enough`, so many do: the rest come only as far as the index gives them at once. Raises
    InputError for a venue, field or author that the graph does not have.
    """
    if not lucene:
        return []
    passing = resolve(db, filters)
    if passing.smaller and passing.size <= _FEW:
        return _of_few(db, lucene, k, passing)
    text = spliced(statement("search/text").text, passing)
    wanted = min(k, k if enough is None else enough)
    most = max(_CANDIDATES_PER_HIT * k, ceil(2 * wanted / passing.share)) if passing.values else k
    while True:
        found = db.value(text, words=lucene, most=most, **passing.values)
        if len(found["hits"]) >= wanted or found["seen"] < most:
            hits: list[dict[str, Any]] = found["hits"][:k]
            return hits
        most *= _WIDER


def _of_few(db: Database, asked: str, k: int, filters: Resolved) -> list[dict[str, Any]]:
    """Match words with the papers of a small venue or field, whatever else has the words.

    The index cannot be asked for papers of a venue. It is asked for the words together with the
    beginnings of the texts that the venue's papers have, which count nothing in the score.
    """
    text = spliced(statement("search/texts").text, filters)
    texts = db.value(text, letters=_LETTERS, enough=_LONG_TITLE, **filters.values)
    beginnings = [
        (name, " ".join(part.split()[:_BEGINNING]))
        for parts in texts
        for name, part in zip(("title", "abstract"), parts, strict=True)
        if part
    ]
    queries = [
        f"+({asked}) +({' '.join(phrase(*each) for each in batch)})^0"
        for batch in _batches(beginnings)
    ]
    hits: list[dict[str, Any]] = db.value(
        spliced(statement("search/text_of").text, filters), queries=queries, k=k, **filters.values
    )
    return hits


def _batches(beginnings: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Cut beginnings into lists that Lucene takes in one query."""
    batch: list[tuple[str, str]] = []
    left = _MOST_CLAUSES
    for name, beginning in beginnings:
        needed = clauses(beginning)
        if batch and needed > left:
            yield batch
            batch, left = [], _MOST_CLAUSES
        batch.append((name, beginning))
        left -= needed
    if batch:
        yield batch


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
