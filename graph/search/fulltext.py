"""Full-text search in titles and abstracts, and snippets."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import ceil
from typing import Any

from specter_graph.graph.database import Database
from specter_graph.graph.search.lucene import STOP_WORDS, clauses, phrase
from specter_graph.graph.search.search_filters import (
    NO_FILTERS,
    Filters,
    Resolved,
    render_filters,
    resolve,
)

_CANDIDATES_PER_HIT = 5
_WIDENING = 10
"""Factor by which the candidates grow if too few papers passed the filters."""
_MAX_OWN_TEXTS = 1_000
"""Maximum papers of a venue or field that are searched by their own texts."""
_MAX_CLAUSES = 700
"""Maximum clauses for the beginnings of texts in a query; with 2 * MAX_WORDS words, below 1,024."""
_LETTERS = 500
_BEGINNING = 12
"""Number of words at the beginning of a text that distinguish it from most others."""
_LONG_TITLE = 40
"""Characters of a title that does not consist of stop words only."""
_SNIPPET = 240

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def fulltext_search(
    db: Database, lucene: str, k: int, filters: Filters = NO_FILTERS, *, enough: int | None = None
) -> list[dict[str, Any]]:
    """Return the k papers that match a full-text query best: maps of id, title and BM25 score.

    Args:
        db: The graph.
        lucene: The query in Lucene syntax.
        k: Maximum number of papers.
        filters: Conditions on the papers.
        enough: Number of papers after which the index is not queried again; default: k.

    Raises:
        GraphError: A venue, field or author is not in the graph.
    """
    if not lucene:
        return []
    passing = resolve(db, filters)
    if passing.smaller and passing.size <= _MAX_OWN_TEXTS:
        return _match_small_set(db, lucene, k, passing)
    text = render_filters("search/text", passing)
    wanted = min(k, k if enough is None else enough)
    candidates = (
        max(_CANDIDATES_PER_HIT * k, ceil(2 * wanted / passing.share)) if passing.values else k
    )
    while True:
        rows = db.value(text, words=lucene, limit=candidates, **passing.values)
        if len(rows["hits"]) >= wanted or rows["seen"] < candidates:
            hits: list[dict[str, Any]] = rows["hits"][:k]
            return hits
        candidates *= _WIDENING


def _match_small_set(
    db: Database, query_words: str, k: int, filters: Resolved
) -> list[dict[str, Any]]:
    """Match words with the papers of a small venue or field.

    The index cannot select the papers of a venue. It is queried for the words together with the
    beginnings of the texts of the venue's papers, which have no weight in the score.
    """
    text = render_filters("search/texts", filters)
    texts = db.value(text, letters=_LETTERS, enough=_LONG_TITLE, **filters.values)
    beginnings = [
        (name, " ".join(part.split()[:_BEGINNING]))
        for parts in texts
        for name, part in zip(("title", "abstract"), parts, strict=True)
        if part
    ]
    queries = [
        f"+({query_words}) +({' '.join(phrase(*beginning) for beginning in batch)})^0"
        for batch in _batch_beginnings(beginnings)
    ]
    text = render_filters("search/text_of", filters)
    hits: list[dict[str, Any]] = db.value(text, queries=queries, k=k, **filters.values)
    return hits


def _batch_beginnings(beginnings: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Split beginnings into lists that fit into one Lucene query."""
    batch: list[tuple[str, str]] = []
    left = _MAX_CLAUSES
    for name, beginning in beginnings:
        needed = clauses(beginning)
        if batch and needed > left:
            yield batch
            batch, left = [], _MAX_CLAUSES
        batch.append((name, beginning))
        left -= needed
    if batch:
        yield batch


def snippet(abstract: str | None, query_words: Iterable[str]) -> tuple[str, list[str]]:
    """Return the sentence of an abstract with the most query words, and the matching words.

    A short sentence is followed by the next ones, up to two lines.
    """
    sentences, query = _SENTENCE.split(abstract or ""), [*query_words]
    matches = [{word.lower() for word in matching_words(each, query)} for each in sentences]
    best = max(range(len(sentences)), key=lambda number: len(matches[number]))
    text = sentences[best]
    for sentence in sentences[best + 1 :]:
        if len(text) + len(sentence) >= _SNIPPET:
            break
        text += f" {sentence}"
    return _shorten(text), matching_words(text, query)


def matching_words(text: str, query_words: Iterable[str]) -> list[str]:
    """Return the words of a text that match query words, each spelling once.

    Words of four letters or more match if they are equal except for up to three letters at the end,
    because the index compares English stems. Shorter words match with a plural s too.
    """
    pattern = _compile_pattern(tuple(query_words))
    return list(dict.fromkeys(pattern.findall(text))) if pattern else []


@lru_cache
def _compile_pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return the pattern of words that match; None if only stop words are given."""
    joined = "|".join(
        re.escape(word) + "s?"
        if len(word) < 4
        else re.escape(word[: max(4, len(word) - 3)]) + r"\w*"
        for word in sorted({*words} - STOP_WORDS)
    )
    return re.compile(rf"\b(?:{joined})\b", re.IGNORECASE) if joined else None


def _shorten(text: str) -> str:
    return text if len(text) <= _SNIPPET else text[:_SNIPPET].rsplit(" ", 1)[0] + " ..."
