"""`stats`, `merge`, `merge-authors`, `delete` and `clear`."""

from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    command_for,
    confirm,
    flag,
    graph_command,
    option,
    report_option,
    yes_option,
)
from specter_graph.cli.output import Output, progress_bar
from specter_graph.core.errors import counted


@click.command()
@graph_command()
def stats(graph: "sg.LiteratureGraph") -> object:
    """Count the papers, citations, authors and others.

    Stubs, which are cited papers without a record, are counted separately.

    \b
    Example:  specter-graph stats --format json
    """
    return graph.stats()


@click.command()
@yes_option
@graph_command(None)
def clear(graph: "sg.LiteratureGraph", yes: bool) -> None:
    """Delete everything in the graph.

    Reading lists and review venues are deleted, too; the schema stays.

    \b
    Example:  specter-graph clear --instance demo --yes
    """
    if not yes:
        confirm_clear(graph)
    graph.maintenance.clear()
    click.echo("the graph is empty", err=True)


@click.command()
@option(
    "--prefer",
    "Sources in order of preference.",
    "SOURCE,SOURCE",
    "",
    shown="crossref,pubmed,acl,jats,arxiv,openalex,... and your own files last",
)
@flag("--by-title", "Also combine papers of equal title, year and first author.")
@report_option
@graph_command(progress=True)
def merge(graph: "sg.LiteratureGraph", prefer: str, **options: Any) -> object:
    """Combine records of one paper from several sources.

    Records with a common identifier (DOI, arXiv, PubMed, ...) describe the same paper, and so do a
    cited id such as doi:10.1/x and the paper that has that DOI. The merged paper has all ids, and
    each property comes from the first source, in the order of preference, that has it. Papers that
    share an identifier but differ too much are conflicts and stay separate.

    Run it after loading, and again after every later load, with the same options. With other
    options everything is merged anew.

    \b
    Example:  specter-graph merge --report merged.jsonl
              specter-graph merge --prefer openalex,crossref --by-title
    """
    order = [source.strip() for source in prefer.split(",") if source.strip()]
    return graph.maintenance.merge(prefer=order, **options)


@click.command("merge-authors")
@click.argument("file", metavar="FILE", type=FILE)
@graph_command()
def merge_authors(graph: "sg.LiteratureGraph", file: Path) -> object:
    """Combine authors who are the same person, by a list.

    Each line has two or more author ids, the id to keep first: separated by commas (CSV), or a JSON
    list. The list is stored: it applies to later loads, too, and further lists add to it.

    \b
    Example:  specter-graph merge-authors same-authors.csv
    """
    return graph.maintenance.merge_authors(file)


def show_deleted(output: Output, deleted: "sg.DeleteCounts") -> None:
    """Print what was deleted, and the command that merges restored papers again."""
    output.show(deleted)
    if deleted.restored:
        click.echo(f"to merge the restored papers that remain: {command_for('merge')}", err=True)


@click.group()
def delete() -> None:
    """Delete papers, a corpus or readers.

    Data that no other paper or reader uses are deleted, too. A paper that others still cite, or
    that readers have, becomes a stub: only its id remains.

    \b
    Example:  specter-graph delete paper hep-ph/9901001
              specter-graph delete corpus openalex --yes
              specter-graph delete reader 4711
    """


@delete.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@graph_command(show_deleted)
def paper(graph: "sg.LiteratureGraph", ids: tuple[str, ...], yes: bool) -> object:
    """Delete papers with all data of their records, and their vectors.

    \b
    Example:  specter-graph delete paper hep-ph/9901001 hep-ph/9901002
    """
    confirm(yes, f"Delete {counted(len(ids), 'paper')}?")
    with progress_bar() as progress:
        return graph.maintenance.delete_papers(ids, progress=progress)


@delete.command()
@click.argument("name", metavar="PREFIX_OR_SOURCE")
@yes_option
@graph_command(show_deleted)
def corpus(graph: "sg.LiteratureGraph", name: str, yes: bool) -> object:
    """Delete the papers of a source, or with a prefix.

    A source is, for example, openalex. Give the prefix that you gave to `load --prefix`.

    \b
    Example:  specter-graph delete corpus openalex
    """
    if not yes:
        size = graph.maintenance.count_corpus(name)
        readers = f" and {counted(size.readers, 'reader')}" if size.readers else ""
        papers = f"{counted(size.papers, 'paper')}, {counted(size.stubs, 'stub')}"
        confirm(yes, f"Delete {papers}{readers} of {name}?")
    with progress_bar() as progress:
        return graph.maintenance.delete_corpus(name, progress=progress)


@delete.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@graph_command(show_deleted)
def reader(graph: "sg.LiteratureGraph", ids: tuple[str, ...], yes: bool) -> object:
    """Delete readers with everything that they viewed and saved.

    \b
    Example:  specter-graph delete reader 4711
    """
    confirm(yes, f"Delete {counted(len(ids), 'reader')}?")
    return graph.maintenance.delete_readers(ids)


def confirm_clear(graph: "sg.LiteratureGraph") -> None:
    """Ask before a graph is emptied; the command ends if the answer is no."""
    counts = graph.stats()
    question = (
        f"Delete {counted(counts.papers, 'paper')} with {counted(counts.citations, 'citation')}"
        f" and {counted(len(counts.spaces), 'embedding space')}?"
    )
    confirm(yes=False, question=question)
