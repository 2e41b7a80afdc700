"""What the service may do, and how much of it."""

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
    """Notes of use, in `file`; with `queries` the words of searches, too.

    In a `swap` share of the lists of similar papers two change places. With `interleave`, lists of
    the service's space and of that one are one list.
    """

    file: Path
    queries: bool = False
    swap: float = 0.0
    interleave: str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """Of one service.

    `folder` is where maps are kept; without one there are none.
    `space` is the embedding space that counts where a question names none. `keys` are the SHA-256
    of the API keys that open it, with what each is for; without any, whoever reaches it is
    answered, and only under a name of this machine. With `cypher` it answers queries of the
    caller's own.

    A request has at most `body` bytes, which arrive within `body_seconds`; the lists of a venue,
    from whom may write, have `lists` and `lists_seconds`; the bodies of all requests that are being
    answered have at most `bodies` bytes together. Who takes no part of an answer for
    `send_seconds` gets no more of it. A read of the database takes at most
    `seconds`, an answer has at most `rows` rows. `at_once` requests are worked on, `queue` more
    wait, for `queue_seconds` at most; the rest is told to come back.
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
