"""Commands that keep vectors in order: vectors check, weigh and drop."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.cli.options import holdout_option, instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.vector_check import Check

Command = TypeVar("Command", bound=Callable[..., Any])


def _queries(default: int) -> Callable[[Command], Command]:
    return click.option(
        "--queries",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        help="How many papers to ask with.",
    )


@click.group()
def vectors() -> None:
    """Look after the embedding spaces.

    \b
    Example:  specter-graph vectors check
    """


@vectors.command()
@click.option("--space", metavar="NAME", help="The space.  [default: all of them]")
@_queries(200)
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
@click.option(
    "--space", default="specter", show_default=True, metavar="NAME", help="The space searched with."
)
@_queries(300)
@holdout_option
@json_option
@instance_option
def weigh(space: str, queries: int, holdout: float, as_json: bool, instance: str | None) -> None:
    """Learn from citations what words, vectors and citations weigh in a search.

    \b
    Example:  specter-graph vectors weigh
              specter-graph vectors weigh --space base
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        learnt = graph.weigh(space, queries=queries, holdout=holdout, progress=progress)
    if as_json:
        click.echo(json.dumps(asdict(learnt)))
        return
    click.echo(f"{space}: learnt from {learnt.queries:,} papers")
    for signal, weight in learnt.by_signal.items():
        click.echo(f"  {signal:10} {weight:6.2f}")


@vectors.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@instance_option
def drop(name: str, yes: bool, instance: str | None) -> None:
    """Remove a space: its vectors, its index, its record and what was learnt with it.

    \b
    Example:  specter-graph vectors drop sgc --yes
    """
    if not yes:
        click.confirm(f"Remove the space {name}?", abort=True)
    with open_graph(instance) as graph:
        graph.drop_space(name)
    click.echo(f"{name}: removed")
