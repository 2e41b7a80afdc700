"""Represent the whole graph as a comparable value, without ids and times that differ by load."""

from collections.abc import Callable
from typing import Any

from specter_graph.graph.database import Database, connect
from specter_graph.graph.server import Instance

NODES = (
    "MATCH (n:!Schema&!Load&!LoadedFile) RETURN labels(n) AS labels, properties(n) AS properties"
)
RELATIONSHIPS = """
MATCH (a)-[r]->(b)
RETURN coalesce(a.id, [a.scheme, a.value]) AS start, type(r) AS type, properties(r) AS properties,
  labels(b) AS labels, coalesce(b.id, [b.scheme, b.value]) AS end
"""


def canonical(graph: Database) -> dict[str, list[str]]:
    """Return every node and every relationship with all properties, sorted."""
    return {
        "nodes": sorted(_text(row) for row in graph.read(NODES)),
        "relationships": sorted(_text(row) for row in graph.read(RELATIONSHIPS)),
    }


def _text(row: dict[str, Any]) -> str:
    row["labels"] = sorted(row["labels"])
    row["properties"].pop("load", None)
    row["properties"].pop("loaded", None)
    row["properties"] = sorted(row["properties"].items())
    return repr(row)


def on_instance(instance: Instance, work: Callable[[Database], Any]) -> Any:
    """Return the result of `work` with the database of an instance."""
    with instance.lease() as endpoint, connect(*endpoint.login) as database:
        return work(database)
