"""`train`, `embed` and `sgc`: from triplets to a model, and from models to embedding spaces."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import (
    holdout_option,
    instance_option,
    json_option,
    mining_options,
    open_graph,
)
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.encoder import FullSettings, HeadSettings, ModelRecord


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="MODEL_DIR",
    help="The folder to write.",
)
@click.option(
    "--mode",
    type=click.Choice(["head", "full"]),
    help="A linear head on frozen base vectors, or the whole Transformer.  [default: full with a"
    " GPU, head without]",
)
@click.option("--base", metavar="NAME", help="A hub name or a path.  [default: offline MiniLM]")
@click.option(
    "--loss",
    type=click.Choice(["triplet", "contrastive"]),
    help="SPECTER's triplet margin loss, or InfoNCE over the batch and the mined negatives."
    "  [default: triplet for full, contrastive for a head]",
)
@click.option("--epochs", type=click.IntRange(1), help="Passes over the triplets.")
@click.option(
    "--features/--no-features", default=True, help="TF-IDF/SVD beside base vectors (head)."
)
@click.option(
    "--distil/--no-distil",
    default=True,
    help="A part of the vectors predicts SGC's from the text (head).",
)
@click.option(
    "--controls/--no-controls",
    default=None,
    help="Also train without hard negatives and on shuffled positives.  [default: for a head]",
)
@click.option("--resume", is_flag=True, help="Go on with a training that was stopped.")
@mining_options(defaults=False)
@holdout_option
@instance_option
@json_option
def train(
    output: Path,
    mode: str | None,
    base: str | None,
    loss: str | None,
    epochs: int | None,
    features: bool,
    distil: bool,
    controls: bool | None,
    resume: bool,
    seed: int,
    per_query: int | None,
    hard: int | None,
    holdout: float,
    instance: str | None,
    as_json: bool,
) -> None:
    """Train an encoder on triplets mined from the citations.

    \b
    Example:  specter-graph train -o model
              specter-graph train -o model --mode full --epochs 1 --resume
    """
    given = {
        "seed": seed,
        "loss": loss,
        "epochs": epochs,
        "controls": controls,
        "per_query": per_query,
        "hard": hard,
    }
    left_out = [name for name, on in (("features", features), ("distil", distil)) if not on]
    settings = _settings(mode, {k: v for k, v in given.items() if v is not None}, left_out)
    with open_graph(instance) as graph, progress_bar() as progress:
        record = graph.train(
            output,
            settings,
            base=base,
            holdout=holdout,
            resume=resume,
            progress=progress,
        )
    if as_json:
        click.echo(record.model_dump_json())
    else:
        show_training(output, record)


def _settings(
    mode: str | None, given: dict[str, object], left_out: list[str]
) -> "HeadSettings | FullSettings":
    from specter_graph.encoder import FullSettings, HeadSettings
    from specter_graph.training import default_settings

    kind = {"head": HeadSettings, "full": FullSettings}[mode] if mode else type(default_settings())
    if kind is FullSettings:
        return FullSettings.model_validate(given)
    return HeadSettings.model_validate(given | dict.fromkeys(left_out))


def show_training(output: Path, record: "ModelRecord") -> None:
    """Print what a training came to, with its controls beside it."""
    mined = record.triplets
    click.echo(
        f"{output}: mode {record.mode}, {mined.triplets:,} triplets of {mined.queries:,} queries,"
        f" {mined.hard:,} with a hard negative"
    )
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
@click.option(
    "--model",
    metavar="M",
    help="A MODEL_DIR or the name of a base.  [default: the space's own, else offline MiniLM]",
)
@click.option(
    "--space", metavar="NAME", help="The space.  [default: specter; base for an untrained base]"
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
@instance_option
@json_option
def embed(
    model: str | None,
    space: str | None,
    quantize: bool | None,
    hnsw_m: int | None,
    hnsw_ef: int | None,
    instance: str | None,
    as_json: bool,
) -> None:
    """Embed the papers that are new or changed, and index the vectors.

    \b
    Example:  specter-graph embed --model model
              specter-graph embed --space base --no-quantize --hnsw-m 24
    """
    from specter_graph.graph.vector_index import IndexSettings

    index = IndexSettings(quantize, hnsw_m, hnsw_ef)
    with open_graph(instance) as graph, progress_bar() as progress:
        encoder = graph.encoder(model, space)
        space = space or ("base" if encoder.kind == "base" else "specter")
        summary = graph.embed(encoder, space, index=index, progress=progress)
    if as_json:
        click.echo(json.dumps(asdict(summary)))
        return
    if summary.replaced:
        click.echo(f"{space}: the vectors of another model were replaced")
    click.echo(
        f"{space}: {summary.embedded:,} papers embedded ({summary.reused:,} from stored base"
        f" vectors), {summary.kept:,} kept, {summary.seconds:.1f} s"
    )


@click.command()
@click.option(
    "--space", default="sgc", show_default=True, metavar="NAME", help="The space to make."
)
@click.option("--base", default="base", show_default=True, metavar="NAME", help="What is smoothed.")
@click.option(
    "-k", type=click.IntRange(1, 8), default=1, show_default=True, help="How often it is smoothed."
)
@holdout_option
@instance_option
@json_option
def sgc(space: str, base: str, k: int, holdout: float, instance: str | None, as_json: bool) -> None:
    """Smooth a space over the citation graph (simplified graph convolution).

    \b
    Example:  specter-graph sgc
              specter-graph sgc --base specter --space sgc_specter
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        record = graph.sgc(space, base=base, k=k, holdout=holdout, progress=progress)
    if as_json:
        click.echo(json.dumps(asdict(record)))
    else:
        click.echo(f"{space}: {base} smoothed {k} times over the citations")
