"""Commands that keep vectors in order: vectors check and drop."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import instance_option, json_option, open_graph

if TYPE_CHECKING:
    from specter_graph.graph.search.index_recall import Check


@click.group()
def vectors() -> None:
    """Look after the embedding spaces.

    \b
    Example:  specter-graph vectors check
    """


@vectors.command()
@click.option("--space", metavar="NAME", help="The space.  [default: all of them]")
@click.option(
    "--queries",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="How many papers to ask with.",
)
@json_option
@instance_option
def check(space: str | None, queries: int, as_json: bool, instance: str | None) -> None:
    """Compare each index with an exact search, and count vectors that are old or missing.

    \b
    Example:  specter-graph vectors check
              specter-graph vectors check --space specter --json
    """
    with open_graph(instance) as graph:
        checks = graph.check_vectors(space, queries=queries)
    if as_json:
        click.echo(json.dumps([asdict(each) for each in checks]))
        return
    for each in checks:
        _show(each)
    if not checks:
        click.echo("there is no embedding space", err=True)


def _show(check: "Check") -> None:
    recall = "-" if check.recall is None else f"{check.recall:.3f}"
    click.echo(
        f"{check.space}: {check.vectors:,} vectors of {check.dimension} dimensions,"
        f" recall@10 {recall} ({check.queries} queries)"
    )
    if check.missing or check.stale:
        click.echo(
            f"  {check.missing:,} papers have none, {check.stale or 0:,} an old one:"
            f" specter-graph {'embed' if check.stale is not None else 'sgc'} --space {check.space}"
        )
    if check.misshapen:
        click.echo(
            f"  {check.misshapen:,} of another dimension, which no search finds:"
            f" specter-graph vectors drop {check.space}, and make it anew"
        )


@vectors.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@instance_option
def drop(name: str, yes: bool, instance: str | None) -> None:
    """Remove a space: its vectors, its index and its record.

    \b
    Example:  specter-graph vectors drop sgc --yes
    """
    if not yes:
        click.confirm(f"Remove the space {name}?", abort=True)
    with open_graph(instance) as graph:
        graph.drop_space(name)
    click.echo(f"{name}: removed")
