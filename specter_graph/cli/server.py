"""`up`, `down`, `status` and `doctor`: the local Neo4j."""

import json
import sys
from dataclasses import asdict

import click

from specter_graph.cli.options import instance_option, json_option
from specter_graph.cli.terminal import progress_bar


@click.command()
@instance_option
@json_option
def up(instance: str | None, as_json: bool) -> None:
    """Start the local Neo4j; it stays until `down`.

    The first time, Neo4j and Graph Data Science are fetched (180 MB). Other commands start the
    server by themselves, and then it stops again when it is idle.

    \b
    Example:  specter-graph up
              specter-graph up --json --instance trial
    """
    from specter_graph.settings import Settings

    with progress_bar() as progress:
        endpoint = Settings().local(instance).up(progress=progress)
    if as_json:
        click.echo(json.dumps(asdict(endpoint)))
        return
    click.echo(f"Neo4j answers at {endpoint.uri}")
    click.echo(f"Neo4j Browser is at {endpoint.http_uri}/browser/")
    click.echo(f"user {endpoint.username}; the password is in `specter-graph up --json`")


@click.command()
@instance_option
def down(instance: str | None) -> None:
    """Stop the local Neo4j; the data stays.

    \b
    Example:  specter-graph down
    """
    from specter_graph.settings import Settings

    server = Settings().local(instance)
    stopped = server.down()
    click.echo(f"{server.name}: {'stopped' if stopped else 'was not running'}")


@click.command()
@instance_option
@json_option
def status(instance: str | None, as_json: bool) -> None:
    """Tell whether the local Neo4j runs, and where.

    \b
    Example:  specter-graph status --json
    """
    from specter_graph.settings import Settings

    found = Settings().local(instance).status()
    if as_json:
        click.echo(json.dumps(asdict(found)))
        return
    stays = "until `down`" if found.kept else "until idle"
    click.echo(f"{found.instance}: {found.state}")
    if found.pid is not None:
        click.echo(f"  {found.uri}, pid {found.pid}, {found.memory} MB, stays {stays}")
        click.echo(f"  commands at work on it: {found.leases}")
    click.echo(f"  home {found.home}")


@click.command()
@instance_option
@json_option
def doctor(instance: str | None, as_json: bool) -> None:
    """Check that everything will work: versions, Java, disk, memory, the server.

    Exits with status 1 when something will not.

    \b
    Example:  specter-graph doctor
    """
    from specter_graph.graph.server.doctor import SIZES, examine
    from specter_graph.settings import Settings

    settings = Settings()
    remote = settings.remote if instance is None else None
    checks = examine(settings.local(instance), remote)
    failed = [check for check in checks if not check.ok]
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks]))
    else:
        for check in checks:
            click.echo(f"{'ok ' if check.ok else 'NOT'} {check.name}: {check.found}")
            if check.hint and not check.ok:
                click.echo(f"      try: {check.hint}")
        click.echo("sizes (a machine for so many papers):")
        for size in SIZES:
            click.echo(f"  {size.papers:>10,}: {size.memory:>3} GB memory, {size.disk:>3} GB disk")
    sys.exit(1 if failed else 0)
