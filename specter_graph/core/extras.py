"""Libraries that only some users need, and what to say where one is not installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from specter_graph.core.errors import InputError


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
