"""Every error that specter-graph raises on purpose.

Each carries one sentence that says what was wrong and where, and, where there is one, a hint that
says what to do next. The command line prints both and exits with a non-zero status.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import what the extra `name` of pyproject installs.

    with extra("mcp"):
        import mcp

    Raises InputError, which says how to install it, where it is not there.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"{error.name} is not installed", f'pip install "specter-graph[{name}]"'
        ) from error


def few(names: Sequence[str], most: int = 5) -> str:
    """The first of some names, and how many more there are, for a message."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class SpecterGraphError(Exception):
    """Something the user can act on: `message` says what is wrong, `hint` what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def one_line(self) -> str:
        """Both, where there is room for one line."""
        return "; try: ".join(filter(None, [self.message, self.hint]))


class InputError(SpecterGraphError):
    """A file, a record or an argument that cannot be used."""


class ServerError(SpecterGraphError):
    """The local Neo4j cannot be fetched, started, reached or stopped."""


class GraphError(SpecterGraphError):
    """The graph lacks what was asked of it: a paper, an embedding space, a query."""


class ModelError(SpecterGraphError):
    """A base model or a model directory that cannot be loaded or trained."""


class LeakError(SpecterGraphError):
    """An embedding space has seen edges of the papers that it would be scored on."""
