"""Papers of the graph that a bibliography names: by identifier, or else by title."""

from collections.abc import Sequence
from dataclasses import dataclass

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.graph.merging.titles import normal_title
from specter_graph.graph.search.lucene import words
from specter_graph.graph.search.text import matching
from specter_graph.loaders.records import Paper, Reject

SHORTEST = 12
"""Letters and digits of a title that names a paper alone."""
_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class Matched:
    """The papers of the graph that the entries of a bibliography name.

    Attributes:
        ids: The papers, each once, in the order of the entries.
        unmatched: Entries that name no paper of the graph.
        untitled: Entries that name a paper of which the graph has no title, such as a stub: it is
            not among `ids`, since nothing can be like it.
        rejected: Entries that cannot be used, such as those without a title.
        entries: The number of all entries.
    """

    ids: tuple[str, ...]
    unmatched: tuple[Paper, ...]
    untitled: tuple[Paper, ...] = ()
    rejected: tuple[Reject, ...] = ()
    entries: int = 0


def match_entries(db: Database, entries: Sequence[Paper]) -> Matched:
    """Find the papers that the entries of a bibliography name.

    First by what identifiers say; of the rest, those whose title is that of a paper, letters and
    digits alone compared.
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
    untitled = {row["number"] for row in rows} - found.keys()
    unmatched = set(range(len(entries))) - found.keys() - untitled
    return Matched(
        ids=tuple(dict.fromkeys(found[number] for number in sorted(found))),
        unmatched=tuple(entries[number] for number in sorted(unmatched)),
        untitled=tuple(entries[number] for number in sorted(untitled)),
        entries=len(entries),
    )


def _by_title(db: Database, title: str) -> str | None:
    wanted = normal_title(title)
    if len(wanted) < SHORTEST:
        return None
    rows = matching(db, words(title), _LOOKED_AT)
    return next((row["id"] for row in rows if normal_title(row["title"] or "") == wanted), None)
