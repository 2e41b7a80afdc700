"""Tables of the graph, one for each kind of node and relationship.

Readers and their reading histories are private and not exported.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal

from specter_graph.graph.embeddings.spaces import EmbeddingSpace, hash_name
from specter_graph.graph.export.source import Source, StoredPaper

Type = Literal["text", "integer", "number", "boolean", "texts", "vector", "labels"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    type: Type = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the nodes with a label, or of the relationships of a type.

    The first columns are the keys: those of the node, or those of the start and the end node of the
    relationship. `start` and `end` are tables of nodes, or None for nodes.
    """

    name: str
    kind: str
    keys: tuple[str, ...]
    columns: tuple[Column, ...] = ()
    start: "Table | None" = None
    end: "Table | None" = None


PAPERS = Table(
    "papers",
    "Paper",
    ("id",),
    (
        Column("labels", "labels"),
        Column("title"),
        Column("abstract"),
        Column("abstract_apart", "boolean"),
        Column("year", "integer"),
        Column("published"),
        Column("language"),
        Column("url"),
        Column("source"),
        Column("body"),
        Column("retracted", "boolean"),
        Column("doi"),
        Column("arxiv_id"),
        Column("pubmed_id"),
        Column("draw", "integer"),
        Column("record", "integer"),
        Column("abstract_record", "integer"),
        Column("references_record", "integer"),
        Column("load", "integer"),
    ),
)
AUTHORS = Table(
    "authors",
    "Author",
    ("id",),
    (Column("name"), Column("identified", "boolean"), Column("orcid")),
)
AFFILIATIONS = Table("affiliations", "Affiliation", ("id",), (Column("name"),))
VENUES = Table("venues", "Venue", ("id",), (Column("name"),))
FIELDS = Table("fields", "Field", ("scheme", "id"), (Column("name"), Column("listed", "boolean")))
IDENTIFIERS = Table("identifiers", "Identifier", ("scheme", "value"))
CITATIONS = Table(
    "citations",
    "CITES",
    ("citing", "cited"),
    (
        Column("intents", "texts"),
        Column("influential", "boolean"),
        Column("contexts", "texts"),
        Column("apart", "integer"),
    ),
    PAPERS,
    PAPERS,
)
WROTE = Table(
    "wrote",
    "WROTE",
    ("author", "paper"),
    (Column("position", "integer"), Column("affiliations", "texts")),
    AUTHORS,
    PAPERS,
)
AFFILIATED_WITH = Table(
    "affiliated_with",
    "AFFILIATED_WITH",
    ("author", "affiliation"),
    (Column("first", "integer"), Column("last", "integer")),
    AUTHORS,
    AFFILIATIONS,
)
PUBLISHED_IN = Table("published_in", "PUBLISHED_IN", ("paper", "venue"), (), PAPERS, VENUES)
ABOUT = Table(
    "about", "ABOUT", ("paper", "scheme", "field"), (Column("apart", "boolean"),), PAPERS, FIELDS
)
BROADER = Table(
    "broader", "BROADER", ("scheme", "field", "broader_scheme", "broader"), (), FIELDS, FIELDS
)
SOURCE_RECORDS = Table(
    "source_records",
    "SourceRecord",
    ("id",),
    (
        Column("labels", "labels"),
        Column("draw", "integer"),
        Column("record", "integer"),
        Column("load", "integer"),
        Column("json"),
        Column("pending_record"),
        Column("pending_items", "texts"),
    ),
)
DESCRIBES = Table("describes", "DESCRIBES", ("id", "paper"), (), SOURCE_RECORDS, PAPERS)
NAMES = Table("names", "NAMES", ("citing", "cited"), CITATIONS.columns, PAPERS, SOURCE_RECORDS)
OF = Table("identifies", "OF", ("scheme", "value", "paper"), (), IDENTIFIERS, PAPERS)

_TYPES: dict[Any, Type] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    tuple[str, ...]: "texts",
}
SPACES = Table(
    "embedding_spaces",
    "EmbeddingSpace",
    ("property",),
    tuple(Column(f.name, _TYPES[f.type]) for f in fields(EmbeddingSpace)[1:]),
)

Row = tuple[Any, ...]


def tables(source: Source) -> list[Table]:
    """Return the tables of an export, nodes first; papers have a column for each space."""
    nodes = [papers_table(source), AUTHORS, AFFILIATIONS, VENUES, FIELDS, IDENTIFIERS]
    nodes.append(SOURCE_RECORDS)
    nodes += [SPACES] if source.spaces else []
    relationships = [CITATIONS, WROTE, AFFILIATED_WITH, PUBLISHED_IN, ABOUT, BROADER, OF]
    return [*nodes, *relationships, DESCRIBES, NAMES]


def papers_table(source: Source) -> Table:
    """Return the table of papers, with the vectors and text hashes of each space."""
    columns = list(PAPERS.columns)
    for space in source.spaces:
        columns.append(Column(space.property, "vector"))
        columns.append(Column(hash_name(space.property)))
    return Table(PAPERS.name, PAPERS.kind, PAPERS.keys, tuple(columns))


def rows(source: Source) -> Iterator[tuple[str, Row]]:
    """Yield all rows with the names of their tables, papers first."""
    names = [column.name for column in papers_table(source).columns if column.type != "labels"]
    for paper in source.papers(*names):
        yield from _paper_rows(paper)
    for row in source.nodes("authors", "id"):
        yield AUTHORS.name, (row["id"], row["name"], row["identified"], row["orcid"])
        for affiliation, first, last in row["affiliations"]:
            yield AFFILIATED_WITH.name, (row["id"], affiliation, first, last)
    for row in source.nodes("affiliations", "id"):
        yield AFFILIATIONS.name, (row["id"], row["name"])
    for row in source.nodes("venues", "id"):
        yield VENUES.name, (row["id"], row["name"])
    for row in source.nodes("fields", "scheme", "id"):
        scheme = row["scheme"]
        yield FIELDS.name, (scheme, row["id"], row["name"], row["listed"])
        for broader in row["broader"]:
            yield BROADER.name, (scheme, row["id"], scheme, broader)
    for row in source.nodes("identifiers", "scheme", "value"):
        yield IDENTIFIERS.name, (row["scheme"], row["value"])
    for row in source.nodes("source_records", "id"):
        columns = ("id", *(column.name for column in SOURCE_RECORDS.columns))
        yield SOURCE_RECORDS.name, tuple(row[name] for name in columns)
        yield DESCRIBES.name, (row["id"], row["paper"])
        for citation in row["citations"]:
            properties = (citation[column.name] for column in NAMES.columns)
            yield NAMES.name, (citation["citing"], row["id"], *properties)
    for space in source.spaces:
        yield SPACES.name, tuple(getattr(space, f.name) for f in fields(EmbeddingSpace))


def _paper_rows(paper: StoredPaper) -> Iterator[tuple[str, Row]]:
    yield PAPERS.name, (paper.id, paper.labels, *paper.values.values())
    for citation in paper.citations:
        properties = (citation[column.name] for column in CITATIONS.columns)
        yield CITATIONS.name, (paper.id, citation["cited"], *properties)
    for author in paper.authors:
        position = author["position"], author["affiliations"]
        yield WROTE.name, (author["id"], paper.id, *position)
    for venue in paper.venues:
        yield PUBLISHED_IN.name, (paper.id, venue["id"])
    for label in paper.fields:
        yield ABOUT.name, (paper.id, label["scheme"], label["id"], label["apart"])
    for scheme, value in paper.identifiers:
        yield OF.name, (scheme, value, paper.id)
