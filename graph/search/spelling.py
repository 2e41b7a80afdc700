"""Spelling suggestions: query words that no paper contains, and similar words in papers."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from specter_graph.graph.database import Database
from specter_graph.graph.search.lucene import STOP_WORDS

MAX_WORDS = 10
"""Maximum number of query words that are looked up."""
MIN_RATIO = 50
"""Minimum ratio of the papers with a suggested word to those with the rare word it replaces."""
_RARE = 4
"""Maximum papers with a rare word: they may have misspelled it too."""
_MIN_LETTERS = 4
_TEXTS = 10
"""Number of papers from which similar words are read, per query."""
_MAX_ENDING = 9
"""Maximum letters that the stem of a word, which the index contains, lacks at the end."""
_CANDIDATES = 4
_WORD = re.compile(r"[a-z]{3,}")


def unmatched(db: Database, words: Sequence[str]) -> list[str]:
    """Return the words, among the first ten, that no paper has in its title or abstract.

    Args:
        db: The graph.
        words: Words from `lucene.tokenize`.
    """
    return [word for word, papers in _count_papers(db, words[:MAX_WORDS], 1).items() if not papers]


def suggest(db: Database, words: Sequence[str]) -> str | None:
    """Suggest a corrected query ("did you mean").

    A word of four or more ASCII letters that no paper contains is replaced by the closest word in
    the papers, and among equally close words by the most frequent one. At most two letters may
    differ, or one in a word of up to five letters. A word that one to four papers contain is
    replaced if one letter differs and at least 50 times as many papers contain the other word.

    Args:
        db: The graph.
        words: Words from `lucene.tokenize`; the first ten are looked up.

    Returns:
        All words in order, or None if no word is replaced.
    """
    counts = {
        word: papers
        for word, papers in _count_papers(db, words[:MAX_WORDS], _RARE + 1).items()
        if papers <= _RARE and len(word) >= _MIN_LETTERS and word.isascii() and word.isalpha()
    }
    if not counts:
        return None
    rare_words = [{"word": word, "like": _list_patterns(word)} for word in counts]
    rows = db.read("search/words_like", queried=rare_words, limit=_TEXTS)
    close = {row["word"]: _find_close(row["word"], row["texts"]) for row in rows}
    others = {other for candidates in close.values() for other in candidates}
    frequent = _count_papers(db, others, _RARE * MIN_RATIO)
    chosen = {}
    for word, candidates in close.items():
        known = [
            (distance, -frequent[other], other)
            for other, distance in candidates.items()
            if not counts[word] or (distance == 1 and frequent[other] >= MIN_RATIO * counts[word])
        ]
        if known:
            chosen[word] = min(known)[2]
    suggested = [chosen.get(word, word) for word in words]
    return " ".join(suggested) if chosen else None


def _count_papers(db: Database, words: Collection[str], limit: int) -> dict[str, int]:
    """Count the papers that contain each word, up to `limit`; stop words are skipped."""
    lookup_words = [word for word in words if word not in STOP_WORDS]
    if not lookup_words:
        return {}
    rows = db.read("search/words_counted", words=lookup_words, limit=limit)
    return {row["word"]: row["papers"] for row in rows}


def _list_patterns(word: str) -> list[str]:
    """Return queries for words similar to a word or to its possible stems."""
    shortest = max(_MIN_LETTERS, len(word) - _MAX_ENDING)
    stems = [word[:length] for length in range(shortest, len(word) + 1)]
    stems += [f"{stem[:-1]}i" for stem in stems if stem[-1] == "y"]  # as in "decays", "decai"
    return [f"{stem}~1" for stem in stems]


def _find_close(word: str, texts: Sequence[str]) -> dict[str, int]:
    """Return the closest words in texts, the most frequent first, with their distances."""
    max_distance = 2 if len(word) > 5 else 1
    letters = set(word)
    counts = Counter(other for text in texts for other in _WORD.findall(text.lower()))
    distances = {
        other: distance
        for other in counts
        if abs(len(other) - len(word)) <= max_distance
        and len(letters.symmetric_difference(other))
        <= 2 * max_distance  # as edits allow, but faster
        and 0 < (distance := edits(word, other)) <= max_distance
    }
    best = sorted(distances, key=lambda other: (distances[other], -counts[other], other))
    return {other: distances[other] for other in best[:_CANDIDATES]}


def edits(one: str, other: str) -> int:
    """Return the restricted Damerau-Levenshtein distance.

    It counts insertions, deletions, replacements and exchanges of adjacent letters.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, another in enumerate(other, 1):
            distance = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != another))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == another:
                distance = min(distance, earlier[j - 2] + 1)
            row.append(distance)
    return row[-1]
