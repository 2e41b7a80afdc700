"""How to reach an instance, what it is doing, and whether it answers."""

from base64 import b64encode
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from specter_graph.core.errors import ServerError
from specter_graph.graph.server import config
from specter_graph.graph.server.process import listens

_QUERY_PATH = "/db/neo4j/query/v2"  # neo4j is the one user database of Neo4j Community


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach a running instance; `http_uri` is Neo4j's HTTP query API."""

    uri: str
    username: str
    password: str = field(repr=False)
    http_uri: str


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What an instance is doing; `state` is running, starting (or stuck) or stopped.

    `kept` means that it stays until `down`, `leases` counts the commands that use it now, and
    `memory` is its resident memory in MB.
    """

    instance: str
    state: str
    home: str
    uri: str | None = None
    http_uri: str | None = None
    pid: int | None = None
    memory: int | None = None
    kept: bool = False
    leases: int = 0


def endpoint_of(home: Path) -> Endpoint:
    """The endpoint that the instance of this home has or had last.

    Raises ServerError when its ports are not known.
    """
    ports = config.ports_of(home)
    if ports is None:
        raise ServerError(
            f"the ports of the Neo4j in {home} are not known: ports.json is gone",
            "`specter-graph server down`, then `specter-graph server up`: it chooses new ports",
        )
    return Endpoint(
        uri=f"bolt://{config.HOST}:{ports.bolt}",
        username=config.USERNAME,
        password=config.password_of(home),
        http_uri=f"http://{config.HOST}:{ports.http}",
    )


def answers(endpoint: Endpoint, process: psutil.Process) -> bool:
    """Whether the server, this process, is up and takes the credentials.

    They are sent only when it is the process itself that listens on both ports, and only after a
    question without them was refused: nobody else on this machine can collect them.

    Asked over HTTP, which Neo4j opens last, and with no driver: importing that takes longer than
    the question. Raises ServerError when the credentials are refused: waiting would not help.
    """
    if not listens(process, (urlsplit(endpoint.uri).port, urlsplit(endpoint.http_uri).port)):
        return False
    credentials = b64encode(f"{endpoint.username}:{endpoint.password}".encode()).decode()
    connection = HTTPConnection(urlsplit(endpoint.http_uri).netloc, timeout=10)
    try:
        if _status(connection, {}) != HTTPStatus.UNAUTHORIZED:
            return False
        code = _status(connection, {"Authorization": f"Basic {credentials}"})
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    if code == HTTPStatus.UNAUTHORIZED:
        raise ServerError(
            f"the Neo4j at {endpoint.uri} refuses the password of its own home",
            "was it changed? write the new one into the file `password` there",
        )
    # The credentials have passed, and then a GET is refused. A POST would be a statement, for
    # which the server opens a driver to itself and takes five seconds longer to stop.
    return code == HTTPStatus.METHOD_NOT_ALLOWED


def _status(connection: HTTPConnection, headers: dict[str, str]) -> int:
    connection.request("GET", _QUERY_PATH, headers=headers)
    response = connection.getresponse()
    response.read()
    return response.status
