"""References that a draft lacks (query `missing_references`); parsing of bibliographies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specter_graph.core.errors import InputError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.titles import normal_title
from specter_graph.graph.queries.library import SECONDS, Embed, run_query
from specter_graph.graph.search.fulltext import matching
from specter_graph.graph.search.lucene import words
from specter_graph.graph.search.results import Hit, Missing, Reason, complete
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


OUTSIDE = 10
"""How many papers without a record are named at most."""


def missing_references(
    db: Database,
    embed: Embed,
    text: str = "",
    *,
    id: str | None = None,
    cites: Sequence[str] = (),
    until: int | None = None,
    space: str = "specter",
    k: int = 10,
    seconds: float = SECONDS,
) -> Missing:
    """Find the k references that a draft most likely lacks.

    The draft is a text, a paper of the graph (`id`), the ids of papers that it cites, or several
    of these. Raises InputError when nothing is given, GraphError for a paper or a space that is
    not there.
    """
    if not (text.strip() or id or cites):
        raise InputError("nothing is given", "give a text, a paper's id, or a bibliography")
    given: dict[str, Any] = {
        "id": id,
        "text": text.strip(),
        "cites": [*cites],
        "until": until,
        "k": k,
    }
    query = {name: value for name, value in given.items() if value is not None}
    answer = run_query(db, "missing_references", query, space, embed=embed, seconds=seconds)
    hits = [_hit(row) for row in answer.rows]
    shown = complete(db, hits)
    return Missing(
        hits=[hit for hit in shown if not hit.stub][:k],
        outside=[hit for hit in shown if hit.stub][:OUTSIDE],
        known=tuple(cites),
    )


def _hit(row: Mapping[str, Any]) -> Hit:
    return Hit(row["id"], row["title"], row["year"], row["score"], reasons=tuple(_reasons(row)))


def _reasons(row: Mapping[str, Any]) -> Iterator[Reason]:
    """Say why a paper may be missing, in words."""
    if row["near"] > 0:
        yield Reason("close to the text")
    for count, citing, which in (
        (row["cited_near"], row["citing_near"], "close to the text"),
        (row["cited_with"], row["citing_with"], "with references in common"),
    ):
        if count:
            papers = "a paper" if count == 1 else f"{count} papers"
            names = ", ".join(each["title"] or each["id"] for each in citing)
            more = ", ..." if count > len(citing) else ""
            yield Reason(
                f"cited by {papers} {which}: {names}{more}", tuple(each["id"] for each in citing)
            )
