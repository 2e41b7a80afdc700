"""Options that several commands share, and the way from an option to an open database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.connection import Database
    from specter_graph.graph.local import Instance
    from specter_graph.literature import LiteratureGraph
    from specter_graph.settings import Settings

Command = TypeVar("Command", bound=Callable[..., Any])


def instance_option(command: Command) -> Command:
    """Add `--instance NAME`: which local server a command works on."""
    return click.option(
        "--instance",
        metavar="NAME",
        help="The local Neo4j to use: each name has its own data.  [default: default]",
    )(command)


def json_option(command: Command) -> Command:
    """Add `--json`: results for programs on stdout, and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def holdout_option(command: Command) -> Command:
    """Add `--holdout SHARE`: whose citations are hidden from training."""
    return click.option(
        "--holdout",
        type=click.FloatRange(0, 0.5, max_open=True),
        default=0.1,
        show_default=True,
        help="Share of papers to hold out for test, and again for validation; 0 for production.",
    )(command)


def mining_options(command: Command) -> Command:
    """Add `--seed`, `--per-query` and `--hard`: how triplets are drawn."""
    seed = click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="What to draw."
    )
    per_query = click.option(
        "--per-query",
        type=click.IntRange(1),
        default=5,
        show_default=True,
        help="Triplets a query.",
    )
    hard = click.option(
        "--hard",
        type=click.IntRange(0),
        default=2,
        show_default=True,
        help="Hard ones among them.",
    )
    return seed(per_query(hard(command)))


@contextmanager
def open_graph(instance: str | None) -> "Iterator[LiteratureGraph]":
    """Open the graph that a command works on, showing how a local server starts."""
    from specter_graph.literature import LiteratureGraph

    with ExitStack() as stack:
        with progress_bar() as progress:  # gone before the command shows its own
            graph = stack.enter_context(LiteratureGraph.open(instance=instance, progress=progress))
        yield graph


def local_instance(name: str | None, settings: "Settings | None" = None) -> "Instance":
    """The local server of that name, or the one of SPECTER_GRAPH_INSTANCE, or `default`."""
    from specter_graph.graph.local import Instance
    from specter_graph.settings import Settings

    settings = settings or Settings()
    return Instance(
        name or settings.specter_graph_instance,
        settings.specter_graph_data,
        settings.specter_graph_cache,
        repository=settings.specter_graph_repository,
        idle_minutes=settings.specter_graph_idle_minutes,
    )


def remote_server(settings: "Settings") -> tuple[str, str, str | None] | None:
    """The (uri, username, password) of the environment, None where no NEO4J_URI is set."""
    if not settings.neo4j_uri:
        return None
    secret = settings.neo4j_password
    password = None if secret is None else secret.get_secret_value()
    return settings.neo4j_uri, settings.neo4j_username, password


@contextmanager
def open_database(instance: str | None) -> "Iterator[Database]":
    """Open the database that a command works on, its schema in place.

    A named instance is a local server, and so is everything while NEO4J_URI is not set; the local
    server is started when need be and may stop when idle after the command. Else NEO4J_URI.
    """
    from specter_graph.graph.connection import connect
    from specter_graph.graph.schema import apply_schema
    from specter_graph.settings import Settings

    settings = Settings()
    remote = remote_server(settings)
    if remote is not None and instance is None:
        with connect(*remote, settings.neo4j_database) as database:
            apply_schema(database)
            yield database
        return
    with _leased(local_instance(instance, settings)) as database:
        apply_schema(database)
        yield database


@contextmanager
def _leased(instance: "Instance") -> "Iterator[Database]":
    from contextlib import ExitStack

    from specter_graph.graph.connection import connect

    with ExitStack() as stack:
        with progress_bar() as progress:  # gone before the command shows its own
            endpoint = stack.enter_context(instance.lease(progress))
        yield stack.enter_context(connect(endpoint.uri, endpoint.username, endpoint.password))
