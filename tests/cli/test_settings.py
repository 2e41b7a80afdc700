"""Which server a command works on, by the environment."""

import pytest

from specter_graph.settings import Settings

ELSEWHERE = "bolt://elsewhere.example"


@pytest.mark.parametrize(
    ("instance", "uri", "name"), [(None, ELSEWHERE, "default"), ("mine", None, "mine")]
)
def test_a_local_server_that_is_named_comes_before_another_servers_address(
    monkeypatch: pytest.MonkeyPatch, instance: str | None, uri: str | None, name: str
):
    monkeypatch.setenv("NEO4J_URI", ELSEWHERE)
    if instance:
        monkeypatch.setenv("SPECTER_GRAPH_INSTANCE", instance)
    settings = Settings()
    assert (settings.neo4j_uri, settings.local().name) == (uri, name)
    assert (settings.remote is None) == (uri is None)
