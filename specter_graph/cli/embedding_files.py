"""`embed-files`: vectors of the papers in files, without a database."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.corpus_options import corpus_options, rejects_name
from specter_graph.cli.options import (
    dimension_option,
    document_prompt_option,
    format_option,
    model_option,
    option,
    output_option,
    precision_option,
    query_prompt_option,
    rejects_option,
    strip_id_prefix_option,
)
from specter_graph.cli.output import Output
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph import Corpus


@click.command("embed-files")
@corpus_options
@output_option()
@model_option
@document_prompt_option
@query_prompt_option
@dimension_option
@precision_option
@option(
    "--dtype", "Type of the vectors in a .parquet file.", ("float32", "float16", "int8"), "float32"
)
@strip_id_prefix_option
@rejects_option
@format_option
def embed_files(
    corpus: "Corpus",
    path: Path,
    model: str | None,
    document_prompt: str | None,
    query_prompt: str | None,
    dimension: int | None,
    precision: Any,
    rejects: Path | None,
    output: Output,
    **options: Any,
) -> None:
    """Embed the papers of files into a .jsonl, .jsonl.gz or .parquet file; no server is needed.

    FORMAT and PATH are those of `load`. Run an interrupted command again to continue it.

    \b
    Example:  specter-graph embed-files jsonl papers.jsonl.gz -o vectors.parquet --model model
              specter-graph embed-files auto downloads/ -o vectors.jsonl.gz
    """
    from specter_graph import Encoder, embed_files

    encoder = Encoder.load(
        model,
        truncate_dim=dimension,
        precision=precision,
        document_prompt=document_prompt,
        query_prompt=query_prompt,
    )
    with progress_bar() as progress:
        summary = embed_files(
            encoder,
            corpus,
            path,
            **options,
            rejects=rejects or rejects_name(corpus),
            on_skip=lambda paper, reason: click.echo(f"skipped {paper}: {reason}", err=True),
            progress=progress,
        )
    if encoder.model.choice:
        click.echo(str(encoder.model.choice), err=True)
    output.show(summary)
    if summary.records and not summary.embedded:
        sys.exit(1)
