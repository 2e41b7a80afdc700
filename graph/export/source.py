"""Reads what is exported: papers with all that the graph says of them, page by page."""

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
    """A paper as the graph has it.

    `values` are the properties asked for, `labels` those that it has beside Paper. The keys of
    authors, venues, fields and citations are those of `export/papers`. Citations of papers that
    are not exported are left out.
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
        """Whether only the id is known."""
        return "Stub" in self.labels


class Source:
    """The graph or the part of it that is exported.

    It holds no transaction open: what another command changes meanwhile may be in it or not.
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
        """The papers in the order of their ids, stubs among them; counted anew each time."""
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
        """Say that stubs were left out, and how many citations were written without them."""
        self.stubs_written, self.citations_written = 0, citations

    def nodes(self, name: str, *key: str) -> Iterator[dict[str, Any]]:
        """The rows of a statement export/NAME that lists nodes, each once by its key."""
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
