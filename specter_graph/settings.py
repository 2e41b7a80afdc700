"""Settings from the environment; no other module reads it."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

import platformdirs
from pydantic import Field, ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from specter_graph.core.errors import InputError, extra, require_no_login

if TYPE_CHECKING:
    from specter_graph.graph.server import Instance
    from specter_graph.loaders.formats.web_sources import Access

_FOLDERS = platformdirs.PlatformDirs("specter-graph", appauthor=False)


def secret_value(secret: SecretStr | None) -> str | None:
    """Return the text of a secret; None if it is not set or empty."""
    return secret.get_secret_value() if secret else None


class Settings(BaseSettings):
    """The Neo4j server, the folders of files, and keys of services.

    Without NEO4J_URI, commands use a local server (see `graph.server`). SPECTER_GRAPH_INSTANCE
    names a local server, too, and takes precedence over NEO4J_URI.
    """

    model_config = SettingsConfigDict(extra="ignore")

    neo4j_uri: str | None = None
    neo4j_username: str = "neo4j"
    neo4j_password: SecretStr | None = None
    neo4j_database: str | None = None

    specter_graph_instance: str | None = None
    specter_graph_data: Path = Field(default_factory=lambda: _FOLDERS.user_data_path)
    specter_graph_cache: Path = Field(default_factory=lambda: _FOLDERS.user_cache_path)
    specter_graph_repository: str | None = None
    """Root of a Maven repository, such as a mirror, from which Neo4j is downloaded."""
    specter_graph_idle_minutes: float = Field(default=15.0, gt=0)
    """Minutes that a server started by a command keeps running after its last use."""

    specter_graph_log_seconds: float = Field(default=30.0, gt=0)
    """Seconds between progress lines when the output is not a terminal."""

    openalex_email: str | None = None
    openalex_api_key: SecretStr | None = None
    """API key of OpenAlex, which answers few requests without a key."""
    openalex_url: str = "https://api.openalex.org"
    semantic_scholar_api_key: SecretStr | None = None
    semantic_scholar_url: str = "https://api.semanticscholar.org"
    crossref_url: str = "https://api.crossref.org"
    arxiv_url: str = "https://export.arxiv.org"
    opencitations_api_key: SecretStr | None = None
    opencitations_url: str = "https://api.opencitations.net"
    dblp_url: str = "https://dblp.org"
    openreview_username: str | None = None
    openreview_password: SecretStr | None = None
    openreview_api_baseurl_v2: str = "https://api2.openreview.net"
    openreview_api_baseurl: str = "https://api.openreview.net"
    """API 1, which has earlier publications of reviewers."""

    @model_validator(mode="wrap")
    @classmethod
    def _name_variable(cls, values: object, validate: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validate(values)
        except RuntimeError as error:  # HOME is not set, and the user has none
            raise InputError(
                str(error), "set HOME, or SPECTER_GRAPH_DATA and SPECTER_GRAPH_CACHE"
            ) from error
        except ValidationError as error:
            problem = error.errors()[0]
            name = str(problem["loc"][0]).upper()
            raise InputError(
                f"{name} is {problem['input']!r}: {problem['msg']}", f"correct it, or: unset {name}"
            ) from error

    @model_validator(mode="after")
    def _prefer_instance(self) -> Self:
        if self.specter_graph_instance:
            self.neo4j_uri = None
        require_no_login("NEO4J_URI", self.neo4j_uri or "")
        return self

    @property
    def remote(self) -> tuple[str, str, str | None] | None:
        """URI, username and password of NEO4J_URI, or None if it is not set."""
        login = (self.neo4j_username, secret_value(self.neo4j_password))
        return (self.neo4j_uri, *login) if self.neo4j_uri else None

    def web_access(self, mailto: str | None = None) -> "Access":
        """Return the addresses and keys of web services; `mailto` replaces OPENALEX_EMAIL."""
        with extra("formats"):
            from specter_graph.loaders.formats.web_sources import Access

        return Access(
            urls={
                "openalex": self.openalex_url,
                "s2": self.semantic_scholar_url,
                "crossref": self.crossref_url,
                "arxiv": self.arxiv_url,
                "opencitations": self.opencitations_url,
                "dblp": self.dblp_url,
            },
            mailto=mailto or self.openalex_email,
            keys={
                "openalex": secret_value(self.openalex_api_key),
                "s2": secret_value(self.semantic_scholar_api_key),
                "opencitations": secret_value(self.opencitations_api_key),
            },
        )

    def local(self, name: str | None = None) -> "Instance":
        """Return a local server, by default the one of SPECTER_GRAPH_INSTANCE."""
        from specter_graph.graph.server import Instance

        return Instance(
            name or self.specter_graph_instance or "default",
            self.specter_graph_data,
            self.specter_graph_cache,
            repository=self.specter_graph_repository,
            idle_minutes=self.specter_graph_idle_minutes,
        )
