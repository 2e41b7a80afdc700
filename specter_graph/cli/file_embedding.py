"""`embed --input`: the side of the command that works on files, without a database."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from specter_graph.cli.corpus import print_json
from specter_graph.cli.corpus_options import rejects_name
from specter_graph.cli.terminal import progress_bar
from specter_graph.loaders.detect import NAMES

if TYPE_CHECKING:
    from specter_graph.encoder.precision_probe import Precision
    from specter_graph.pipelines.embed_files import FileEmbedSummary
    from specter_graph.pipelines.vector_files import Dtype

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--input",
        "inputs",
        multiple=True,
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Embed the papers of this file, or folder, and not those of a graph; may be repeated."
        " No server is needed.",
    ),
    click.option(
        "-o",
        "--output",
        metavar="OUT",
        type=click.Path(path_type=Path, dir_okay=False),
        help="With --input: the file of vectors, .jsonl, .jsonl.gz or .parquet.",
    ),
    click.option(
        "--dtype",
        type=click.Choice(["float32", "float16", "int8"]),
        help="With --input: the numbers of a .parquet file.  [default: float32]",
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(["auto", *NAMES]),
        metavar="FORMAT",
        help="With --input: the format of the files, as for `load`.  [default: auto]",
    ),
    click.option(
        "--bare-ids",
        is_flag=True,
        help="With --input: write s2:ID as ID, as SPECTER and SciDocs name papers.",
    ),
    click.option(
        "--rejects",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="With --input: where records that cannot be used are kept, as for `load`.",
    ),
)


def file_options(command: Command) -> Command:
    """Add --input and what goes with it; with it, the command for the graph is not called."""

    @wraps(command)
    def with_files(
        *,
        inputs: tuple[Path, ...],
        output: Path | None,
        dtype: "Dtype | None",
        form: str | None,
        bare_ids: bool,
        rejects: Path | None,
        model: str | None,
        dimension: int | None,
        precision: "Literal['auto'] | Precision | None",
        as_json: bool,
        **of_graph: object,
    ) -> None:
        if not inputs:
            if output or dtype or form or bare_ids or rejects:
                raise click.UsageError(
                    "-o, --dtype, --format, --bare-ids and --rejects go with --input FILE."
                )
            command(
                model=model, dimension=dimension, precision=precision, as_json=as_json, **of_graph
            )
            return
        if any(value is not None for value in of_graph.values()):
            raise click.UsageError("--input takes none of the options of a space and its index.")
        if output is None:
            raise click.UsageError("--input goes with -o OUT.")
        options = {"dtype": dtype or "float32", "bare_ids": bare_ids}
        summary = _embed(
            inputs,
            output,
            form or "auto",
            model,
            dimension,
            precision or "auto",
            rejects,
            options,
        )
        if as_json:
            print_json(asdict(summary))
        else:
            _print(summary)
        if summary.records and not summary.embedded:
            sys.exit(1)

    for option in reversed(_OPTIONS):
        with_files = option(with_files)
    return with_files  # type: ignore[return-value]


def _embed(
    inputs: tuple[Path, ...],
    output: Path,
    form: str,
    model: str | None,
    dimension: int | None,
    precision: "Literal['auto'] | Precision",
    rejects: Path | None,
    options: dict[str, Any],
) -> "FileEmbedSummary":
    from specter_graph.encoder import Encoder
    from specter_graph.loaders import open_corpus
    from specter_graph.pipelines.embed_files import embed_files

    corpus = open_corpus(form, *inputs)
    if form == "auto":
        for file in corpus.files:
            click.echo(f"{file.name}: {file.description}", err=True)
    encoder = Encoder.load(model, truncate_dim=dimension, precision=precision)
    with progress_bar() as progress:
        summary = embed_files(
            encoder,
            corpus,
            output,
            rejects=rejects or rejects_name(corpus),
            left_out=lambda paper, reason: click.echo(f"left out {paper}: {reason}", err=True),
            progress=progress,
            **options,
        )
    if encoder.model.choice:
        click.echo(str(encoder.model.choice), err=True)
    return summary


def _print(summary: "FileEmbedSummary") -> None:
    click.echo(
        f"{summary.path}: {summary.dimension} numbers a vector, {summary.dtype},"
        f" {summary.seconds:.1f} s"
    )
    click.echo(
        f"{summary.records:,} records = {summary.embedded:,} embedded +"
        f" {summary.left_out:,} left out + {summary.rejected:,} rejected"
    )
    if summary.before:
        click.echo(f"{summary.before:,} of them were done by an earlier run")
    if summary.title_only:
        click.echo(f"{summary.title_only:,} were embedded by their titles: they have no abstract")
    if summary.others:
        click.echo(f"{summary.others:,} items that are no papers were passed over")
    if summary.rejects:
        click.echo(f"see {summary.rejects} for what was rejected or repaired, and why")
