"""Shared by all tests: one real Neo4j for each process that runs tests."""

import atexit
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Each of the processes that run tests has one core. NumPy reads this when it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import pytest

from specter_graph.graph.database import Database, connect
from specter_graph.graph.server import Instance, instance_config
from specter_graph.settings import Settings

# The modules that tests import stay until the end: see `pytest_collection_finish`.
gc.disable()

# Java's second compiler costs the servers of tests more than it wins, half of their processor time.
os.environ.setdefault(
    "JDK_JAVA_OPTIONS",
    "-XX:TieredStopAtLevel=1 -XX:Tier3InvocationThreshold=20 -XX:Tier3MinInvocationThreshold=10"
    " -XX:Tier3CompileThreshold=100",
)

# It comes before NEO4J_URI, by which tests lead commands to the server of their own: whoever has
# set it, as the tutorial says, would have them empty that instance.
os.environ.pop("SPECTER_GRAPH_INSTANCE", None)

# Servers and other tests share the machine: what is slow here is not slow by itself. The examples
# of a test share its fixtures: those that need an empty graph or folder empty it.
hypothesis.settings.register_profile(
    "shared",
    deadline=None,
    suppress_health_check=[
        hypothesis.HealthCheck.too_slow,
        hypothesis.HealthCheck.function_scoped_fixture,
    ],
)
hypothesis.settings.load_profile("shared")


write_configuration = instance_config.write_configuration


def configure(home: Path, *settings: Any) -> None:
    """Write the settings of a server that plans a query once: planning is most of its work here.

    By default it plans again for lists of another length, and when the counts of the graph change.
    """
    write_configuration(home, *settings)
    with (home / "conf" / "neo4j.conf").open("a") as file:
        file.write("internal.cypher.use_parameter_size=false\n")
        file.write("dbms.cypher.min_replan_interval=1h\n")


instance_config.write_configuration = configure

KILL_THE_SERVER = {"test_serve.py", "test_resume.py"}
SERVER_FIXTURES = {"local_instance", "database", "graph", "fresh_graph", "instance"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a server, a browser or the documentation, and run them first.

    The files without them are short, so the processes that run tests end at about the same time.
    The files that kill the server come before it has planned what the others ask.
    """
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        if names & SERVER_FIXTURES:
            item.add_marker("server")
        if "page" in names or "browser" in item.path.stem:
            item.add_marker("browser")
        if item.path.parent.name == "docs":
            item.add_marker("docs")
    long = {"server", "browser", "docs"}
    first = {item.path for item in items if long & {mark.name for mark in item.iter_markers()}}
    items.sort(key=lambda item: (item.path.name not in KILL_THE_SERVER, item.path not in first))


def pytest_collection_finish() -> None:
    """Exempt all imported modules from garbage collection.

    Every training calls `gc.collect`, which would take half a second for them.
    """
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # libraries check at the end that nothing of theirs is left


@pytest.fixture(scope="session")
def local_instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """An instance in a folder of its own, with the user's jars; removed when the run ends.

    A run that is killed leaves it to the watchdog, which stops it after two idle minutes.
    """
    instance = Instance(
        "tests",
        tmp_path_factory.mktemp("neo4j"),
        Settings().specter_graph_cache,
        idle_minutes=2,
    )
    try:
        yield instance
    finally:
        instance.remove()


@pytest.fixture(scope="session")
def database(local_instance: Instance) -> Iterator[Database]:
    """A real local Neo4j with Graph Data Science, one per run; see `graph` for a clean one."""
    with (
        local_instance.lease() as endpoint,
        connect(endpoint.uri, endpoint.username, endpoint.password) as database,
    ):
        yield database


@pytest.fixture
def graph(database: Database) -> Database:
    """The database with no data in it and the schema in place."""
    from specter_graph.graph.schema import apply_schema

    _wipe(database)
    apply_schema(database)
    return database


@pytest.fixture(scope="module")
def fresh_graph(database: Database) -> Database:
    """As `graph`, once for the tests of a module, which load it and then only read it."""
    from specter_graph.graph.schema import apply_schema

    _wipe(database)
    apply_schema(database)
    return database


def _wipe(database: Database) -> None:
    """Drop everything, also what the code under test would not: every index and projection."""
    for row in database.read("CALL gds.graph.list() YIELD graphName RETURN graphName"):
        database.read("CALL gds.graph.drop($name) YIELD graphName RETURN 1", name=row["graphName"])
    database.commit("MATCH (n:!Schema) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS")
    for row in database.read("SHOW VECTOR INDEXES YIELD name"):
        database.commit(f"DROP INDEX `{row['name']}` IF EXISTS")
