"""Select the server of a command by environment variables."""

import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.database import connect
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


def test_a_user_without_a_home_folder_is_an_error_that_names_the_variables(monkeypatch, tmp_path):
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
    with pytest.raises(InputError, match="home directory") as error:
        Settings()
    assert error.value.hint == "set HOME, or SPECTER_GRAPH_DATA and SPECTER_GRAPH_CACHE"
    monkeypatch.setenv("SPECTER_GRAPH_CACHE", str(tmp_path))
    assert Settings().specter_graph_data == tmp_path


def test_secrets_are_not_printed_and_an_empty_one_is_none(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://localhost")
    monkeypatch.setenv("NEO4J_PASSWORD", "")
    monkeypatch.setenv("OPENALEX_API_KEY", "key of a user")
    settings = Settings()
    assert settings.remote == ("bolt://localhost", "neo4j", None)
    assert settings.web_access().keys["openalex"] == "key of a user"
    assert "key of a user" not in f"{settings!r} {settings.model_dump()} {settings.web_access()}"


@pytest.mark.parametrize("uri", ["neo4j://me:secret@host:7687", "bolt+s://secret@host"])
def test_a_password_in_an_address_is_refused_and_not_printed(
    monkeypatch: pytest.MonkeyPatch, uri: str
):
    with pytest.raises(InputError, match="has a user or a password") as error, connect(uri, "", ""):
        pass
    assert "secret" not in error.value.one_line
    monkeypatch.setenv("NEO4J_URI", uri)
    with pytest.raises(InputError, match="NEO4J_URI has a user or a password") as error:
        Settings()
    assert "secret" not in error.value.one_line
    monkeypatch.setenv("SPECTER_GRAPH_INSTANCE", "mine")
    assert Settings().neo4j_uri is None
