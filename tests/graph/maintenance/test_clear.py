"""Clear the graph."""

import re
from pathlib import Path

import pytest

from specter_graph import cypher
from specter_graph.cypher import statement
from specter_graph.graph.contents import GraphCounts, stats
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance import delete
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import Author, Paper


def test_clear_deletes_all_data_and_vector_indexes_but_not_the_schema(
    graph: Database, no_vector_indexes: None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(delete, "_ROWS", 10)
    papers = [
        Paper(f"p{n}", "T", authors=(Author("a", "A"),), references=(f"p{n + 1}", "p0"))
        for n in range(1, 50)
    ]
    load_papers(graph, papers)
    graph.write("CREATE (:EmbeddingSpace {property: 'specter'})")
    graph.write(
        "CREATE VECTOR INDEX paper_specter FOR (p:Paper) ON p.specter OPTIONS {indexConfig:"
        " {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}"
    )
    constraints = graph.read("SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name")
    clear(graph)
    assert stats(graph) == GraphCounts(0, 0, 0, 0, 0, 0, 0, [])
    assert graph.read("MATCH (n:!Schema) RETURN count(n) AS n") == [{"n": 0}]
    assert graph.read("SHOW VECTOR INDEXES YIELD name") == []
    assert graph.read("SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name") == constraints
    assert apply_schema(graph) == []


def test_clear_deletes_nodes_of_all_labels_of_the_schema(graph: Database):
    rows = graph.read("SHOW CONSTRAINTS YIELD labelsOrTypes AS labels, properties")
    labels = {row["labels"][0]: row["properties"] for row in rows if row["labels"] != ["Schema"]}
    assert "Watch" in labels
    for label, properties in labels.items():
        graph.write(f"CREATE (n:{label}) SET n = $values", values=dict.fromkeys(properties, "x"))
    graph.write("MATCH (w:Watch), (p:Paper) CREATE (w)-[:REPORTED]->(p)")
    clear(graph)
    assert graph.value(statement("maintenance/is_empty").text) is True


def test_clear_names_all_labels_that_a_statement_creates():
    folder = Path(next(iter(cypher.__path__)))
    texts = [path.read_text() for path in folder.rglob("*.cypher") if path.parent.name != "schema"]
    created = {
        label
        for text in texts
        for label in re.findall(r"(?:CREATE|MERGE) (?:\(\w+\)\S+->)?\(\w*:(\w+)", text)
    }
    assert {"Paper", "Split", "ReadingList"} <= created
    assert created <= set(re.findall(r"\w+", statement("maintenance/nodes").text))


def test_an_empty_graph_can_be_cleared(graph: Database):
    clear(graph)
    assert stats(graph).papers == 0
