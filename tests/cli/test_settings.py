"""Select the server of a command by environment variables."""

import pytest

from specter_graph.core.errors import InputError
from specter_graph.settings import Settings

ELSEWHERE = "bolt://elsewhere.example"


@pytest.mark.parametrize(
    ("instance", "uri", "name"), [(None, ELSEWHERE, "default"), ("mine", None, "mine")]
)
def test_a_named_local_instance_takes_precedence_over_an_address(
    monkeypatch: pytest.MonkeyPatch, instance: str | None, uri: str | None, name: str
):
    monkeypatch.setenv("NEO4J_URI", ELSEWHERE)
    if instance:
        monkeypatch.setenv("SPECTER_GRAPH_INSTANCE", instance)
    settings = Settings()
    assert (settings.neo4j_uri, settings.local().name) == (uri, name)
    assert (settings.remote is None) == (uri is None)


@pytest.mark.parametrize("value", ["soon", "0"])
def test_a_value_that_is_not_valid_is_an_error_that_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, value: str
):
    monkeypatch.setenv("SPECTER_GRAPH_IDLE_MINUTES", value)
    with pytest.raises(InputError, match=f"SPECTER_GRAPH_IDLE_MINUTES is '{value}'") as error:
        Settings()
    assert error.value.hint == "correct it, or: unset SPECTER_GRAPH_IDLE_MINUTES"


def test_secrets_are_not_printed_and_an_empty_one_is_none(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://localhost")
    monkeypatch.setenv("NEO4J_PASSWORD", "")
    monkeypatch.setenv("OPENALEX_API_KEY", "key of a user")
    settings = Settings()
    assert settings.remote == ("bolt://localhost", "neo4j", None)
    assert settings.web_access().keys["openalex"] == "key of a user"
    assert "key of a user" not in f"{settings!r} {settings.model_dump()} {settings.web_access()}"
