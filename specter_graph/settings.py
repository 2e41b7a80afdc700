"""The one place where the environment is read."""

from pathlib import Path

import platformdirs
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


def _user_data() -> Path:
    return platformdirs.user_data_path("specter-graph", appauthor=False)


def _user_cache() -> Path:
    return platformdirs.user_cache_path("specter-graph", appauthor=False)


class Settings(BaseSettings):
    """Where Neo4j is and where files go; the names are those of the Neo4j driver.

    Without NEO4J_URI every command works on a local server of its own (see `graph.local`).
    """

    model_config = SettingsConfigDict(extra="ignore")

    neo4j_uri: str | None = None
    neo4j_username: str = "neo4j"
    neo4j_password: SecretStr | None = None
    neo4j_database: str | None = None

    specter_graph_instance: str = "default"
    specter_graph_data: Path = Field(default_factory=_user_data)
    specter_graph_cache: Path = Field(default_factory=_user_cache)
