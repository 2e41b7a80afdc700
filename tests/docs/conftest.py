from collections.abc import Iterator

import pytest

from tests.cli.conftest import server_environment
from tests.encoder.conftest import _one_thread, tiny_bert  # noqa: F401, fixtures


@pytest.fixture(scope="module")
def server(fresh_graph, local_instance) -> Iterator[pytest.MonkeyPatch]:
    """Return the environment in which commands use the test server, with an empty graph."""
    with server_environment(local_instance) as patch:
        yield patch
