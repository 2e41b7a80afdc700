"""Commands for what the graph holds: stats, clear."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import instance_option, json_option, open_graph

if TYPE_CHECKING:
    from specter_graph.graph.stats import Stats
    from specter_graph.literature_graph import LiteratureGraph


@click.command()
@instance_option
@json_option
def stats(instance: str | None, as_json: bool) -> None:
    """Count papers, stubs (cited papers without a record), citations, authors and the rest.

    \b
    Example:
      specter-graph stats --json
    """
    with open_graph(instance) as graph:
        counts = graph.stats()
    if as_json:
        print_json(asdict(counts))
    else:
        print_stats(counts)


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@instance_option
def clear(yes: bool, instance: str | None) -> None:
    """Delete all papers, citations, embedding spaces and their indexes; the schema stays.

    \b
    Example:
      specter-graph clear --instance demo --yes
    """
    with open_graph(instance) as graph:
        if not yes:
            ask_to_clear(graph)
        graph.clear()
    click.echo("the graph is empty", err=True)


def ask_to_clear(graph: "LiteratureGraph") -> None:
    """Ask before a graph is emptied; the command ends if the answer is no."""
    counts = graph.stats()
    click.confirm(
        f"Delete {counts.papers:,} papers with {counts.citations:,} citations"
        f" and {len(counts.spaces)} embedding spaces?",
        abort=True,
        err=True,
    )


def print_json(value: object) -> None:
    """Print a result for programs."""
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def print_stats(counts: "Stats") -> None:
    """Print the counts as a table."""
    rows = {
        "papers": counts.papers,
        "citations among them": counts.citations,
        "citations to stubs": counts.citations_to_stubs,
        "stubs": counts.stubs,
        "authors": counts.authors,
        "venues": counts.venues,
        "fields": counts.fields,
    }
    for name, count in rows.items():
        click.echo(f"{name:22}{count:>12,}")
    click.echo(f"{'embedding spaces':22}{', '.join(counts.spaces) or 'none':>12}")
