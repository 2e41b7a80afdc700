"""Count the content of the graph."""

from dataclasses import asdict

import neo4j

from specter_graph.graph import database
from specter_graph.graph.contents import GraphCounts, stats
from specter_graph.graph.database import Database, SharedReads, connect
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Author, Field, Paper, Venue


def test_an_empty_graph_has_counts_of_zero(graph: Database):
    assert stats(graph) == GraphCounts(0, 0, 0, 0, 0, 0, 0, [])


def test_everything_is_counted_under_its_name(graph: Database):
    load_papers(
        graph,
        [
            Paper("a", "A", venue=Venue("J", "J"), references=("b", "x", "y")),
            Paper("b", "B", authors=(Author("1", "N"), Author("2", "M")), references=("x",)),
            Paper("c", "C", fields=(Field("s", "1", "F"),), venue=Venue("J", "J")),
        ],
    )
    graph.write("UNWIND ['specter', 'base'] AS name CREATE (:EmbeddingSpace {property: name})")
    assert asdict(stats(graph)) == {
        "papers": 3,
        "stubs": 2,
        "citations": 1,
        "citations_to_stubs": 3,
        "authors": 2,
        "venues": 1,
        "fields": 1,
        "spaces": ["base", "specter"],
    }


def test_counts_are_read_from_the_count_store(graph: Database):
    from specter_graph.cypher import statement

    with graph.driver.session() as session:
        plan = session.run("EXPLAIN " + statement("maintenance/counts").text).consume().plan
    operators = str(plan)
    assert "FromCountStore" in operators
    assert "AllNodesScan" not in operators
    assert "RelationshipTypeScan" not in operators


def test_shared_values_are_read_once_until_the_database_changes(graph: Database):
    reads, calls = SharedReads(size=2), []

    def read(name: str = "papers"):
        return graph.shared(name, lambda: calls.append(name) or stats(graph).papers)

    with reads.use():
        assert (read(), read(), calls) == (0, 0, ["papers"])
        load_papers(graph, [Paper("a", "A")])
        assert read() == 0  # a request sees the database as of its first read
    with reads.use():
        assert (read(), len(calls)) == (1, 2)
    graph.write("MATCH (p:Paper) SET p.title = 'B'")
    with reads.use():
        assert (read(), read(), len(calls)) == (1, 1, 3)
        read("other"), read("another")
        assert (read(), len(calls)) == (1, 6)  # the oldest of three values was removed
    assert (read(), read(), len(calls)) == (1, 1, 8)


def test_a_request_uses_the_stamp_of_a_recent_one(graph: Database, monkeypatch):
    """Only a write of another process is seen later, and only for a short time."""
    reads, statements = SharedReads(), []
    run = neo4j.Session.run
    monkeypatch.setattr(
        neo4j.Session, "run", lambda *given: statements.append(given[1]) or run(*given)
    )

    def papers() -> int:
        with reads.use():
            return graph.shared("papers", lambda: stats(graph).papers)

    with connect(*graph.login) as other:
        assert papers() == 0
        count = len(statements)
        monkeypatch.setattr(database, "RECENT_SECONDS", 60)
        load_papers(other, [Paper("a", "A")])
        assert (papers(), len(statements)) == (0, count)
        monkeypatch.setattr(database, "RECENT_SECONDS", 0)
        assert papers() == 1
        monkeypatch.setattr(database, "RECENT_SECONDS", 60)
        load_papers(graph, [Paper("b", "B")])
        assert papers() == 2
