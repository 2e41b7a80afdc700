"""Fixtures of all tests: one real Neo4j for each test process."""

import atexit
import gc
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Each test process has one core. NumPy reads this when it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import pytest

from specter_graph.graph.database import Database, connect
from specter_graph.graph.server import Instance, instance_config
from specter_graph.settings import Settings
from tests.encoder.small_corpus import write_bert
from tests.environment import server_environment

# Packages that are not installed with new versions of Python, see pyproject.toml.
collect_ignore = [
    file
    for file, package in {
        "cli/test_baselines.py": "gensim",
        "encoder/test_text_baselines.py": "gensim",
        "matching/io/test_openreview_api.py": "openreview",
    }.items()
    if find_spec(package) is None
]

# Imported modules remain until the end: see `pytest_collection_finish`.
gc.disable()

# Java's second compiler would take half of the processor time of the test servers.
os.environ.setdefault(
    "JDK_JAVA_OPTIONS",
    "-XX:TieredStopAtLevel=1 -XX:Tier3InvocationThreshold=20 -XX:Tier3MinInvocationThreshold=10"
    " -XX:Tier3CompileThreshold=100",
)

# It would take precedence over NEO4J_URI, which points commands to the test server: tests would
# clear the instance of a user who has set it, as in the tutorial.
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
    """Write settings of a server that plans each query only once, because planning takes most time.

    By default it plans again for lists of another length, and when the counts of the graph change.
    """
    write_configuration(home, *settings)
    with (home / "conf" / "neo4j.conf").open("a") as file:
        file.write("internal.cypher.use_parameter_size=false\n")
        file.write("dbms.cypher.min_replan_interval=1h\n")


instance_config.write_configuration = configure

FIRST_FILES = {"test_ray.py", "test_serve.py", "test_resume.py"}
"""The longest file, at the end of which the other processes would wait, and the files that kill the
server, before it has planned the queries of the others."""
SERVER_FIXTURES = {"local_instance", "database", "graph", "fresh_graph", "instance"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a server, a browser or the documentation, and run them first.

    The files without them are short, so the test processes end at about the same time.
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
    items.sort(key=lambda item: (item.path.name not in FIRST_FILES, item.path not in first))


def pytest_collection_finish() -> None:
    """Exempt all imported modules from garbage collection.

    Every training calls `gc.collect`, which would take half a second for them.
    """
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # libraries check their resources at the end


@pytest.fixture(scope="session")
def local_instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """Return an instance in its own folder, with the installed jars; it is removed after the run.

    If the run is killed, the watchdog stops the instance after two idle minutes.
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
        instance.delete()


@pytest.fixture(scope="session")
def server_variables(local_instance: Instance) -> Iterator[dict[str, str]]:
    """Return the environment variables by which a process uses the test server."""
    with local_instance.lease() as endpoint:
        yield {
            "NEO4J_URI": endpoint.uri,
            "NEO4J_USERNAME": endpoint.username,
            "NEO4J_PASSWORD": endpoint.password,
        }


@pytest.fixture(scope="session")
def database(local_instance: Instance) -> Iterator[Database]:
    """Return a real local Neo4j with Graph Data Science, one per run; `graph` empties it."""
    with (
        local_instance.lease() as endpoint,
        connect(*endpoint.login) as database,
    ):
        yield database


@pytest.fixture
def graph(database: Database) -> Database:
    """Return the database without data, with the schema."""
    from specter_graph.graph.schema import apply_schema

    _wipe(database)
    apply_schema(database)
    return database


@pytest.fixture(scope="module")
def fresh_graph(database: Database) -> Database:
    """As `graph`, once per module, for tests that load the graph and then read it."""
    from specter_graph.graph.schema import apply_schema

    _wipe(database)
    apply_schema(database)
    return database


@pytest.fixture(scope="session")
def one_thread() -> Iterator[None]:
    """Compute with one thread: two of a tiny network mostly wait for each other."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def float32(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute in float32, also on devices that are faster in other precisions."""
    import torch

    from specter_graph.encoder import device

    monkeypatch.setattr(device, "_has", lambda *probes: False)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **options: False)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a random BERT (2 layers, 32 dimensions) and a small WordPiece."""
    return write_bert(tmp_path_factory.mktemp("tiny") / "bert", 32, 64)


@pytest.fixture
def server(graph: Database, local_instance: Instance) -> Iterator[Database]:
    """Return the environment in which commands use the test server, with an empty graph."""
    with server_environment(local_instance):
        yield graph


@pytest.fixture(scope="module")
def fresh_server(fresh_graph: Database, local_instance: Instance) -> Iterator[Database]:
    """As `server`, once per module, for tests that load the graph and then read it."""
    with server_environment(local_instance):
        yield fresh_graph


@pytest.fixture
def no_vector_indexes(database: Database) -> None:
    """Drop the indexes of other tests, for tests that list the indexes."""
    for row in database.read("SHOW VECTOR INDEXES YIELD name"):
        database.commit("DROP INDEX $name IF EXISTS", name=row["name"])


DEFAULT_INDEX = {
    "vector.dimensions": 0,
    "vector.hnsw.m": 16,
    "vector.quantization.enabled": True,
    "vector.similarity_function": "EUCLIDEAN",
    "vector.hnsw.ef_construction": 50,
}


def _wipe(database: Database) -> None:
    """Delete everything, including projections that `clear` does not delete.

    Vector indexes with the default settings stay: after each change of an index, Neo4j plans all
    queries again, which took more than half of the time of some files.
    """
    for row in database.read("CALL gds.graph.list() YIELD graphName RETURN graphName"):
        database.read("CALL gds.graph.drop($name) YIELD graphName RETURN 1", name=row["graphName"])
    database.commit("MATCH (n:!Schema) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS")
    for row in database.read("SHOW VECTOR INDEXES YIELD name, properties, options"):
        config = row["options"]["indexConfig"] | {"vector.dimensions": 0}
        if config != DEFAULT_INDEX or row["properties"][1:] != ["year", "language"]:
            database.commit("DROP INDEX $name IF EXISTS", name=row["name"])
