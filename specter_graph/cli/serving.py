"""`serve`, `keys` and `mcp`: web pages, an HTTP API and tools for language models."""

import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    delete_object,
    flag,
    format_option,
    grouped_options,
    instance_option,
    open_graph,
    option,
    space_option,
    yes_option,
)
from specter_graph.cli.output import Output
from specter_graph.core.errors import InputError, extra
from specter_graph.service.service_settings import (
    LOOPBACK,
    RECOMMENDER,
    KeyScope,
    ServiceSettings,
    UsageLogSettings,
)

_host_option = option("--host", "Address to listen on.", default="127.0.0.1")
_port_option = option(
    "--port", "Port to listen on; 0 for a free one.", click.IntRange(0, 65535), 8000
)
_require_key_option = flag("--require-key", "Require an API key also from callers on this machine.")


def _usage_log_settings(log_use: Path | None, **options: Any) -> UsageLogSettings | None:
    if any(options.values()) and not log_use:
        raise click.UsageError(
            "--log-queries, --swap-rate, --interleave and --ab need --log-use FILE"
        )
    if options["interleave"] and options["ab"]:
        raise click.UsageError("use only one of --interleave and --ab")
    return UsageLogSettings(log_use, **options) if log_use else None


@click.command()
@_host_option
@_port_option
@space_option()
@_require_key_option
@flag("--allow-cypher", "Let callers run their own Cypher queries, which may only read.")
@flag(
    "--allow-jobs",
    "Let callers start jobs (embed, train, match), and change reading lists and assignments.",
)
@grouped_options(
    "usage_log",
    _usage_log_settings,
    option(
        "--log-use", "Log which papers are shown and opened, without users, for `feedback`.", FILE
    ),
    flag("--log-queries", "With --log-use: log the search texts, too."),
    option(
        "--swap-rate",
        "With --log-use: swap two papers in this share of lists, to estimate position bias.",
        click.FloatRange(0, 1),
        0.0,
        metavar="SHARE",
    ),
    option(
        "--interleave",
        "With --log-use: interleave --space with this space, for `feedback compare`.",
        "NAME",
    ),
    option(
        "--ab",
        "With --log-use: show half of the sessions the results of this space, or of `recommender`,"
        " in place of those of --space, for `feedback ab`.",
        "NAME",
    ),
)
@option(
    "--recommender",
    "Also rank similar papers by this recommender, which `feedback train-recommender` wrote.",
    FILE,
)
@option(
    "--request-timeout timeout",
    "Stop a database read of a request after this time.",
    click.FloatRange(min=0, min_open=True),
    10,
    metavar="SECONDS",
)
@option(
    "--max-concurrency", "Maximum number of requests handled at once.", click.IntRange(1, 40), 8
)
@instance_option
def serve(
    host: str,
    port: int,
    require_key: bool,
    allow_jobs: bool,
    instance: str | None,
    **options: Any,
) -> None:
    """Serve web pages and an HTTP API of the graph.

    The API is under /v1. The service only reads, unless you pass --allow-jobs. Binding to an
    address that other machines can reach requires an API key: specter-graph keys add NAME.

    \b
    Example:  specter-graph serve --port 8000
              specter-graph serve --allow-jobs
              specter-graph serve --host 0.0.0.0
    """
    with extra("serve"):
        from specter_graph.service import app
        from specter_graph.service.job_queue import JobQueue

    folder, read_keys = sg.Settings().specter_graph_data, _key_reader(host, require_key)
    settings = ServiceSettings(read_keys=read_keys, data_folder=folder, **options)
    space, log = settings.space, settings.usage_log
    challenger = (log.interleave or log.ab) if log else None
    if log and log.ab == RECOMMENDER:
        if not settings.recommender:
            raise click.UsageError(f"--ab {RECOMMENDER} needs --recommender FILE")
        challenger = None
    with (
        open_graph(instance, create=True, timeout=settings.timeout) as graph,
        app.listen(host, port) as listener,
    ):
        if (space or challenger) and graph.spaces.get(space).name == challenger:
            raise click.UsageError("--interleave and --ab must name another space than --space")
        if challenger and not graph.spaces.get(challenger).model:
            raise InputError(
                f"the space {challenger!r} has no model that embeds queries", "name another space"
            )
        jobs = JobQueue(folder, instance) if allow_jobs else None
        address = _address(host, listener.getsockname()[1])
        app.serve(graph, settings, listener, jobs, lambda: click.echo(address))


