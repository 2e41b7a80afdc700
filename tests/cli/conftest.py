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
    """Commands use the server of the tests, whose graph is empty."""
    with server_environment(local_instance):
        yield graph


@pytest.fixture(scope="module")
def fresh_server(fresh_graph: Database, local_instance: Instance) -> Iterator[Database]:
    """As `server`, once for the tests of a module, which load the graph and then only read it."""
    with server_environment(local_instance):
        yield fresh_graph
