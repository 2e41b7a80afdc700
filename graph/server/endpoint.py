"""The address of an instance, its state, and a check that it answers."""

from base64 import b64encode
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from specter_graph.core.errors import ServerError
from specter_graph.graph.server import instance_config as config
from specter_graph.graph.server.process import listens

_QUERY_PATH = "/db/neo4j/query/v2"  # neo4j is the only user database of Neo4j Community


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address and the credentials of a running instance.

    Attributes:
        uri: Bolt URI.
        username: User.
        password: Password.
        http_uri: URI of the HTTP query API and of Neo4j Browser.
    """

    uri: str
    username: str
    password: str = field(repr=False)
    http_uri: str

    @property
    def login(self) -> tuple[str, str, str]:
        """The URI, the user and the password, for the driver."""
        return self.uri, self.username, self.password


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of an instance.

    Attributes:
        instance: Its name.
        state: "running", "starting" (or not responding) or "stopped".
        home: Its folder.
        uri: Bolt URI.
        http_uri: URI of the HTTP query API.
        pid: Process id.
        memory: Resident memory in MB.
        permanent: True if it runs until `down`.
        leases: Number of commands that use it now.
        others: Names of the other instances that have data.
    """

    instance: str
    state: str
    home: str
    uri: str | None = None
    http_uri: str | None = None
    pid: int | None = None
    memory: int | None = None
    permanent: bool = False
    leases: int = 0
    others: tuple[str, ...] = ()


def read_endpoint(home: Path) -> Endpoint:
    """Return the present or last endpoint of the instance of a home.

    Raises:
        ServerError: Its ports are unknown.
    """
    ports = config.read_ports(home)
    if ports is None:
        raise ServerError(
            f"the ports of the Neo4j in {home} are unknown: ports.json is missing",
            "`specter-graph server down`, then `specter-graph server up`: it chooses new ports",
        )
    return Endpoint(
        uri=f"bolt://{config.HOST}:{ports.bolt}",
        username=config.USERNAME,
        password=config.read_password(home),
        http_uri=f"http://{config.HOST}:{ports.http}",
    )


def is_reachable(endpoint: Endpoint, process: psutil.Process) -> bool:
    """Return True if the server, this process, is ready and accepts the credentials.

    The credentials are sent only if the process itself listens on both ports: no other program on
    this machine can collect them. The request uses HTTP, which Neo4j opens last, because importing
    the driver takes longer than the request.

    Raises:
        ServerError: The server rejects the credentials; waiting would not help.
    """
    if not listens(process, (urlsplit(endpoint.uri).port, urlsplit(endpoint.http_uri).port)):
        return False
    credentials = b64encode(f"{endpoint.username}:{endpoint.password}".encode()).decode()
    connection = HTTPConnection(urlsplit(endpoint.http_uri).netloc, timeout=10)
    try:
        # With valid credentials a GET is rejected as a method. A POST would be a statement, for
        # which the server opens a driver to itself, and then takes five seconds longer to stop.
        connection.request("GET", _QUERY_PATH, headers={"Authorization": f"Basic {credentials}"})
        code = connection.getresponse().status
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    if code == HTTPStatus.UNAUTHORIZED:
        raise ServerError(
            f"the Neo4j at {endpoint.uri} rejects the password in its own folder",
            "if you changed the password, write the new one into the file `password` there",
        )
    return code == HTTPStatus.METHOD_NOT_ALLOWED
