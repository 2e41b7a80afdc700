"""Which papers are exported: all of them, those about a field, those around a paper."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.paging import id_pages
from specter_graph.graph.queries.library import current_ids

PAGE = 500
_CLOSE_FIELDS = 200


@dataclass(frozen=True, slots=True)
class Selection:
    """Papers: `ids` in order, or None for the whole graph, which is read page by page.

    The ids of a subgraph are held in memory: about 150 MB for a million.
    """

    ids: list[str] | None = None
    _known: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.ids or ()))

    def __contains__(self, paper_id: str) -> bool:
        return self.ids is None or paper_id in self._known

    def pages(self, db: Database) -> Iterator[list[str]]:
        """The ids in order, some at a time."""
        pages = id_pages(db, "export/ids") if self.ids is None else [self.ids]
        for page in pages:
            yield from batches(page, PAGE)


def select(
    db: Database, field_name: str | None = None, around: str | None = None, hops: int = 1
) -> Selection:
    """The papers about a field, and of these those at most `hops` citations away from a paper.

    A field is named by its id or its name; papers about narrower fields belong to it. Citations
    are followed both ways, over stubs too. With neither, the whole graph. Raises GraphError when
    there is no such field or paper.
    """
    if field_name is None and around is None:
        return Selection()
    chosen = [
        *([_about(db, field_name)] if field_name is not None else []),
        *([_around(db, around, hops)] if around is not None else []),
    ]
    return Selection(sorted(set.intersection(*chosen)))


def _about(db: Database, name: str) -> set[str]:
    rows = db.read(statement("export/fields_like").text, name=name, limit=_CLOSE_FIELDS)
    fields = [row for row in rows if row["exact"]]
    if not fields:
        close = ", ".join(dict.fromkeys(row["name"] or row["id"] for row in rows[:5]))
        raise GraphError(
            f"there is no field {name!r}", f"fields like it: {close}" if close else "see `stats`"
        )
    return {
        row["id"]
        for each in fields
        for row in db.stream(statement("export/about").text, scheme=each["scheme"], id=each["id"])
    }


def _around(db: Database, paper_id: str, hops: int) -> set[str]:
    text = statement("export/neighbours").text
    found = {*current_ids(db, [paper_id])}
    outermost = found
    for _ in range(hops):
        reached = {
            row["id"]
            for ids in batches(sorted(outermost), PAGE)
            for row in db.stream(text, ids=ids)
        }
        outermost = reached - found
        found |= outermost
    return found
