"""The one place where the environment is read."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

import platformdirs
from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

if TYPE_CHECKING:
    from specter_graph.graph.server import Instance


def _user_data() -> Path:
    return platformdirs.user_data_path("specter-graph", appauthor=False)


def _user_cache() -> Path:
    return platformdirs.user_cache_path("specter-graph", appauthor=False)


class Settings(BaseSettings):
    """Where Neo4j is and where files go; the names are those of the Neo4j driver.

    Without NEO4J_URI every command works on a local server of its own (see `graph.server`); so it
    does where SPECTER_GRAPH_INSTANCE names one, though NEO4J_URI is set for other programs.
    """

    model_config = SettingsConfigDict(extra="ignore")

    neo4j_uri: str | None = None
    neo4j_username: str = "neo4j"
    neo4j_password: SecretStr | None = None
    neo4j_database: str | None = None

    specter_graph_instance: str | None = None
    specter_graph_data: Path = Field(default_factory=_user_data)
    specter_graph_cache: Path = Field(default_factory=_user_cache)
    specter_graph_repository: str | None = None
    """The root of a Maven repository (a mirror of your own) to fetch Neo4j from."""
    specter_graph_idle_minutes: float = Field(default=15.0, gt=0)
    """How long a server that a command started stays after its last use."""

    specter_graph_log_seconds: float = Field(default=30.0, gt=0)
    """How often long work writes a line of its progress where there is no terminal."""

    openalex_email: str | None = None
    openalex_api_key: SecretStr | None = None
    """For the live source of OpenAlex, which answers little to those who send no key."""

    @model_validator(mode="after")
    def _prefer_our_own(self) -> Self:
        if self.specter_graph_instance:
            self.neo4j_uri = None
        return self

    @property
    def password(self) -> str | None:
        """NEO4J_PASSWORD in clear, None where it is not set."""
        return self.neo4j_password.get_secret_value() if self.neo4j_password else None

    @property
    def openalex_key(self) -> str | None:
        """OPENALEX_API_KEY in clear, None where it is not set."""
        return self.openalex_api_key.get_secret_value() if self.openalex_api_key else None

    @property
    def remote(self) -> tuple[str, str, str | None] | None:
        """The (uri, username, password) of the environment, None where no NEO4J_URI is set."""
        return (self.neo4j_uri, self.neo4j_username, self.password) if self.neo4j_uri else None

    def local(self, name: str | None = None) -> "Instance":
        """The local server of that name, by default that of SPECTER_GRAPH_INSTANCE."""
        from specter_graph.graph.server import Instance

        return Instance(
            name or self.specter_graph_instance or "default",
            self.specter_graph_data,
            self.specter_graph_cache,
            repository=self.specter_graph_repository,
            idle_minutes=self.specter_graph_idle_minutes,
        )
