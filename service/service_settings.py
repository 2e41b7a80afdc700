"""Settings and limits of the service."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MIB = 2**20
RECOMMENDER = "recommender"
"""Name of the recommender in the usage log, where other lists have the name of a space."""
KeyScope: TypeAlias = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class UsageLogSettings:
    """Settings of the usage log.

    Attributes:
        file: The log.
        log_queries: Also log the words of searches.
        swap_rate: Share of the lists of similar papers in which two papers are exchanged.
        interleave: Space whose results are interleaved with those of the service's space.
        ab: Space, or RECOMMENDER, whose results half of the sessions see instead.
    """

    file: Path
    log_queries: bool = False
    swap_rate: float = 0.0
    interleave: str | None = None
    ab: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The settings of a service; times are in seconds, sizes in bytes.

    Attributes:
        space: Default embedding space; None for the first of `DEFAULT_SPACES` that exists.
        read_keys: Returns the scope of each API key by its SHA-256, for each request; None for a
            service that answers everyone, but only requests to localhost.
        allow_cypher: Allow callers' own Cypher.
        data_folder: Folder of maps and reports; None for none.
        usage_log: Settings of the usage log; None for no log.
        recommender: File of a trained recommender, which ranks similar papers on the pages.
        max_body: Maximum size of a request body.
        body_timeout: Time limit for its arrival.
        max_lists: Maximum size of the lists of a venue, sent with the scope "write".
        lists_timeout: Time limit for their arrival.
        send_timeout: Time after which a client that does not read is disconnected.
        timeout: Time limit of a database read.
        limit: Maximum rows of a response.
        max_concurrency: Maximum number of concurrent requests.
        max_waiting: Maximum number of waiting requests; further ones are rejected.
        max_wait: Maximum waiting time.
    """

    space: str | None = None
    read_keys: Callable[[], Mapping[str, KeyScope]] | None = None
    allow_cypher: bool = False
    data_folder: Path | None = None
    usage_log: UsageLogSettings | None = None
    recommender: Path | None = None
    max_body: int = 2 * MIB
    body_timeout: float = 10.0
    max_lists: int = 64 * MIB
    lists_timeout: float = 120.0
    send_timeout: float = 30.0
    timeout: float = 10.0
    limit: int = 1_000
    max_concurrency: int = 8
    max_waiting: int = 64
    max_wait: float = 5.0
