"""Papers of the graph that a bibliography names: by identifier, or else by title."""

from collections.abc import Sequence
from dataclasses import dataclass

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.titles import normal_title
from specter_graph.graph.search.fulltext import matching
from specter_graph.graph.search.lucene import words
from specter_graph.loaders.records import Paper, Reject

SHORTEST = 12
"""Letters and digits of a title that names a paper alone."""
_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class Matched:
    """The papers of the graph that the entries of a bibliography name.

    Attributes:
        ids: The papers, each once, in the order of the entries; also stubs, whose citations are
            in the graph.
        unmatched: Entries that name no paper of the graph.
        rejected: Entries that cannot be used, such as those without a title.
        entries: The number of all entries.
    """

    ids: tuple[str, ...]
    unmatched: tuple[Paper, ...]
    rejected: tuple[Reject, ...] = ()
    entries: int = 0


def match_entries(db: Database, entries: Sequence[Paper]) -> Matched:
    """Find the papers that the entries of a bibliography name.

    An entry names the paper with one of its identifiers, or else the paper whose title has the same
    letters and digits, or else the stub with one of its identifiers.
    """
    pairs = [
        {"number": number, "scheme": each.scheme, "value": each.value}
        for number, entry in enumerate(entries)
        for each in entry.identifiers
    ]
    rows = db.read(statement("search/identified").text, entries=pairs)
    found = {row["number"]: row["id"] for row in reversed(rows) if row["titled"]}
    for number, entry in enumerate(entries):
        if number not in found and (paper := _by_title(db, entry.title)):
            found[number] = paper
    found = {row["number"]: row["id"] for row in reversed(rows)} | found
    return Matched(
        ids=tuple(dict.fromkeys(found[number] for number in sorted(found))),
        unmatched=tuple(each for number, each in enumerate(entries) if number not in found),
        entries=len(entries),
    )


def _by_title(db: Database, title: str) -> str | None:
    wanted = normal_title(title)
    if len(wanted) < SHORTEST:
        return None
    rows = matching(db, " ".join(words(title)), _LOOKED_AT)
    return next((row["id"] for row in rows if normal_title(row["title"] or "") == wanted), None)
