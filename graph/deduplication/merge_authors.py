"""Apply curated lists of authors that are the same person.

Each id of a list is stored as a node (:MergedAuthor {id, author}), which loading looks up. So a
list applies to papers that are loaded later, and loading the same papers again does not undo it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import neo4j

from specter_graph.core.errors import InputError
from specter_graph.core.progress import batches
from specter_graph.graph.database import Database, run_statement
from specter_graph.graph.deduplication.duplicates import connected_components

_AUTHORS = 500


@dataclass(frozen=True, slots=True)
class AuthorMergeSummary:
    """The result of a curated list.

    Attributes:
        authors: Authors with several ids, in all lists so far.
        ids: Their other ids, which are replaced.
        moved: Authors of the graph whose papers were moved to another author by this list.
    """

    authors: int
    ids: int
    moved: int


def merge_authors(db: Database, same: Iterable[Sequence[str]]) -> AuthorMergeSummary:
    """Combine each group of ids to one author with the first id; its `identified` becomes true.

    Run an interrupted call again to complete it.

    Args:
        db: The graph.
        same: Groups of ids, the id to keep first.

    Raises:
        InputError: It is not clear which of several ids is kept; nothing is changed.
    """
    known = {row["id"]: row["author"] for row in db.read("deduplication/known_authors")}
    replaced = ((author, key) for key, author in known.items() if author != key)
    author_of = _map_to_authors([*same, *replaced])
    author_of |= {key: key for key in {*author_of.values()}}
    new = [key for key in sorted(author_of) if known.get(key) != author_of[key]]
    db.write(
        "deduplication/record_authors",
        authors=[{"id": key, "author": author_of[key]} for key in new],
    )
    db.write("deduplication/identified", ids=sorted({*author_of.values()}))
    remaining = db.read("deduplication/authors_left")
    moved = 0
    for batch in batches(remaining, _AUTHORS):
        moved += db.transaction(partial(_move_papers, authors=batch))
    authors = {*author_of.values()}
    return AuthorMergeSummary(len(authors), len(author_of) - len(authors), moved)


def _move_papers(tx: neo4j.ManagedTransaction, authors: Sequence[Mapping[str, str]]) -> int:
    [row] = run_statement(tx, "deduplication/move_authors", authors=authors)
    run_statement(tx, "deduplication/move_reviewing", authors=authors)
    remaining = sorted({author["author"] for author in authors})
    run_statement(tx, "loading/forget_affiliations", authors=remaining)
    moved: int = row["moved"]
    return moved


def _map_to_authors(same: Iterable[Sequence[str]]) -> dict[str, str]:
    """Map all ids to the one that is kept: first in a group, and later in no group."""
    first: dict[str, set[str]] = defaultdict(set)
    pairs = []
    for author, *others in same:
        for other in others:
            if other != author:
                first[other].add(author)
                pairs.append([author, other])
    into = {}
    for group in connected_components(pairs):
        firsts = [key for key in group if key not in first]
        if len(firsts) != 1:
            some = ", ".join(map(repr, (firsts or group)[:3]))
            raise InputError(
                f"the lists do not say which of {some} and other ids of one author is kept",
                "add a line with the id to keep, followed by the other ids",
            )
        into.update(dict.fromkeys(group, firsts[0]))
    return into
