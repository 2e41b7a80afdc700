"""`train`, `embed` and `sgc`: from triplets to a model, and from models to embedding spaces."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from specter_graph.cli.file_embedding import file_options
from specter_graph.cli.options import (
    holdout_option,
    instance_option,
    json_option,
    open_graph,
)
from specter_graph.cli.recipes import recipe_options, told_recipe
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.encoder import ModelRecord
    from specter_graph.encoder.precision_probe import Precision


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="MODEL_DIR",
    help="The folder to write.",
)
@recipe_options("full with a GPU, head without")
@click.option("--print-config", is_flag=True, help="Print the recipe with all settings, and stop.")
@click.option(
    "--base",
    metavar="NAME",
    help="A hub name, a path, or a MODEL_DIR of mode full to go on from.  [default: the recipe's]",
)
@click.option(
    "--loss",
    type=click.Choice(["triplet", "contrastive"]),
    help="SPECTER's triplet margin loss, or InfoNCE over the batch and the mined negatives."
    "  [default: the recipe's]",
)
@click.option("--epochs", type=click.IntRange(1), help="Passes over the triplets.")
@click.option(
    "--controls/--no-controls",
    default=None,
    help="Also train without hard negatives and on shuffled positives.  [default: the recipe's]",
)
@click.option(
    "--base-space",
    metavar="NAME",
    default="base",
    show_default=True,
    help="Where a head's base keeps its vectors; each base needs one of its own.",
)
@click.option("--resume", is_flag=True, help="Go on with a training that was stopped.")
@holdout_option
@instance_option
@json_option
def train(
    output: Path | None,
    config: str | None,
    changes: tuple[str, ...],
    seed: int | None,
    per_query: int | None,
    hard: int | None,
    print_config: bool,
    base: str | None,
    loss: str | None,
    epochs: int | None,
    controls: bool | None,
    base_space: str,
    resume: bool,
    holdout: float,
    instance: str | None,
    as_json: bool,
) -> None:
    """Train an encoder on triplets mined from the graph.

    \b
    Example:  specter-graph train -o model
              specter-graph train -o model --config full --epochs 1 --resume
              specter-graph train -o model --config specter --set micro_batch=16
              specter-graph train -o model --set triplets.per_query=10
              specter-graph train --config head --set features=null --print-config
    """
    options = {
        "base.name": base,
        "seed": seed,
        "loss": loss,
        "epochs": epochs,
        "controls": controls,
        "triplets.per_query": per_query,
        "triplets.hard": hard,
    }
    recipe = told_recipe(config, changes, options)
    if print_config:
        click.echo(recipe.to_yaml(), nl=False)
        return
    if output is None:
        raise click.UsageError("Missing option '-o' / '--output': the folder to write.")
    from specter_graph.encoder.device import is_main_process

    with open_graph(instance) as graph, progress_bar() as progress:
        record = graph.train(
            output,
            recipe,
            base_space=base_space,
            holdout=holdout,
            resume=resume,
            progress=progress,
        )
    if not is_main_process():
        return
    if as_json:
        click.echo(record.model_dump_json())
    else:
        show_training(output, record)


def show_training(output: Path, record: "ModelRecord") -> None:
    """Print what a training came to, with its controls beside it."""
    mined = record.triplets
    click.echo(
        f"{output}: mode {record.mode}, {mined.triplets:,} triplets of {mined.queries:,} queries,"
        f" {mined.hard:,} with a hard negative"
    )
    if mined.left_out:
        click.echo(f"  left out: {mined.left_out:,} triplets with a paper that has no text")
    rows = {"before training": record.epochs[0], f"epoch {record.best_epoch} (kept)": record.best}
    rows |= {name.replace("_", " "): metrics for name, metrics in record.controls.items()}
    for name, metrics in rows.items():
        if metrics.validation_accuracy is not None:
            click.echo(
                f"  {name:24} validation triplet accuracy {metrics.validation_accuracy:6.1%},"
                f" loss {metrics.validation_loss:.4f}"
            )
    if record.distilled is not None:
        click.echo(
            f"  {'kept, with distilled SGC':24} validation triplet accuracy {record.distilled:6.1%}"
        )


@click.command()
@file_options
@click.option(
    "--model",
    metavar="M",
    help="A MODEL_DIR or the name of a base.  [default: the space's own, else offline MiniLM]",
)
@click.option(
    "--space", metavar="NAME", help="The space.  [default: specter; base for an untrained base]"
)
@click.option(
    "--pooling",
    type=click.Choice(["cls", "mean", "max"]),
    help="How the tokens of an untrained base become one vector.  [default: as its folder says]",
)
@click.option(
    "--dimension",
    type=click.IntRange(1),
    metavar="N",
    help="Keep the first N numbers of each vector, as a model with `matryoshka` learned to."
    "  [default: all]",
)
@click.option(
    "--quantize/--no-quantize",
    default=None,
    help="Whether the index compares a byte for each number.  [default: as it is; at first, yes]",
)
@click.option(
    "--hnsw-m", type=click.IntRange(1, 512), metavar="M", help="The most links of a vector there."
)
@click.option(
    "--hnsw-ef",
    type=click.IntRange(1, 3200),
    metavar="N",
    help="How many neighbours are weighed for these.",
)
@click.option(
    "--precision",
    type=click.Choice(["auto", "float32", "bfloat16", "int8"]),
    help="What the Transformer computes in.  [default: auto, which measures what the device has]",
)
@instance_option
@json_option
def embed(
    model: str | None,
    space: str | None,
    pooling: Literal["cls", "mean", "max"] | None,
    dimension: int | None,
    quantize: bool | None,
    hnsw_m: int | None,
    hnsw_ef: int | None,
    precision: "Literal['auto'] | Precision | None",
    instance: str | None,
    as_json: bool,
) -> None:
    """Embed the papers that are new or changed, and index the vectors.

    Or, with --input, those of files into a file, without any database. Such a run that was killed
    goes on where it stopped when the same command is run again.

    \b
    Example:  specter-graph embed --model model
              specter-graph embed --space base --no-quantize --hnsw-m 24
              specter-graph embed --model model --dimension 128 --space small
              specter-graph embed --pooling max --space base_max
              specter-graph embed --input papers.jsonl.gz -o vectors.parquet --model model
    """
    from specter_graph.graph.embeddings.index import IndexSettings

    index = IndexSettings(quantize, hnsw_m, hnsw_ef)
    with open_graph(instance) as graph, progress_bar() as progress:
        encoder = graph.encoder(model, space, pooling)
        encoder = encoder.truncate(dimension) if dimension else encoder
        encoder.model.precision = precision or "auto"
        space = space or ("base" if encoder.kind == "base" else "specter")
        summary = graph.embed(encoder, space, index=index, progress=progress)
    if as_json:
        click.echo(json.dumps(asdict(summary)))
        return
    if encoder.model.choice:
        click.echo(str(encoder.model.choice))
    if summary.replaced:
        click.echo(f"{space}: the vectors of another model were replaced")
    click.echo(
        f"{space}: {summary.embedded:,} papers embedded ({summary.reused:,} from stored base"
        f" vectors), {summary.kept:,} kept, {summary.seconds:.1f} s"
    )
    if summary.untitled:
        click.echo(f"{space}: {summary.untitled:,} papers without a title skipped", err=True)


@click.command()
@click.option(
    "--space", default="sgc", show_default=True, metavar="NAME", help="The space to make."
)
@click.option("--base", default="base", show_default=True, metavar="NAME", help="What is smoothed.")
@click.option(
    "-k", type=click.IntRange(1, 8), default=1, show_default=True, help="How often it is smoothed."
)
@click.option("--tune", is_flag=True, help="Try a k of 1 to 8, and keep the best on validation.")
@holdout_option
@instance_option
@json_option
def sgc(
    space: str,
    base: str,
    k: int,
    tune: bool,
    holdout: float,
    instance: str | None,
    as_json: bool,
) -> None:
    """Smooth a space over the citation graph (simplified graph convolution).

    \b
    Example:  specter-graph sgc
              specter-graph sgc --base specter --space sgc_specter --tune
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        record = graph.sgc(
            space, base=base, k=None if tune else k, holdout=holdout, progress=progress
        )
        k = json.loads(record.sources)["k"]
    if as_json:
        click.echo(json.dumps(asdict(record)))
    else:
        click.echo(f"{space}: {base} smoothed {k} times over the citations")
