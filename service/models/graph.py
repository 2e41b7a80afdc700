"""What the graph is: spaces, queries, counts, health."""

from typing import Any

from pydantic import BaseModel

from specter_graph.service.models.base import Model


class Space(Model):
    """An embedding space: where its vectors came from."""

    property: str
    kind: str
    dimension: int
    base: str
    pooling: str
    distance: str
    sees_edges: bool
    holdout: float
    created: str


class Parameter(Model):
    """A parameter of a query of the library; `default` is JSON, null where one must be given."""

    name: str
    type: str
    text: str
    default: str | None


class Column(Model):
    """A column of what it returns."""

    name: str
    type: str
    text: str


class LibraryQuery(BaseModel):
    """A query of the library."""

    name: str
    purpose: str
    summary: str
    parameters: list[Parameter]
    columns: list[Column]


class Rows(BaseModel):
    """Rows of a query; `cut` says that there were more."""

    columns: list[str]
    rows: list[list[Any]]
    cut: bool


class Cypher(BaseModel):
    """A query of one's own."""

    query: str
    parameters: dict[str, Any] = {}


class Stats(Model):
    """How much of what the graph holds."""

    papers: int
    stubs: int
    citations: int
    citations_to_stubs: int
    authors: int
    venues: int
    fields: int
    spaces: list[str]


class Live(BaseModel):
    """That the service works."""

    live: bool


class Health(Live):
    """Whether the database answers, too."""

    ready: bool
