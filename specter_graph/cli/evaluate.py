"""`evaluate`: the embedding spaces side by side on the held-out papers."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import (
    instance_option,
    json_option,
    open_graph,
    scored_holdout_option,
)
from specter_graph.cli.terminal import print_grid, print_table, progress_bar

if TYPE_CHECKING:
    from specter_graph.evaluation import Report
    from specter_graph.evaluation.significance import Comparison
    from specter_graph.graph.split import HeldOutSplit


@click.group(invoke_without_command=True)
@click.option(
    "--space",
    "names",
    metavar="NAME",
    multiple=True,
    help="A space to score; again for more. a,b,c is the mean of seeds.  [default: all]",
)
@click.option(
    "--split",
    type=click.Choice(["test", "validation"]),
    default="test",
    show_default=True,
    help="The held-out papers to score on; make choices on validation, report on test.",
)
@click.option("--against", metavar="NAME", help="Compare the other spaces with this one.")
@click.option(
    "--compare",
    "pair",
    nargs=2,
    metavar="A B",
    help="Test A against B instead. Either may be spaces of several seeds, a,b,c: their mean.",
)
@scored_holdout_option
@click.option("--seed", default=0, show_default=True, help="Draws candidates and resamples.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the table in Markdown.")
@json_option
@instance_option
@click.pass_context
def evaluate(
    context: click.Context,
    names: tuple[str, ...],
    split: "HeldOutSplit",
    against: str | None,
    pair: tuple[str, str] | None,
    holdout: float | None,
    seed: int,
    as_markdown: bool,
    as_json: bool,
    instance: str | None,
) -> None:
    """Score embedding spaces by what they say of held-out papers, or by other tasks.

    Without a COMMAND:

    cite and cocite rank 5 papers that a held-out paper cites, or that are cited together with it,
    among 25 random ones; retrieval looks for all that it cites in the whole corpus. A space that
    has seen citations of the held-out papers is refused.

    \b
    Example:  specter-graph evaluate
              specter-graph evaluate --space base --space specter --against base
              specter-graph evaluate --split validation --json
              specter-graph evaluate --compare specter base
    """
    if context.invoked_subcommand:
        return
    if pair:
        with open_graph(instance) as graph, progress_bar() as progress:
            one, other = (name.split(",") for name in pair)
            found = graph.compare(
                one, other, split=split, holdout=holdout, seed=seed, progress=progress
            )
        _show_comparison(pair, found, as_markdown, as_json)
        return
    with open_graph(instance) as graph, progress_bar() as progress:
        report = graph.evaluate(
            names, split=split, holdout=holdout, seed=seed, against=against, progress=progress
        )
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        show_report(report, as_markdown)


def _show_comparison(
    pair: tuple[str, str], found: "list[Comparison]", as_markdown: bool, as_json: bool
) -> None:
    from specter_graph.evaluation.significance import grid

    if as_json:
        click.echo(json.dumps([each.as_json() for each in found]))
    else:
        print_grid(grid(pair, found), as_markdown)


def show_report(report: "Report", as_markdown: bool = False) -> None:
    """Print the table of spaces."""
    from specter_graph.evaluation.table import markdown, table

    if as_markdown:
        click.echo(markdown(report), nl=False)
    else:
        print_table(table(report))


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write report.html and report.md into.  [default: where `serve` shows it]",
)
@click.option("--space", "names", metavar="NAME", multiple=True, help="A space; again for more.")
@click.option(
    "--split", type=click.Choice(["test", "validation"]), default="test", show_default=True
)
@click.option("--against", metavar="NAME", help="Compare the other spaces with this one.")
@click.option("--scheme", metavar="NAME", help="Colour the map by these labels, or by `venue`.")
@click.option(
    "--ablations",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What bench/ablations.py wrote with --json, to be drawn as bars.",
)
@scored_holdout_option
@click.option("--seed", default=0, show_default=True, help="Draws candidates and the map.")
@instance_option
def report(
    output: Path | None,
    names: tuple[str, ...],
    split: "HeldOutSplit",
    against: str | None,
    scheme: str | None,
    ablations: Path | None,
    holdout: float | None,
    seed: int,
    instance: str | None,
) -> None:
    """Write a page about embedding spaces: scores, a map, and where the best one fails.

    One HTML file that needs no network, and its table in Markdown. Baselines that only rank are
    scored, too; those that there is no space of stay open, with what they need.

    \b
    Example:  specter-graph report
              specter-graph report -o report
              specter-graph report -o report --against base --scheme venue
              specter-graph report -o report --ablations ablations.json
    """
    from specter_graph.core.files import data_folder
    from specter_graph.service.views.reports import report_folder
    from specter_graph.settings import Settings

    data = Settings().specter_graph_data
    if output is None:
        data_folder(data, "reports")
    with open_graph(instance) as graph, progress_bar() as progress:
        for path in graph.report(
            output or report_folder(data, graph.database),
            names,
            split=split,
            holdout=holdout,
            against=against,
            scheme=scheme,
            ablations=ablations,
            seed=seed,
            progress=progress,
        ):
            click.echo(path)
