"""`evaluate`: the embedding spaces side by side on the held-out papers."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import (
    instance_option,
    json_option,
    markdown_option,
    open_graph,
    scored_holdout_option,
    spaces_option,
    split_option,
)
from specter_graph.cli.terminal import print_results, progress_bar

if TYPE_CHECKING:
    from specter_graph.evaluation import Report
    from specter_graph.graph.split import HeldOutSplit


@click.group(invoke_without_command=True)
@spaces_option
@split_option
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
@markdown_option
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
    """Score embedding spaces on held-out papers, or by other tasks.

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
    with open_graph(instance) as graph, progress_bar() as progress:
        if pair:
            one, other = (name.split(",") for name in pair)
            comparisons = graph.compare(
                one, other, split=split, holdout=holdout, seed=seed, progress=progress
            )
        else:
            report = graph.evaluate(
                names, split=split, holdout=holdout, seed=seed, against=against, progress=progress
            )
    if not pair:
        show_report(report, as_json=as_json, as_markdown=as_markdown)
        return
    from specter_graph.evaluation.report.table import comparison_table

    print_results(
        comparison_table(pair, comparisons),
        [each.as_json() for each in comparisons],
        as_json=as_json,
        as_markdown=as_markdown,
    )


def show_report(report: "Report", *, as_json: bool = False, as_markdown: bool = False) -> None:
    """Print the table of spaces; a terminal has no room for the last column."""
    from specter_graph.evaluation.report.table import held_out_table

    table = held_out_table(report)
    if not as_markdown:
        table = table.without("retrieval nDCG@10")
    print_results(table, report.as_json(), as_json=as_json, as_markdown=as_markdown)


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write report.html and report.md into.  [default: where `serve` shows it]",
)
@spaces_option
@split_option
@click.option("--against", metavar="NAME", help="Compare the other spaces with this one.")
@click.option("--scheme", metavar="NAME", help="Color the map by these labels, or by `venue`.")
@scored_holdout_option
@click.option("--seed", default=0, show_default=True, help="Draws candidates and the map.")
@instance_option
def report(
    output: Path | None,
    names: tuple[str, ...],
    split: "HeldOutSplit",
    against: str | None,
    scheme: str | None,
    holdout: float | None,
    seed: int,
    instance: str | None,
) -> None:
    """Write a page about embedding spaces: scores, a map, and where the best one fails.

    One HTML file that needs no network, and its table in Markdown. Baselines that only rank are
    scored, too; baselines without a space are listed with what they need.

    \b
    Example:  specter-graph report
              specter-graph report -o report
              specter-graph report -o report --against base --scheme venue
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
            seed=seed,
            progress=progress,
        ):
            click.echo(path)
