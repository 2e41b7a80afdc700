"""`export`: the graph or a model as files for other programs."""

from pathlib import Path
from typing import Any

import click

from specter_graph.cli.options import (
    FOLDER,
    PATH,
    add_options,
    format_option,
    graph_options,
    list_option,
    open_graph,
    option,
    output_option,
    space_option,
)
from specter_graph.cli.output import Output
from specter_graph.cli.terminal import progress_bar


def selection_options(command: Any) -> Any:
    """Add the options that select papers."""
    return add_options(
        command,
        option("--field", "Only papers about this field, such as cs.LG.", "NAME"),
        option("--around", "Only papers near this one; see --hops.", "PAPER_ID"),
        option(
            "--hops", "Number of citations to follow.", click.IntRange(1), shown="1", metavar="N"
        ),
        list_option,
    )


@click.group()
def export() -> None:
    """Write the graph, or a model, to files for other programs.

    \b
    Example:  specter-graph export graph -o papers.jsonl.gz
              specter-graph export model MODEL_DIR -o for-sentence-transformers
    """


@export.command()
@output_option(PATH)
@selection_options
@space_option(multiple=True, shown="none")
@graph_options
def graph(
    path: Path,
    spaces: tuple[str, ...],
    output: Output,
    instance: str | None,
    **options: Any,
) -> None:
    """Write papers and citations: all of them, those of a field, or those around a paper.

    The suffix of PATH is the format. A .jsonl file (also .jsonl.gz, .jsonl.zst) can be loaded
    again; a .parquet folder has tables with everything but readers; .graphml is for NetworkX and
    Gephi, .pt for PyTorch Geometric; .bib, .ris and .json (CSL-JSON) are for reference managers.
    The vectors of each --space are written, too. PATH appears when it is complete.

    \b
    Example:  specter-graph export graph -o papers.jsonl.gz
              specter-graph export graph -o reading-list.bib --around hep-ph/9901001 --hops 1
              specter-graph export graph -o tables.parquet --field hep-ph --space specter
    """
    from specter_graph.graph.export import check_export

    _check_hops(options)
    check_export(path, spaces)
    with open_graph(instance) as opened, progress_bar() as progress:
        summary = opened.export(path, spaces=spaces, **options, progress=progress)
    output.show(summary)


def _check_hops(options: dict[str, Any]) -> None:
    if options["hops"] and options["around"] is None:
        raise click.UsageError("--hops goes with --around PAPER_ID.")
    options["hops"] = options["hops"] or 1


@export.command()
@click.argument("kind", type=click.Choice(("co-citation", "coupling", "co-author", "keyword")))
@output_option()
@option("--min-papers", "Minimum number of papers of an item.", click.IntRange(1), 5)
@option("--min-weight", "Minimum weight of a link.", click.IntRange(1), 2)
@selection_options
@graph_options
def network(kind: Any, path: Path, output: Output, instance: str | None, **options: Any) -> None:
    """Write a network for VOSviewer, Gephi, Pajek or NetworkX.

    KIND names the linked items: papers that are cited together (co-citation), papers with common
    references (coupling; --min-papers counts their references), authors of the same papers, or
    keywords of the same papers. The suffix of the file is the format: .json for VOSviewer, .gexf,
    .net for Pajek, or .graphml.

    \b
    Example:  specter-graph export network co-citation -o co-citation.json --min-papers 10
              specter-graph export network co-author -o authors.gexf --field hep-ph
              specter-graph export network keyword -o keywords.net --min-weight 3
    """
    _check_hops(options)
    with open_graph(instance) as opened, progress_bar() as progress:
        summary = opened.export_network(path, kind, **options, progress=progress)
    output.show(summary)


@export.command()
@click.argument("name", metavar="MODEL")
@output_option(FOLDER)
@format_option
def model(name: str, path: Path, output: Output) -> None:
    """Write a model for sentence-transformers; the vectors stay the same.

    MODEL is a model directory that `train` wrote, or the name of a base model. FOLDER must not
    exist. The vectors of some texts are compared before it appears; its README.md says how the
    model was made and how to use it.

    \b
    Example:  specter-graph export model model -o for-sentence-transformers
    """
    from specter_graph import export_model

    output.show(export_model(name, path))
