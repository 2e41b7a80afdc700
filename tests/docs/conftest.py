from collections.abc import Iterator

import pytest

from tests.encoder.conftest import _one_thread, tiny_bert  # noqa: F401, fixtures


@pytest.fixture(scope="module")
def server(fresh_graph, local_instance) -> Iterator[pytest.MonkeyPatch]:
    """Commands, notebooks and `LiteratureGraph.open()` come to the server of the tests, empty."""
    with local_instance.lease() as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEO4J_URI", endpoint.uri)
        patch.setenv("NEO4J_USERNAME", endpoint.username)
        patch.setenv("NEO4J_PASSWORD", endpoint.password)
        yield patch
