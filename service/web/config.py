"""Settings and limits of the service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, get_args

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MIB = 2**20
KeyScope: TypeAlias = Literal["read", "write"]
SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)


@dataclass(frozen=True, slots=True)
class Learning:
    """Settings of the usage log.

    Attributes:
        file: The log.
        queries: Also log the words of searches.
        swap: Share of the lists of similar papers in which two papers are exchanged.
        interleave: Space whose results are interleaved with those of the service's space.
    """

    file: Path
    queries: bool = False
    swap: float = 0.0
    interleave: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings of a service.

    Attributes:
        space: Default embedding space.
        keys: Scope of each API key by its SHA-256. Without keys, the service answers everyone, but
            only requests to localhost.
        cypher: Allow callers' own Cypher.
        folder: Folder of maps; None for no maps.
        learning: Settings of the usage log; None for no log.
        body: Maximum bytes of a request body.
        body_seconds: Time limit for its arrival.
        lists: Maximum bytes of the lists of a venue, sent with the scope "write".
        lists_seconds: Time limit for their arrival.
        bodies: Maximum total bytes of the bodies of all requests in progress.
        send_seconds: Seconds after which a client that does not read is disconnected.
        seconds: Time limit of a database read.
        rows: Maximum rows of a response.
        at_once: Maximum number of concurrent requests.
        queue: Maximum number of waiting requests; further ones are rejected.
        queue_seconds: Maximum waiting time.
    """

    space: str = "specter"
    keys: Mapping[str, KeyScope] = field(default_factory=dict)
    cypher: bool = False
    folder: Path | None = None
    learning: Learning | None = None
    body: int = 2 * MIB
    body_seconds: float = 10.0
    lists: int = 64 * MIB
    lists_seconds: float = 120.0
    bodies: int = 256 * MIB
    send_seconds: float = 30.0
    seconds: float = 10.0
    rows: int = 1_000
    at_once: int = 8
    queue: int = 64
    queue_seconds: float = 5.0
