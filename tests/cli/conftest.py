import pytest

from specter_graph.graph.database import Database
from specter_graph.graph.server import Instance


@pytest.fixture
def server(graph: Database, local_instance: Instance, monkeypatch: pytest.MonkeyPatch):
    """The commands work on the server of the tests, whose graph is empty."""
    with local_instance.lease() as endpoint:
        monkeypatch.setenv("NEO4J_URI", endpoint.uri)
        monkeypatch.setenv("NEO4J_USERNAME", endpoint.username)
        monkeypatch.setenv("NEO4J_PASSWORD", endpoint.password)
        yield graph
