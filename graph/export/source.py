"""The exported papers: their selection, and reading them page by page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from specter_graph.core.errors import GraphError, require_counts
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.cypher import statement
from specter_graph.graph.database import Database, id_pages
from specter_graph.graph.embeddings.spaces import EmbeddingSpace
from specter_graph.graph.queries.library_queries import current_ids

PAGE = 500
_CLOSE_FIELDS = 200
_LIST_FIELDS = 'specter-graph query cypher "MATCH (f:Field) RETURN f.id, f.name"'


@dataclass(frozen=True)
class Selection:
    """The selected papers: `ids` in order, or None for all papers, which are read page by page.

    The ids of a subgraph are held in memory, about 150 MB per million.
    """

    ids: list[str] | None = None

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.ids or ())

    def __contains__(self, paper_id: str) -> bool:
        return self.ids is None or paper_id in self._known

    def pages(self, db: Database) -> Iterator[list[str]]:
        """Yield the ids in order, in batches."""
        pages = id_pages(db, "export/ids") if self.ids is None else [self.ids]
        for page in pages:
            yield from batches(page, PAGE)


def select(
    db: Database,
    field_name: str | None = None,
    around: str | None = None,
    hops: int = 1,
    list_name: str | None = None,
) -> Selection:
    """Select the papers about a field, at most `hops` citations away from a paper, and in a list.

    Papers about narrower fields are included. Citations are followed in both directions, also
    through stubs. Without a field, a paper and a list, all papers are selected.

    Args:
        db: The graph.
        field_name: Id or name of a field.
        around: Id of a paper.
        hops: Maximum number of citations.
        list_name: Name of a reading list.

    Raises:
        GraphError: The field, the paper or the list is not in the graph.
        InputError: `hops` is not an integer, or negative.
    """
    require_counts(0, hops=hops)
    chosen: list[set[str]] = []
    if field_name is not None:
        chosen.append(_find_about(db, field_name))
    if around is not None:
        chosen.append(_find_around(db, around, hops))
    if list_name is not None:
        chosen.append(_read_list(db, list_name))
    return Selection(sorted(set.intersection(*chosen)) if chosen else None)


def _find_about(db: Database, name: str) -> set[str]:
    rows = db.read("export/fields_like", name=name, limit=_CLOSE_FIELDS)
    fields = [row for row in rows if row["exact"]]
    if not fields:
        close = ", ".join(dict.fromkeys(row["name"] or row["id"] for row in rows[:5]))
        raise GraphError(
            f"there is no field {name!r}",
            f"use one of the similar fields: {close}" if close else _LIST_FIELDS,
        )
    return {
        row["id"]
        for label in fields
        for row in db.stream("export/about", scheme=label["scheme"], id=label["id"])
    }


def _find_around(db: Database, paper_id: str, hops: int) -> set[str]:
    [paper] = current_ids(db, [paper_id])
    text = statement("export/around").filled(hops=str(hops))
    return {row["id"] for row in db.stream(text, id=paper)}


def _read_list(db: Database, name: str) -> set[str]:
    papers = {row["id"] for row in db.read("lists/entries", name=name)}
    if not papers:
        raise GraphError(
            f"the graph has no reading list {name!r} with papers", "specter-graph lists list"
        )
    return papers


@dataclass(frozen=True, slots=True)
class StoredPaper:
    """A paper in the graph.

    Attributes:
        id: Its id.
        labels: Its labels except Paper.
        values: The requested properties.
        authors: Rows with the keys of `export/papers`, like venues, fields and citations.
        venues: Venues.
        fields: Fields.
        identifiers: Pairs of scheme and value.
        citations: Citations; those of exported papers, if `Source` reads a part of the graph.
        key: The id of its record from BibTeX, if it is a merged paper.
    """

    id: str
    labels: list[str]
    values: dict[str, Any]
    authors: list[dict[str, Any]]
    venues: list[dict[str, Any]]
    fields: list[dict[str, Any]]
    identifiers: list[list[str]]
    citations: list[dict[str, Any]]
    key: str | None = None

    @property
    def stub(self) -> bool:
        """True if only the id is known."""
        return "Stub" in self.labels


def read_papers(
    db: Database, ids: Iterable[str], properties: Sequence[str]
) -> Iterator[StoredPaper]:
    """Yield papers with these properties and all of their citations, in the order of `ids`."""
    for page in batches(ids, PAGE):
        for row in db.stream("export/papers", ids=page, properties=properties):
            values = dict(zip(properties, row["values"], strict=True))
            yield StoredPaper(**dict(row) | {"values": values})


@dataclass(slots=True)
class Source:
    """The exported papers of a graph, and the counts of those written.

    No transaction is held open, so changes by another command may or may not be included.
    """

    db: Database
    selection: Selection
    spaces: Sequence[EmbeddingSpace] = ()
    progress: Progress = silent
    papers_written: int = 0
    stubs_written: int = 0
    citations_written: int = 0

    def papers(self, *properties: str, stubs: bool = True) -> Iterator[StoredPaper]:
        """Yield all papers in the order of their ids, perhaps without stubs; resets the counts."""
        self.papers_written = self.stubs_written = self.citations_written = done = 0
        selection = self.selection
        for ids in selection.pages(self.db):
            for paper in read_papers(self.db, ids, properties):
                if paper.stub and not stubs:
                    continue
                if selection.ids is not None:
                    citations = [each for each in paper.citations if each["cited"] in selection]
                    paper = replace(paper, citations=citations)
                self.papers_written += not paper.stub
                self.stubs_written += paper.stub
                self.citations_written += len(paper.citations)
                yield paper
            done += len(ids)
            self.progress("export", done, None)

    def nodes(self, name: str, *key: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of the statement export/NAME, one per node."""
        query = f"export/{name}"
        if self.selection.ids is None:
            yield from map(dict, self.db.stream(query, ids=None))
            return
        seen: set[tuple[Any, ...]] = set()
        for ids in self.selection.pages(self.db):
            for row in map(dict, self.db.stream(query, ids=ids)):
                node = tuple(row[column] for column in key)
                if node not in seen:
                    seen.add(node)
                    yield row
