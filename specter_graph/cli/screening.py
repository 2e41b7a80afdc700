"""`screen`: screening of reading lists for systematic reviews."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.options import (
    FILE,
    graph_command,
    graph_options,
    k_option,
    open_graph,
    option,
    output_option,
    seed_option,
    space_option,
)
from specter_graph.cli.output import Output

if TYPE_CHECKING:
    from specter_graph import LiteratureGraph


@click.group()
def screen() -> None:
    """Screen the papers of a reading list for a systematic review.

    \b
    Example:  specter-graph screen rank reefs
              specter-graph screen label reefs yes hep-ph/9901001
              specter-graph screen status reefs
    """


@screen.command()
@click.argument("name")
@click.argument("label", type=click.Choice(("yes", "no", "none")))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@graph_command
def label(
    graph: "LiteratureGraph", name: str, label: Any, ids: tuple[str, ...], **_: Any
) -> object:
    """Label papers of a reading list: yes (included), no (excluded) or none (no label).

    The order of the labels is the order of your screening, which the stopping rule needs.

    \b
    Example:  specter-graph screen label reefs yes hep-ph/9901001
              specter-graph screen label reefs no hep-ph/9810316 hep-ph/9810329
    """
    return graph.screening.label(name, ids, label)


@screen.command()
@click.argument("name")
@k_option
@space_option(shown="the first of specter, base and static in the graph")
@seed_option
@graph_options
def rank(name: str, output: Output, instance: str | None, **options: Any) -> None:
    """Rank the papers without a label: those to screen next.

    A classifier learns from your labels. Before the first yes, the order is random.

    \b
    Example:  specter-graph screen rank reefs
              specter-graph screen rank reefs -k 50 --format csv
    """
    with open_graph(instance) as graph:
        hits = graph.screening.rank(name, **options)
    rows = [asdict(hit) for hit in hits]
    output.show_rows(rows, ("score", "year", "id", "title") if output.format == "table" else None)


@screen.command()
@click.argument("name")
@option(
    "--recall",
    "Share of the relevant papers that you want to include.",
    click.FloatRange(0, 1, min_open=True, max_open=True),
    0.95,
)
@graph_command
def status(graph: "LiteratureGraph", name: str, recall: float, **_: Any) -> object:
    """Count the papers as PRISMA does, and test whether you may stop.

    \b
    Example:  specter-graph screen status reefs
              specter-graph screen status reefs --recall 0.9
    """
    return graph.screening.status(name, recall=recall)


@screen.command("import")
@click.argument("name")
@click.argument("file", type=FILE)
@graph_command
def import_labels(graph: "LiteratureGraph", name: str, file: Path, **_: Any) -> object:
    """Take the labels from a table: CSV, TSV or Parquet, such as an export of ASReview.

    The column of labels is named included, label_included, asreview_label, final_included or label.
    The rows are in the order of screening.

    \b
    Example:  specter-graph screen import reefs labels.csv
    """
    return graph.screening.import_labels(name, file)


@screen.command("export")
@click.argument("name")
@output_option()
@graph_command
def export_labels(graph: "LiteratureGraph", name: str, path: Path, **_: Any) -> object:
    """Write the papers of a reading list with their labels as CSV, which ASReview reads.

    `lists export --screened yes` writes the references of the included papers.

    \b
    Example:  specter-graph screen export reefs -o labels.csv
    """
    return {"path": str(path), "papers": graph.screening.export_labels(name, path)}
