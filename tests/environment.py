"""The environment in which commands and notebooks use the test server."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from specter_graph.graph.server import Instance


@contextmanager
def server_environment(instance: Instance) -> Iterator[pytest.MonkeyPatch]:
    """Commands, notebooks and `LiteratureGraph.open()` use the server of this instance."""
    with instance.lease() as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEO4J_URI", endpoint.uri)
        patch.setenv("NEO4J_USERNAME", endpoint.username)
        patch.setenv("NEO4J_PASSWORD", endpoint.password)
        yield patch
