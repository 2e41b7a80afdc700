"""Migrations: applied once, recorded, safe when two processes apply them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from neo4j.exceptions import ConstraintError

from specter_graph.graph.connection import Database
from specter_graph.graph.schema import apply_schema, migrations


def undo_schema(graph: Database) -> None:
    graph.write("MATCH (s:Schema) DELETE s")
    for row in graph.read("SHOW CONSTRAINTS YIELD name"):
        graph.write("DROP CONSTRAINT $name IF EXISTS", name=row["name"])
    graph.write("DROP INDEX paper_year IF EXISTS")


def recorded(graph: Database) -> list[tuple[int, str]]:
    rows = graph.read("MATCH (s:Schema) RETURN s.version AS v, s.name AS n ORDER BY v")
    return [(row["v"], row["n"]) for row in rows]


def test_every_migration_is_applied_once_and_recorded(graph: Database):
    undo_schema(graph)
    everything = migrations()
    assert [migration.version for migration in everything] == list(range(1, len(everything) + 1))
    assert apply_schema(graph) == everything
    assert recorded(graph) == [(m.version, m.name) for m in everything]
    assert apply_schema(graph) == []


def test_four_at_once_give_one_schema(graph: Database):
    undo_schema(graph)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(apply_schema, [graph] * 4))
    assert recorded(graph) == [(m.version, m.name) for m in migrations()]
    states = graph.read("SHOW INDEXES YIELD name, state RETURN collect(DISTINCT state) AS states")
    assert states == [{"states": ["ONLINE"]}]


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("Paper", {"id": "a"}),
        ("Author", {"id": "a"}),
        ("Affiliation", {"id": "a"}),
        ("Venue", {"id": "a"}),
        ("Reader", {"id": "a"}),
        ("Topic", {"id": "a"}),
        ("Submission", {"id": "a"}),
        ("Field", {"scheme": "mesh", "id": "a"}),
        ("Identifier", {"scheme": "doi", "value": "a"}),
        ("EmbeddingSpace", {"property": "a"}),
        ("Schema", {"version": 999_999}),
    ],
)
def test_the_keys_of_the_data_model_are_unique(graph: Database, label: str, key: dict[str, object]):
    create = f"CREATE (n:{label}) SET n = $key WITH n CREATE (m:{label}) SET m = $key"
    with pytest.raises(ConstraintError):
        graph.write(create, key=key)
