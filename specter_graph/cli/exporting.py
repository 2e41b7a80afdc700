"""`export`: what the graph holds, as files for other programs."""

from dataclasses import asdict
from pathlib import Path

import click

from specter_graph.cli.corpus import print_json
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

_FORMATS = ("jsonl", "parquet", "graphml", "csv", "pyg", "bibtex")


@click.group()
def export() -> None:
    """Write the graph to files for other programs.

    \b
    Example:  specter-graph export graph -o papers.jsonl.gz
    """


@export.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PATH",
    help="Where to: a file, or for parquet and csv a new folder.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(_FORMATS),
    help="The format.  [default: by the suffix of PATH: .jsonl, .jsonl.gz, .parquet, .graphml,"
    " .csv, .pt, .bib]",
)
@click.option("--field", metavar="NAME", help="Only papers about this field or a narrower one.")
@click.option("--around", metavar="PAPER_ID", help="Only papers near this one; see --hops.")
@click.option(
    "--hops",
    type=click.IntRange(1),
    metavar="N",
    help="How many citations away, in either direction.  [default: 1]",
)
@click.option(
    "--space",
    "spaces",
    multiple=True,
    metavar="NAME",
    help="An embedding space whose vectors are wanted too; give it again for more.",
)
@json_option
@instance_option
def graph(
    output: Path,
    form: str | None,
    field: str | None,
    around: str | None,
    hops: int | None,
    spaces: tuple[str, ...],
    as_json: bool,
    instance: str | None,
) -> None:
    """Write papers and citations: all of them, those of a field, or those around a paper.

    jsonl can be loaded again; parquet and csv (for neo4j-admin import) are folders of tables that
    hold everything but readers; graphml is for NetworkX and Gephi, pyg (.pt) for PyTorch Geometric,
    bibtex (.bib) for a reading list. PATH appears when it is complete.

    \b
    Example:  specter-graph export graph -o papers.jsonl.gz
              specter-graph export graph -o reading-list.bib --around hep-ph/9901001 --hops 1
              specter-graph export graph -o tables --as parquet --field hep-ph --space specter
    """
    from specter_graph.graph.export import check_export, format_of

    if hops is not None and around is None:
        raise click.UsageError("--hops goes with --around PAPER_ID.")
    check_export(output, form or format_of(output), spaces)
    with open_graph(instance) as opened, progress_bar() as progress:
        summary = opened.export(
            output,
            form,
            field=field,
            around=around,
            hops=hops or 1,
            spaces=spaces,
            progress=progress,
        )
    if as_json:
        print_json(asdict(summary))
        return
    click.echo(
        f"{summary.path}: {summary.papers:,} papers, {summary.stubs:,} stubs,"
        f" {summary.citations:,} citations as {summary.format}"
    )
