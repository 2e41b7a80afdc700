from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from specter_graph.graph.database import Database
from specter_graph.graph.server import Instance


@contextmanager
def server_environment(instance: Instance) -> Iterator[pytest.MonkeyPatch]:
    """Commands, notebooks and `LiteratureGraph.open()` use the server of this instance."""
    with instance.lease() as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEO4J_URI", endpoint.uri)
        patch.setenv("NEO4J_USERNAME", endpoint.username)
        patch.setenv("NEO4J_PASSWORD", endpoint.password)
        yield patch


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
