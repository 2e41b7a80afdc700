"""Migrations are applied once, recorded, and run by one process at a time."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.resources import files

import pytest
from neo4j.exceptions import ConstraintError

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph import schema
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.schema import (
    Migration,
    apply_schema,
    await_indexes,
    migrations,
    program_version,
    schema_version,
)
from specter_graph.graph.server import Instance
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Paper

CHECKSUMS = {
    1: "b9decdde",
    2: "71047f58",
    3: "3e1cdb01",
    4: "67a14a72",
    5: "ff004510",
    6: "024ee234",
    7: "ded281cb",
    8: "96c1de02",
    9: "48b05e9b",
    10: "9c27276f",
    11: "18fa4fef",
    12: "e7cf7b53",
    13: "fd2ffc1d",
    14: "f4c19c33",
    15: "ab0a0da6",
}
"""The first digits of the checksum of each migration, which databases have already applied. Never
change a migration; write another one, and add its checksum."""


def undo_schema(graph: Database) -> None:
    graph.write("MATCH (s:Schema) DELETE s")
    for row in graph.read("SHOW CONSTRAINTS YIELD name"):
        graph.write("DROP CONSTRAINT $name IF EXISTS", name=row["name"])
    for row in graph.read("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
        graph.write("DROP INDEX $name IF EXISTS", name=row["name"])


def recorded(graph: Database) -> list[tuple[int, str, str]]:
    rows = graph.read(
        "MATCH (s:Schema) RETURN s.version AS v, s.name AS n, s.program AS p ORDER BY v"
    )
    return [tuple(row.values()) for row in rows]


def everything() -> list[tuple[int, str, str]]:
    return [(m.version, m.name, program_version()) for m in migrations()]


def test_no_released_migration_has_changed():
    folder = files("specter_graph.cypher").joinpath("schema")
    checksums = {
        int(entry.name[1:5]): sha256(entry.read_text("utf-8").encode()).hexdigest()[:8]
        for entry in folder.iterdir()
        if entry.name.startswith("V")
    }
    assert checksums == CHECKSUMS


def test_every_migration_is_applied_once_and_recorded(graph: Database):
    undo_schema(graph)
    assert schema_version(graph) == 0
    known = migrations()
    assert [migration.version for migration in known] == list(range(1, len(known) + 1))
    assert apply_schema(graph) == known
    assert recorded(graph) == everything()
    assert schema_version(graph) == len(known)
    assert apply_schema(graph) == []


def test_four_concurrent_processes_apply_each_statement_once(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    undo_schema(graph)
    ran: list[str] = []
    run = schema._run_text
    monkeypatch.setattr(schema, "_run_text", lambda db, text: (ran.append(text), run(db, text)))
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(apply_schema, [graph] * 4))
    assert sorted(map(len, results)) == [0, 0, 0, len(migrations())]
    assert recorded(graph) == everything()
    texts = [text for text in ran if text != statement("schema/lockable").text]
    every = [
        text
        for migration in migrations()
        for text in migration.statements
        if not text.startswith("MATCH")  # these convert data of older programs
    ]
    # the full-text index is last, because it reads all papers
    assert texts == sorted(every, key=lambda text: "CREATE FULLTEXT INDEX" in text)
    states = graph.read("SHOW INDEXES YIELD name, state RETURN collect(DISTINCT state) AS states")
    assert states == [{"states": ["ONLINE"]}]


HOLDING = """
import sys, time
from specter_graph.graph import schema
from specter_graph.graph.database import connect
def never(db, migration, text):
    print(migration.version, flush=True)
    time.sleep(600)
schema._apply = never
with connect(*sys.argv[1:]) as db:
    schema.apply_schema(db)
