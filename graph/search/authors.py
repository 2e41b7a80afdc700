"""Authors by name."""

import re
from dataclasses import dataclass
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.search.author_names import is_same, readings
from specter_graph.graph.search.lucene import STOP_WORDS, quoted

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
