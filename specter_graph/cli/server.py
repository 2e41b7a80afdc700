"""`server`: the local Neo4j, its checks and its backups."""

import sys
from pathlib import Path

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    delete_object,
    graph_options,
    instance_option,
    yes_option,
)
from specter_graph.cli.output import Output, progress_bar
from specter_graph.core.errors import InputError


@click.group()
def server() -> None:
    """Manage the local Neo4j server.

    Other commands start the server when they need it; it then stops when it is idle.

    \b
    Example:  specter-graph server up
              specter-graph server status
    """


@server.command()
@graph_options
def up(instance: str | None, output: Output) -> None:
    """Start the local Neo4j; it runs until `server down`.

    The first start downloads Neo4j and Graph Data Science (180 MB).

    \b
    Example:  specter-graph server up
              specter-graph server up --format json --instance trial
    """
    with progress_bar() as progress:
        endpoint = sg.Settings().local(instance).up(progress=progress)

    def text(endpoint: "sg.Endpoint") -> None:
        click.echo(f"Neo4j answers at {endpoint.uri}")
        click.echo(f"Neo4j Browser is at {endpoint.http_uri}/browser/")
        click.echo(
            f"user {endpoint.username}; the password is in `specter-graph server up --format json`"
        )

    output.show(endpoint, text)


@server.command()
@instance_option
def down(instance: str | None) -> None:
    """Stop the local Neo4j; the data stays.

    \b
    Example:  specter-graph server down
    """
    local = sg.Settings().local(instance)
    stopped = local.down()
    click.echo(f"{local.name}: {'stopped' if stopped else 'was not running'}")


@server.command()
@yes_option
@instance_option
def delete(yes: bool, instance: str | None) -> None:
    """Stop the local Neo4j of an instance and delete all its data.

    \b
    Example:  specter-graph server delete --instance trial
    """
    local = _local(instance, "delete")
    if not local.home.exists():
        raise InputError(
            f"the instance {local.name!r} does not exist in {local.home.parent}", "check its name"
        )
    delete_object(yes, f"all data of the instance {local.name}", local.delete)


@server.command()
@graph_options
def status(instance: str | None, output: Output) -> None:
    """Print whether the local Neo4j is running, and its address.

    The other instances are listed, too.

    \b
    Example:  specter-graph server status --format json
    """
    output.show(sg.Settings().local(instance).status())


@server.command()
@graph_options
def doctor(instance: str | None, output: Output) -> None:
    """Check versions, Java, disk, memory and the server.

    The exit status is 1 if a check fails.

    \b
    Example:  specter-graph server doctor
    """
    settings = sg.Settings()
    remote = settings.remote if instance is None else None
    checks = sg.check_installation(settings.local(instance), remote)
    output.show(checks, _print_checks)
    sys.exit(0 if all(check.ok for check in checks) else 1)


@server.command()
@click.argument("file", metavar="FILE", type=FILE)
@graph_options
def backup(file: Path, instance: str | None, output: Output) -> None:
    """Write all data of a local instance to one file.

    The server of the instance stops during the backup.

    \b
    Example:  specter-graph server backup papers.backup
    """
    with progress_bar() as progress:
        done = _local(instance, "backup").backup(file, progress=progress)
    output.show(done)


@server.command()
@click.argument("file", metavar="FILE", type=FILE)
@yes_option
@graph_options
def restore(file: Path, yes: bool, instance: str | None, output: Output) -> None:
    """Restore a backup into a local instance.

    If that fails, nothing changes. An instance that holds papers is replaced only with --yes.

    \b
    Example:  specter-graph server restore papers.backup --instance second
    """
    local = _local(instance, "restore")
    with progress_bar() as progress:
        done = local.restore(file, overwrite=yes, progress=progress)
    output.show(done)


def _local(instance: str | None, command: str) -> "sg.Instance":
    """Return the local instance; raises InputError where NEO4J_URI names another server."""
    settings = sg.Settings()
    if settings.remote and instance is None:
        raise InputError(
            f"{command} works on local instances; NEO4J_URI names the server {settings.neo4j_uri}",
            f"name an instance with --instance, or use that server's own {command}",
        )
    return settings.local(instance)


def _print_checks(checks: "list[sg.ServerCheck]") -> None:
    from specter_graph.graph.server.doctor import SIZES

    for check in checks:
        click.echo(f"{'ok ' if check.ok else 'NOT'} {check.name}: {check.result}")
        if check.hint and not check.ok:
            click.echo(f"      try: {check.hint}")
    click.echo("memory and disk by the number of papers:")
    for size in SIZES:
        click.echo(f"  {size.papers:>10,}: {size.memory:>3} GB memory, {size.disk:>3} GB disk")