@click.group()
def keys() -> None:
    """Manage the API keys of `serve`.

    \b
    Example:  specter-graph keys add anna
    """


@keys.command()
@click.argument("name")
@flag("--write", "Also let the key start jobs, and change reading lists and assignments.")
def add(name: str, write: bool) -> None:
    """Create an API key and print it; only its hash is stored.

    It replaces an older key of the same name, also in a service that is running.

    \b
    Example:  specter-graph keys add anna
              specter-graph keys add ci --write
    """
    with extra("serve"):
        from specter_graph.service.auth import add_key

    click.echo(add_key(sg.Settings().specter_graph_data, name, "write" if write else "read"))


@keys.command()
@click.argument("name")
@yes_option
def delete(name: str, yes: bool) -> None:
    """Delete an API key; running services no longer accept it.

    \b
    Example:  specter-graph keys delete anna
    """
    with extra("serve"):
        from specter_graph.service.auth import delete_key

    folder = sg.Settings().specter_graph_data
    delete_object(yes, f"the API key {name}", lambda: delete_key(folder, name))


@keys.command("list")
@format_option
def list_(output: Output) -> None:
    """List the API keys by name, with their scopes.

    \b
    Example:  specter-graph keys list
    """
    with extra("serve"):
        from specter_graph.service.auth import key_scopes

    scopes = key_scopes(sg.Settings().specter_graph_data)
    rows = [{"name": name, "scope": scope} for name, scope in scopes.items()]
    output.show_rows(rows, ("name", "scope"))


@click.command()
@flag("--http", "Serve by streamable HTTP at /mcp instead of stdin and stdout.")
@_host_option
@_port_option
@_require_key_option
@instance_option
def mcp(http: bool, host: str, port: int, require_key: bool, instance: str | None) -> None:
    """Serve the graph to a language model by MCP.

    MCP is the Model Context Protocol, over stdin and stdout. The tools only read: search, similar,
    paper, path, missing_references, match, schema, cypher. MCP clients launch this command. Run
    `specter-graph server up` first so that they need not wait for Neo4j to start. With --http,
    the keys are those of `serve`.

    \b
    Example:  specter-graph mcp
              specter-graph mcp --http --port 8001
    """
    from specter_graph.integrations import mcp_server

    if not http:
        with open_graph(instance, timeout=mcp_server.TIMEOUT) as graph:
            # Ctrl-C would otherwise wait for the thread of the library that reads stdin.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            mcp_server.build_server(graph).run("stdio")
        return
    with extra("serve"):
        import uvicorn

        from specter_graph.service import app, auth
    with extra("mcp"):
        from mcp.server.transport_security import TransportSecuritySettings

    settings = ServiceSettings(read_keys=_key_reader(host, require_key))
    # AuthMiddleware checks the host.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    with (
        open_graph(instance, timeout=mcp_server.TIMEOUT) as graph,
        app.listen(host, port) as listener,
    ):
        server = mcp_server.build_server(graph).streamable_http_app(
            stateless_http=True, json_response=True, transport_security=unchecked
        )
        click.echo(f"{_address(host, listener.getsockname()[1])}/mcp")
        config = uvicorn.Config(auth.AuthMiddleware(server, settings), log_level="warning")
        uvicorn.Server(config).run(sockets=[listener])


def _key_reader(host: str, require_key: bool) -> Callable[[], dict[str, KeyScope]] | None:
    """Return a function that reads the API keys; None if the service requires no keys."""
    from specter_graph.service import auth

    if host in LOOPBACK and not require_key:
        return None
    folder = sg.Settings().specter_graph_data
    if not auth.key_scopes(folder):
        raise InputError("there is no API key", "create one: specter-graph keys add NAME")
    return partial(auth.read_keys, folder)


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
