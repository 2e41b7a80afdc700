"""`export`: what the graph holds, or a model, as files for other programs."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.corpus import print_json
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.encoder.model_dir import ExportFormat

_FORMATS = ("jsonl", "parquet", "graphml", "pyg", "bibtex")


@click.group()
def export() -> None:
    """Write the graph, or a model, to files for other programs.

    \b
    Example:  specter-graph export graph -o papers.jsonl.gz
              specter-graph export model MODEL_DIR -o folder --as sentence-transformers
    """


@export.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PATH",
    help="Where to: a file, or for parquet a new folder.",
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

    jsonl can be loaded again; parquet is a folder of tables with everything but readers; graphml is
    for NetworkX and Gephi, pyg (.pt) for PyTorch Geometric, bibtex (.bib) for a reading list. PATH
    appears when it is complete.

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


@export.command()
@click.argument("name", metavar="MODEL")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The folder to write: a new one.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["sentence-transformers", "onnx"]),
    default="sentence-transformers",
    show_default=True,
    help="A folder that sentence-transformers loads, or model.onnx and its tokenizer.",
)
@json_option
def model(name: str, output: Path, form: "ExportFormat", as_json: bool) -> None:
    """Write a model for programs that do not know specter-graph; the vectors stay the same.

    MODEL is a MODEL_DIR that `train` wrote, or the name of a base. The vectors of some texts are
    compared before DIR appears; its README.md says how the model was made and is called.

    \b
    Example:  specter-graph export model model -o for-sentence-transformers
              specter-graph export model model -o for-onnx --as onnx
    """
    from specter_graph.pipelines.export_model import export_model

    done = export_model(name, output, form)
    if as_json:
        print_json(asdict(done))
        return
    click.echo(
        f"{done.path}: {done.form}, {done.kind}, {done.dimension} dimensions;"
        f" largest difference from our vectors {done.difference:.1e}"
    )
