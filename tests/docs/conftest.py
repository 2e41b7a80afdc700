from collections.abc import Iterator

import pytest

from tests.cli.conftest import server_environment
from tests.encoder.conftest import _one_thread, tiny_bert  # noqa: F401, fixtures


@pytest.fixture(scope="module")
def server(fresh_graph, local_instance) -> Iterator[pytest.MonkeyPatch]:
    """The environment of commands that use the server of the tests, whose graph is empty."""
    with server_environment(local_instance) as patch:
        yield patch
