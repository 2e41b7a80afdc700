"""Reading of the exported papers and their data, page by page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace
from specter_graph.graph.export.selection import Selection


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
        citations: Citations of exported papers.
    """

    id: str
    labels: list[str]
    values: dict[str, Any]
    authors: list[dict[str, Any]]
    venues: list[dict[str, Any]]
    fields: list[dict[str, Any]]
    identifiers: list[list[str]]
    citations: list[dict[str, Any]]

    @property
    def stub(self) -> bool:
        """True if only the id is known."""
        return "Stub" in self.labels


class Source:
    """The exported papers of a graph.

    No transaction is held open, so changes by another command may or may not be included.
    """

    def __init__(
        self,
        db: Database,
        selection: Selection,
        spaces: Sequence[EmbeddingSpace] = (),
        progress: Progress = silent,
    ) -> None:
        self.spaces = spaces
        self.papers_written = self.stubs_written = self.citations_written = 0
        self._db = db
        self._selection = selection
        self._progress = progress

    def __contains__(self, paper_id: str) -> bool:
        return paper_id in self._selection

    def papers(self, *properties: str) -> Iterator[StoredPaper]:
        """Yield all papers in the order of their ids, including stubs; resets the counts."""
        self.papers_written = self.stubs_written = self.citations_written = 0
        text = statement("export/papers").text
        for ids in self._selection.pages(self._db):
            for row in self._db.stream(text, ids=ids, properties=properties):
                yield self._paper(dict(row), properties)
            self._progress("export", self.papers_written + self.stubs_written, None)

    def _paper(self, row: dict[str, Any], properties: Sequence[str]) -> StoredPaper:
        values = dict(zip(properties, row.pop("values"), strict=True))
        if self._selection.ids is not None:
            row["citations"] = [c for c in row["citations"] if c["cited"] in self]
        paper = StoredPaper(values=values, **row)
        self.papers_written += not paper.stub
        self.stubs_written += paper.stub
        self.citations_written += len(paper.citations)
        return paper

    def wrote_no_stubs(self, citations: int) -> None:
        """Set the counts for a format without stubs, which wrote this number of citations."""
        self.stubs_written, self.citations_written = 0, citations

    def nodes(self, name: str, *key: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of the statement export/NAME, one per node."""
        text = statement(f"export/{name}").text
        if self._selection.ids is None:
            yield from map(dict, self._db.stream(text, ids=None))
            return
        seen: set[tuple[Any, ...]] = set()
        for ids in self._selection.pages(self._db):
            for row in map(dict, self._db.stream(text, ids=ids)):
                node = tuple(row[column] for column in key)
                if node not in seen:
                    seen.add(node)
                    yield row
