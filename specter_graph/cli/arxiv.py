"""`evaluate arxiv` and `evaluate structure`: the arXiv protocol, and the geometry of spaces."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import (
    instance_option,
    json_option,
    markdown_option,
    open_graph,
    scored_holdout_option,
    split_option,
)
from specter_graph.cli.terminal import print_results, progress_bar

if TYPE_CHECKING:
    from specter_graph.evaluation.protocols.arxiv import ArxivResult
    from specter_graph.graph.split import HeldOutSplit

_spaces_option = click.option(
    "--space",
    "names",
    metavar="NAME",
    multiple=True,
    help="A space; again for more. [default: all]",
)


@click.command()
@_spaces_option
@split_option
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="Papers retrieved.")
@click.option(
    "--beta", type=click.FloatRange(0), default=1.0, show_default=True, help="Of the F score."
)
@scored_holdout_option
@click.option("--seed", default=0, show_default=True, help="Draws unrelated papers.")
@markdown_option
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
    from specter_graph.evaluation.report.table import Cell, Table, percent_cell, text_cell

    with open_graph(instance) as graph, progress_bar() as progress:
        results = graph.evaluate_arxiv(
            names, split=split, holdout=holdout, k=k, beta=beta, seed=seed, progress=progress
        )
        pooling = {each.property: each.pooling or "-" for each in graph.spaces()}
    head: list[str] = []
    rows = []
    for (space, distance), result in results.items():
        figures = _figures(result, k, beta)
        head = ["space", "pooling", "distance", *figures]
        rows.append(
            [
                *map(text_cell, (space, pooling.get(space, "-"), distance)),
                *(
                    Cell(value, f"{value:.1f}") if name == "mvdd" else percent_cell(value)
                    for name, value in figures.items()
                ),
            ]
        )
    table = Table(head, rows, ["Percent, but mvdd."])
    print_results(table, table.records(), as_json=as_json, as_markdown=as_markdown)


def _figures(result: "ArxivResult", k: int, beta: float) -> dict[str, float]:
    return {
        "accuracy": result.accuracy.value(),
        "mvdd": result.mvdd,
        f"precision@{k}": result.precision.value(),
        f"recall@{k}": result.recall.value(),
        f"f{beta:g}@{k}": result.f_score.value(),
    }


@click.command()
@_spaces_option
@click.option(
    "--scheme",
    metavar="NAME",
    help="The labels to separate, of a scheme of fields or `venue`."
    "  [default: those that most papers have]",
)
@click.option("--seed", default=0, show_default=True, help="Draws papers.")
@markdown_option
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
    """Describe spaces: hubs, evenness, and how well classes are separated on a plane.

    \b
    Example:  specter-graph evaluate structure
              specter-graph evaluate structure --space base --space specter --scheme arxiv
    """
    from specter_graph.evaluation.report.table import Cell, Table, text_cell

    with open_graph(instance) as graph, progress_bar() as progress:
        spaces = graph.describe_spaces(names, scheme=scheme, seed=seed, progress=progress)
    described = {name: asdict(each) for name, each in spaces.items()}
    rows = [
        [
            text_cell(name),
            *(Cell(v, "-" if v is None else f"{v:,.4g}") for v in figures.values()),
        ]
        for name, figures in described.items()
    ]
    table = Table(["space", *next(iter(described.values()))], rows)
    print_results(table, described, as_json=as_json, as_markdown=as_markdown)
