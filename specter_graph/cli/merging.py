"""Commands that combine papers and authors of several sources: merge, authors."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.corpus import print_json
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.deduplication.merge import MergeSummary


@click.command()
@click.option(
    "--prefer",
    metavar="SOURCE,SOURCE",
    default="",
    help="Sources that count before others, the best first.  [default: crossref, pubmed, acl, jats,"
    " arxiv, openalex, semantic scholar, aminer, opencitations, and then people's own files]",
)
@click.option(
    "--by-title",
    is_flag=True,
    help="Take papers with the same title, year and first author for the same, too.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where all merged papers and all conflicts are listed, one JSON object a line.",
)
@json_option
@instance_option
def merge(
    prefer: str, by_title: bool, report: Path | None, as_json: bool, instance: str | None
) -> None:
    """Combine records of several sources into one paper.

    Papers that share an identifier (DOI, arXiv, PubMed, ...) are the same, and so are a cited id
    such as doi:10.1/x and the paper that has that DOI. All their ids are kept, and each property is
    that of the first source, in the order of preference, that has it. Papers that an identifier
    joins although they differ too much are conflicts: they stay as they are.

    Run it after loading, and again after every later load, with the same options. Other options
    merge all anew.

    \b
    Example:
      specter-graph merge --report merged.jsonl
      specter-graph merge --prefer openalex,crossref --by-title
    """
    order = [source.strip() for source in prefer.split(",") if source.strip()]
    with open_graph(instance) as graph, progress_bar() as progress:
        summary = graph.merge(prefer=order, by_title=by_title, report=report, progress=progress)
    if as_json:
        print_json(asdict(summary))
    else:
        _print_summary(summary)
        if report:
            click.echo(f"see {report} for what was merged, and what was not, and why")


def _print_summary(summary: "MergeSummary") -> None:
    click.echo(
        f"{summary.merged:,} papers combined from several in {summary.seconds:.1f} s,"
        f" {summary.restored:,} restored before, {summary.conflicts:,} conflicts;"
        f" all merged papers have {summary.ids:,} ids"
    )


@click.command()
@click.option(
    "--merge",
    "file",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Two or more ids of authors a line, the one to keep first: separated by commas (CSV), or a"
    " JSON list.",
)
@json_option
@instance_option
def authors(file: Path, as_json: bool, instance: str | None) -> None:
    """Apply a list that says which authors are the same person.

    The list is remembered: it holds for what is loaded later, too, and further lists add to it.

    \b
    Example:
      specter-graph authors --merge same-authors.csv
    """
    with open_graph(instance) as graph:
        summary = graph.merge_authors(file)
    if as_json:
        print_json(asdict(summary))
    else:
        click.echo(
            f"{summary.authors:,} authors have {summary.ids:,} further ids by the lists so far;"
            f" the papers of {summary.moved:,} were given to the one that is kept"
        )
