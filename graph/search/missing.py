"""References that a draft lacks: the library query `missing_references`, with reasons in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.queries.library import SECONDS, Embed, run_query
from specter_graph.graph.search.hits import complete
from specter_graph.graph.search.results import Hit, Missing, Reason

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
