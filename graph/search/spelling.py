"""Words of a query that no paper has, and words like them that papers have."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.search.lucene import STOP_WORDS

MAX_WORDS = 10
"""How many words of a query are looked up."""
MIN_RATIO = 50
"""How many times as many papers must have the word that is suggested for a rare one."""
_RARE = 4
"""Papers that have a rare word: they may have misspelled it, too."""
_MIN_LETTERS = 4
_TEXTS = 10
"""How many papers words are read from, for each query for words like one."""
_MAX_ENDING = 9
"""Letters of an ending that the English stem of a word, which the index holds, may lack."""
_CANDIDATES = 4
_WORD = re.compile(r"[a-z]{3,}")


def unmatched(db: Database, words: Sequence[str]) -> list[str]:
    """Find the words, of the first ten, that no paper has in its title or abstract.

    Args:
        db: The graph.
        words: Words as `lucene.words` returns them.
    """
    return [word for word, papers in _counted(db, words[:MAX_WORDS], 1).items() if not papers]


def suggest(db: Database, words: Sequence[str]) -> str | None:
    """Suggest a query in which words that papers have replace misspelled ones: "did you mean".

    A word of four ASCII letters or more that no paper has is replaced by the closest word that
    papers have, by the most frequent one of the closest. At most two letters differ, or one in a
    word of five or less. A word that one to four papers have is replaced if one letter differs and
    at least 50 times as many papers have the other one.

    Args:
        db: The graph.
        words: Words as `lucene.words` returns them, of which ten are looked up.

    Returns:
        All words in their order, or None if none is replaced.
    """
    counts = {
        word: papers
        for word, papers in _counted(db, words[:MAX_WORDS], _RARE + 1).items()
        if papers <= _RARE and len(word) >= _MIN_LETTERS and word.isascii() and word.isalpha()
    }
    if not counts:
        return None
    asked = [{"word": word, "like": _like(word)} for word in counts]
    rows = db.read(statement("search/words_like").text, asked=asked, most=_TEXTS)
    close = {row["word"]: _close(row["word"], row["texts"]) for row in rows}
    others = {other for candidates in close.values() for other in candidates}
    frequent = _counted(db, others, _RARE * MIN_RATIO)
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


def _counted(db: Database, words: Collection[str], most: int) -> dict[str, int]:
    """Count the papers that have each word, up to `most`; stop words are left out."""
    asked = [word for word in words if word not in STOP_WORDS]
    if not asked:
        return {}
    rows = db.read(statement("search/words_counted").text, words=asked, most=most)
    return {row["word"]: row["papers"] for row in rows}


def _like(word: str) -> list[str]:
    """Return queries for words like a word, or like what may be its stem."""
    shortest = max(_MIN_LETTERS, len(word) - _MAX_ENDING)
    stems = [word[:length] for length in range(shortest, len(word) + 1)]
    stems += [f"{stem[:-1]}i" for stem in stems if stem[-1] == "y"]  # as in "decays", "decai"
    return [f"{stem}~1" for stem in stems]


def _close(word: str, texts: Sequence[str]) -> dict[str, int]:
    """Return the closest words of some texts, the most frequent ones, and their distances."""
    most = 2 if len(word) > 5 else 1
    letters = set(word)
    counts = Counter(each for text in texts for each in _WORD.findall(text.lower()))
    distances = {
        each: distance
        for each in counts
        if abs(len(each) - len(word)) <= most
        and len(letters.symmetric_difference(each)) <= 2 * most  # as edits allow, but faster
        and 0 < (distance := edits(word, each)) <= most
    }
    best = sorted(distances, key=lambda each: (distances[each], -counts[each], each))
    return {each: distances[each] for each in best[:_CANDIDATES]}


def edits(one: str, other: str) -> int:
    """Count the letters to insert, delete, replace or exchange with the next one.

    This is the restricted edit distance of Damerau and Levenshtein.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, another in enumerate(other, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != another))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == another:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
    return row[-1]
