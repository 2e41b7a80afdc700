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
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.components import components
from specter_graph.graph.deduplication.members import run
from specter_graph.graph.schema import apply_schema

_AUTHORS = 500


@dataclass(frozen=True, slots=True)
class AuthorMergeSummary:
    """The result of a curated list.

    `authors` is the number of authors with several ids in all lists so far, `ids` the number of ids
    that are not kept; `moved` authors of the graph have given their papers to another one now.
    """

    authors: int
    ids: int
    moved: int


def merge_authors(db: Database, same: Iterable[Sequence[str]]) -> AuthorMergeSummary:
    """Make one author of each group of ids, under the first of them; `identified` is true then.

    Run it again after an interruption. Raises InputError, before anything is changed, where it is
    unclear which of several ids is to be kept.
    """
    apply_schema(db)
    known = {
        row["id"]: row["author"] for row in db.read(statement("deduplication/known_authors").text)
    }
    kept = _kept([*same, *((author, key) for key, author in known.items() if author != key)])
    kept |= {key: key for key in {*kept.values()}}
    new = [key for key in sorted(kept) if known.get(key) != kept[key]]
    db.write(
        statement("deduplication/record_authors").text,
        authors=[{"id": key, "author": kept[key]} for key in new],
    )
    db.write(statement("deduplication/identified").text, ids=sorted({*kept.values()}))
    left = db.read(statement("deduplication/authors_left").text)
    moved = 0
    for at in range(0, len(left), _AUTHORS):
        moved += db.transaction(partial(_move, authors=left[at : at + _AUTHORS]))
    authors = {*kept.values()}
    return AuthorMergeSummary(len(authors), len(kept) - len(authors), moved)


def _move(tx: neo4j.ManagedTransaction, authors: Sequence[Mapping[str, str]]) -> int:
    [row] = run(tx, "move_authors", authors=authors)
    run(tx, "move_reviewing", authors=authors)
    kept = sorted({author["author"] for author in authors})
    tx.run(statement("loading/forget_affiliations").text, authors=kept).consume()
    moved: int = row["moved"]
    return moved


def _kept(same: Iterable[Sequence[str]]) -> dict[str, str]:
    """Map all ids to the one that is kept: first in a line, and in no later position anywhere."""
    first: dict[str, set[str]] = defaultdict(set)
    pairs = []
    for kept, *others in same:
        for other in others:
            if other != kept:
                first[other].add(kept)
                pairs.append([kept, other])
    into = {}
    for group in components(pairs):
        firsts = [key for key in group if key not in first]
        if len(firsts) != 1:
            raise _unclear(group, firsts)
        into.update(dict.fromkeys(group, firsts[0]))
    return into


def _unclear(group: Sequence[str], firsts: Sequence[str]) -> InputError:
    some = ", ".join(map(repr, (firsts or group)[:3]))
    return InputError(
        f"of {some} and others, which are the same by the lists, it is not clear which is kept",
        "add a line that has the one to keep first, and the others after it",
    )
