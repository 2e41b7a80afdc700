from collections.abc import Iterator

import pytest

from tests.environment import server_environment


@pytest.fixture(scope="session", autouse=True)
def _one_thread(one_thread):
    """Compute with one thread in all tests of this folder."""


@pytest.fixture(scope="module")
def server(fresh_graph, local_instance) -> Iterator[pytest.MonkeyPatch]:
    """Return the environment in which commands use the test server, with an empty graph."""
    with server_environment(local_instance) as patch:
        yield patch
