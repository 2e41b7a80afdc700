"""`evaluate arxiv` and `evaluate structure`: the arXiv protocol, and what a space looks like."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import (
    instance_option,
    json_option,
    open_graph,
    scored_holdout_option,
)
from specter_graph.cli.terminal import print_grid, progress_bar

if TYPE_CHECKING:
    from specter_graph.evaluation.arxiv_protocol import Related
    from specter_graph.graph.split import HeldOutSplit

_spaces = click.option(
    "--space",
    "names",
    metavar="NAME",
    multiple=True,
    help="A space; again for more. [default: all]",
)
_markdown = click.option("--markdown", "as_markdown", is_flag=True, help="Print in Markdown.")


@click.command()
@_spaces
@click.option(
    "--split",
    type=click.Choice(["test", "validation"]),
    default="test",
    show_default=True,
    help="The held-out papers to score on.",
)
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="Papers retrieved.")
@click.option(
    "--beta", type=click.FloatRange(0), default=1.0, show_default=True, help="Of the F score."
)
@scored_holdout_option
@click.option("--seed", default=0, show_default=True, help="Draws unrelated papers.")
@_markdown
@json_option
@instance_option
def arxiv(
    names: tuple[str, ...],
    split: "HeldOutSplit",
    k: int,
    beta: float,
    holdout: float | None,
    seed: int,
    as_markdown: bool,
    as_json: bool,
    instance: str | None,
) -> None:
    """Score spaces by the arXiv protocol: which papers cite each other.

    For squared L2, cosine and dot product: is a cited paper nearer than a random one (accuracy,
    mean vector distance difference), and are the k nearest papers of the whole corpus cited?

    \b
    Example:  specter-graph evaluate arxiv
              specter-graph evaluate arxiv --space base -k 20 --beta 2 --json
    """
    from specter_graph.evaluation.grid import Grid, percent

    with open_graph(instance) as graph, progress_bar() as progress:
        found = graph.relate(
            names, split=split, holdout=holdout, k=k, beta=beta, seed=seed, progress=progress
        )
        pooling = {each.property: each.pooling or "-" for each in graph.spaces()}
    figures = {pair: _figures(related, k, beta) for pair, related in found.items()}
    if as_json:
        rows = [
            {"space": space, "pooling": pooling.get(space, "-"), "distance": kind} | values
            for (space, kind), values in figures.items()
        ]
        click.echo(json.dumps(rows))
        return
    head = ["space", "pooling", "distance", *next(iter(figures.values()))]
    shown = [
        [
            space,
            pooling.get(space, "-"),
            kind,
            *(f"{v:.1f}" if n == "mvdd" else percent(v) for n, v in values.items()),
        ]
        for (space, kind), values in figures.items()
    ]
    print_grid(Grid(head, shown, ["Percent, but mvdd."]), as_markdown)


def _figures(related: "Related", k: int, beta: float) -> dict[str, float]:
    return {
        "accuracy": related.accuracy.value(),
        "mvdd": related.mvdd,
        f"precision@{k}": related.precision.value(),
        f"recall@{k}": related.recall.value(),
        f"f{beta:g}@{k}": related.f_score.value(),
    }


@click.command()
@_spaces
@click.option(
    "--scheme",
    metavar="NAME",
    help="The labels to separate, of a scheme of fields or `venue`."
    "  [default: those that most papers have]",
)
@click.option("--seed", default=0, show_default=True, help="Draws papers.")
@_markdown
@json_option
@instance_option
def structure(
    names: tuple[str, ...],
    scheme: str | None,
    seed: int,
    as_markdown: bool,
    as_json: bool,
    instance: str | None,
) -> None:
    """Describe spaces: hubs, evenness, and how well classes lie apart on a plane.

    \b
    Example:  specter-graph evaluate structure
              specter-graph evaluate structure --space base --space specter --scheme arxiv
    """
    from specter_graph.evaluation.grid import Grid

    with open_graph(instance) as graph, progress_bar() as progress:
        found = graph.structure(names, scheme=scheme, seed=seed, progress=progress)
    if as_json:
        click.echo(json.dumps({name: asdict(each) for name, each in found.items()}))
        return
    described = [asdict(each) for each in found.values()]
    rows = [
        [name, *("-" if value is None else f"{value:,.4g}" for value in values.values())]
        for name, values in zip(found, described, strict=True)
    ]
    print_grid(Grid(["space", *described[0]], rows), as_markdown)
