"""`watch`: new papers near a query, a reading list or a paper, or citing it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    delete_object,
    graph_command,
    graph_options,
    open_graph,
    option,
    output_option,
    yes_option,
)
from specter_graph.cli.output import Output


@click.group()
def watch() -> None:
    """Report new papers near a query, a list or a paper.

    New papers that cite the paper, or a paper of the list, are reported, too.

    \b
    Example:  specter-graph watch add query "coral bleaching"
              specter-graph watch run
    """


@watch.command()
@click.argument("kind", type=click.Choice(("query", "list", "paper")))
@click.argument("target")
@option("--watch-name name", "Name of the watch.", "NAME", shown="the target")
@option(
    "--among",
    "Report new papers among this number of best papers of the whole graph, at most 1,000.",
    click.IntRange(1),
    100,
)
@graph_command()
def add(
    graph: "sg.LiteratureGraph", kind: Any, target: str, name: str | None, among: int
) -> object:
    """Add a watch of a query, a reading list or a paper.

    The watch reports papers that you load after adding it.

    \b
    Example:  specter-graph watch add query "coral bleaching"
              specter-graph watch add list reefs --among 300
              specter-graph watch add paper hep-ph/9901001 --watch-name mine
    """
    return graph.watches.add(kind, target, name=name, among=among)


@watch.command("list")
@graph_command()
def list_watches(graph: "sg.LiteratureGraph") -> object:
    """Show all watches.

    Each has the time of its last run and the number of reported papers.

    \b
    Example:  specter-graph watch list
    """
    return graph.watches.list()


@watch.command()
@click.argument("name")
@yes_option
@graph_command(None)
def delete(graph: "sg.LiteratureGraph", name: str, yes: bool) -> None:
    """Delete a watch, and the record of the papers that it has reported.

    \b
    Example:  specter-graph watch delete "coral bleaching"
    """
    delete_object(yes, f"the watch {name}", lambda: graph.watches.delete(name))


@watch.command()
@click.argument("name", required=False)
@output_option(required=False)
@option("--mail-to", "Address of the recipient in an .eml file.", "ADDRESS")
@graph_options
def run(
    name: str | None, path: Path | None, mail_to: str | None, instance: str | None, output: Output
) -> None:
    """Report the new papers of a watch, or of all watches.

    The papers are recorded as reported. If there are none, a table has no output, so that
    cron sends no mail. With -o, an email (.eml) with the new papers is written, too, if there
    are any.

    \b
    Example:  specter-graph watch run
              specter-graph watch run -o new.eml --mail-to me@example.org
    """

    def report(papers: Sequence["sg.NewPaper"]) -> None:
        if path and papers:
            sg.write_email(papers, path, recipient=mail_to)
        output.show_list(papers, ("watch", "id", "year", "title", "reason"), quiet=True)
        sys.stdout.flush()  # an error must come before the papers count as reported

    if path and path.suffix != ".eml":
        raise click.UsageError("-o is the name of an .eml file.")
    with open_graph(instance) as graph:
        graph.watches.run(report, name)