"""


def test_processes_wait_for_a_migration_and_a_killed_migration_blocks_none(
    graph: Database, local_instance: Instance
):
    undo_schema(graph)
    with local_instance.lease() as endpoint, ThreadPoolExecutor(1) as threads:
        arguments = [endpoint.uri, endpoint.username, endpoint.password]
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDING, *arguments], stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"1\n"
        waiting = threads.submit(apply_schema, graph)
        time.sleep(1)
        assert not waiting.done()
        assert recorded(graph) == []
        process.kill()
        process.wait()
        assert waiting.result(timeout=60) == migrations()
    assert recorded(graph) == everything()


def test_a_database_of_the_first_version_is_upgraded_with_its_data(graph: Database):
    undo_schema(graph)
    first = migrations()[0]
    for text in first.statements:
        graph.write(text)
    graph.write(
        "CREATE (:Schema {version: 1, name: $name, applied: datetime('2026-01-01')}),"
        " (:Paper {id: 'a', title: 'A', draw: 1})",
        name=first.name,
    )
    assert apply_schema(graph) == migrations()[1:]
    assert recorded(graph) == [(*everything()[0][:2], None), *everything()[1:]]
    assert graph.read("MATCH (s:Schema {version: 1}) RETURN s.applied.year AS y") == [{"y": 2026}]
    assert graph.read("MATCH (p:Paper) RETURN p.title AS t, p.sample_key AS k") == [
        {"t": "A", "k": 1}
    ]


@pytest.mark.parametrize("unknown", [Migration(4_000, "shelves"), Migration(1, "shelves")])
def test_a_database_of_a_newer_program_is_refused_and_unchanged(
    graph: Database, unknown: Migration
):
    graph.write(
        "MERGE (s:Schema {version: $v}) SET s.name = $n, s.program = '9.1'",
        v=unknown.version,
        n=unknown.name,
    )
    changed = recorded(graph)
    try:
        with pytest.raises(GraphError, match=r"made by specter-graph 9\.1.*\(shelves\)") as refused:
            apply_schema(graph)
        assert refused.value.hint == "install specter-graph 9.1 or newer, or use another database"
        with pytest.raises(GraphError):
            load_papers(graph, [Paper("a", "A")])
        assert recorded(graph) == changed
    finally:
        graph.write("MATCH (s:Schema) DELETE s")
        apply_schema(graph)
    assert recorded(graph) == everything()


def test_an_obstacle_to_a_migration_is_reported_and_the_next_run_continues(graph: Database):
    undo_schema(graph)
    graph.write("CREATE (:Author {id: 'a'}), (:Author {id: 'a'})")
    with pytest.raises(
        GraphError, match=r"migration 1 \(papers_and_citations\)(.|\n)*property `id` = 'a'"
    ):
        apply_schema(graph)
    graph.write("MATCH (a:Author) DELETE a")
    assert apply_schema(graph) == migrations()


def test_nodes_of_another_program_with_the_same_labels_are_refused_and_unchanged(graph: Database):
    undo_schema(graph)
    graph.write("CREATE (:Movie {title: 'M'})-[:CITES]->(:Author {name: 'A'})")
    try:
        with pytest.raises(GraphError, match=r"nodes \(:Author\) that specter-graph did not make"):
            LiteratureGraph(graph.driver)
        assert graph.read("SHOW CONSTRAINTS YIELD name") == []
        graph.write("MATCH (a:Author) DETACH DELETE a")
        literature = LiteratureGraph(graph.driver)
        literature.load([Paper("a", "A")])
        literature.maintenance.clear()
        assert graph.read("MATCH (n:!Schema) RETURN n.title AS title") == [{"title": "M"}]
    finally:
        graph.write("MATCH (m:Movie) DELETE m")


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
        ("ReviewVenue", {"name": "a"}),
        ("Schema", {"version": 999_999}),
    ],
)
def test_the_keys_of_the_data_model_are_unique(graph: Database, label: str, key: dict[str, object]):
    create = f"CREATE (n:{label}) SET n = $key WITH n CREATE (m:{label}) SET m = $key"
    with pytest.raises(ConstraintError):
        graph.write(create, key=key)


class GrowingIndex:
    """Answers as a server that builds an index: each read returns one of `percents`."""

    def __init__(self, percents):
        self.percents = iter(percents)

    def read(self, text, names):
        percent = next(self.percents)
        state = "ONLINE" if percent == 100 else "POPULATING"
        return [{"name": names[0], "state": state, "percent": float(percent)}]


def test_an_index_that_grows_is_awaited(monkeypatch):
    monkeypatch.setattr(schema, "sleep", lambda _: None)
    percentages = []
    await_indexes(GrowingIndex(range(101)), ["paper_specter"], percentages.append)
    assert percentages == list(range(100))


def test_a_failed_index_is_dropped_so_that_it_can_be_built_again(graph: Database) -> None:
    build = "CREATE INDEX too_long IF NOT EXISTS FOR (paper:Paper) ON (paper.body)"
    graph.write("CREATE (:Paper {body: reduce(text = 'x', _ IN range(1, 16) | text + text)})")
    graph.commit(build)
    with pytest.raises(GraphError, match=r"the index too_long failed: .*too large") as failed:
        await_indexes(graph, ["too_long"])
    assert "\n" not in failed.value.message  # as the server's failures, which are stack traces
    graph.write("MATCH (paper:Paper) SET paper.body = 'short'")
    graph.commit(build)
    await_indexes(graph, ["too_long"])
    graph.commit("DROP INDEX too_long")


def test_an_index_that_was_dropped_is_not_awaited(graph: Database) -> None:
    with pytest.raises(GraphError, match="the index paper_specter was dropped"):
        await_indexes(graph, ["paper_specter"])
