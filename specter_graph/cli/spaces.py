"""`spaces`: list, check, load, delete and map the embedding spaces; `embed-files`."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.corpus_options import corpus_options
from specter_graph.cli.options import (
    FILE,
    PATH,
    delete_object,
    dimension_option,
    document_prompt_option,
    flag,
    format_option,
    graph_command,
    grouped_options,
    model_option,
    option,
    output_option,
    precision_option,
    query_prompt_option,
    rejects_option,
    seed_option,
    space_option,
    strip_id_prefix_option,
    yes_option,
)
from specter_graph.cli.output import Output, progress_bar
from specter_graph.core.errors import counted
from specter_graph.core.progress import Progress
from specter_graph.loaders.corpus_files import REJECTS

_COLUMNS = ("name", "kind", "dimension", "model", "sees_edges", "holdout", "created")


def _print_checks(checks: "list[sg.SpaceCheck]") -> None:
    for check in checks:
        recall = "-" if check.recall is None else f"{check.recall:.3f}"
        click.echo(
            f"{check.space}: {counted(check.vectors, 'vector')} of {check.dimension} dimensions,"
            f" recall@10 {recall} ({counted(check.queries, 'query', 'queries')})"
        )
        if check.error:
            click.echo(f"  {check.error}")
        if check.missing or check.outdated:
            updates = {"imported": "spaces load FILE --space", "sgc": "sgc --output-space"}
            update = updates.get(check.kind, "embed --space")
            click.echo(
                f"  {counted(check.missing, 'paper has', 'papers have')} no vector,"
                f" {check.outdated or 0:,} an outdated one:"
                f" specter-graph {update} {check.space}"
            )
        if check.misshapen:
            click.echo(
                f"  {counted(check.misshapen, 'vector')} of another dimension, which no search"
                " finds:"
                f" specter-graph spaces delete {check.space}, then embed again"
            )
    if not checks:
        click.echo("there is no embedding space", err=True)


def _show_checks(output: Output, checks: "list[sg.SpaceCheck]") -> None:
    output.show(checks, text=_print_checks)
    if any(check.error for check in checks):
        sys.exit(1)


@click.group()
def spaces() -> None:
    """Manage the embedding spaces.

    \b
    Example:  specter-graph spaces list
              specter-graph spaces check
    """


@spaces.command("list")
@graph_command(partial(Output.show_list, columns=_COLUMNS))
def list_(graph: "sg.LiteratureGraph") -> object:
    """List the embedding spaces and how they were made.

    \b
    Example:  specter-graph spaces list
    """
    return graph.spaces.list()


@spaces.command()
@space_option(shown="all")
@option("--queries", "Number of papers to search with.", click.IntRange(1), 200)
@graph_command(_show_checks)
def check(graph: "sg.LiteratureGraph", space: str | None, queries: int) -> object:
    """Compare each index with an exact search.

    Outdated and missing vectors are counted.

    \b
    Example:  specter-graph spaces check
              specter-graph spaces check --space specter --format json
    """
    return graph.spaces.check(space, queries=queries)


@spaces.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PATH)
@option("--space", "Embedding space.", "NAME", required=True)
@option("--ids", "Ids of the rows of a .npy file, one per line.", FILE)
@option("--encoder", "Model that made the vectors, for searches by text.", "MODEL")
@flag("--text-only", "The vectors were made without citations, so `evaluate` accepts the space.")
@rejects_option
@graph_command(progress=True)
def load(
    graph: "sg.LiteratureGraph", files: tuple[Path, ...], rejects: Path | None, **options: Any
) -> object:
    """Load vectors from Parquet, JSON or NumPy files into a space.

    A row has the id of a paper, or an identifier such as a DOI, and a vector. Semantic Scholar's
    embeddings and the files of `embed-files` and `export` can be loaded. Run an interrupted command
    again to continue it.

    \b
    Example:  specter-graph spaces load vectors.parquet --space specter2
              specter-graph spaces load vectors.npy --ids ids.txt --space e5 --encoder models/e5
    """
    name = Path(f"{files[0].name}{REJECTS}")
    return graph.spaces.load(*files, rejects=rejects or name, **options)


@spaces.command()
@click.argument("name")
@yes_option
@graph_command(None)
def delete(graph: "sg.LiteratureGraph", name: str, yes: bool) -> None:
    """Delete a space: its vectors, its index and its record.

    \b
    Example:  specter-graph spaces delete sgc --yes
    """
    delete_object(yes, f"the space {name}", lambda: graph.spaces.delete(name))


@spaces.command("map")
@space_option()
@seed_option
@graph_command(None, progress=True)
def map_(graph: "sg.LiteratureGraph", space: str | None, seed: int, progress: Progress) -> None:
    """Project all papers onto a plane for the map of `serve`.

    Similar papers are near each other.

    \b
    Example:  specter-graph spaces map
              specter-graph spaces map --space sgc
    """
    name = graph.spaces.get(space).name
    file, papers = graph.spaces.map(name, seed=seed, progress=progress)
    click.echo(f"{counted(papers, 'paper')} of {name!r} in {file}")


def _load_encoder(model: str | None, dimension: int | None, **options: Any) -> "sg.Encoder":
    return sg.Encoder.load(model, truncate_dim=dimension, **options)


@click.command("embed-files")
@corpus_options
@output_option()
@grouped_options(
    "encoder",
    _load_encoder,
    model_option(),
    document_prompt_option,
    query_prompt_option,
    dimension_option,
    precision_option,
)
@option(
    "--dtype", "Type of the vectors in a .parquet file.", ("float32", "float16", "int8"), "float32"
)
@strip_id_prefix_option
@format_option
def embed_files(
    corpus: "sg.Corpus",
    path: Path,
    encoder: "sg.Encoder",
    output: Output,
    **options: Any,
) -> None:
    """Embed the papers of files into a file.

    No server is needed. The output is .jsonl, .jsonl.gz or .parquet. FORMAT and PATH are those
    of `load`. Run an interrupted command again to continue it.

    \b
    Example:  specter-graph embed-files jsonl papers.jsonl.gz -o vectors.parquet --model model
              specter-graph embed-files auto downloads/ -o vectors.jsonl.gz
    """
    with progress_bar() as progress:
        summary = sg.embed_files(
            encoder,
            corpus,
            path,
            **options,
            on_skip=lambda paper, reason: click.echo(f"skipped {paper}: {reason}", err=True),
            progress=progress,
        )
    if encoder.model.choice:
        click.echo(str(encoder.model.choice), err=True)
    output.show(summary)
    if summary.records and not summary.embedded:
        sys.exit(1)
