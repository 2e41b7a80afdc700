"""`triplets`, `train`, `embed` and `sgc`: from the citation graph to embedding spaces."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from specter_graph.cli.options import (
    FILE,
    FOLDER,
    Command,
    add_options,
    dimension_option,
    format_option,
    holdout_option,
    instance_option,
    model_option,
    open_graph,
    output_option,
    output_space_option,
    precision_option,
    space_option,
    tune_option,
)
from specter_graph.cli.output import Output
from specter_graph.cli.terminal import progress_bar
from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from specter_graph import EmbedSummary, ModelRecord, Recipe, TripletReport
    from specter_graph.encoder.precision_probe import Precision

_SETTINGS = {"seed": "seed", "triplets_per_query": "triplets.per_query"}
_SETTINGS |= {"hard_negatives": "triplets.hard", "base": "base.name"}
_SETTINGS |= {name: name for name in ("loss", "epochs", "controls")}
"""Options that set a value of the recipe, and the keys of the settings."""


def _recipe_options(default: str) -> Callable[[Command], Command]:
    """Add the options that choose and change a recipe."""
    return lambda command: add_options(
        command,
        click.option(
            "--recipe",
            metavar="NAME|FILE",
            show_default=default,
            help="Recipe: head (linear, on frozen base vectors), full (the whole Transformer),"
            " contrastive, specter, or a YAML file.",
        ),
        click.option(
            "--set",
            "changes",
            multiple=True,
            metavar="KEY=VALUE",
            help="Change a setting of the recipe. Repeatable.",
        ),
        click.option(
            "--seed", type=click.IntRange(0), show_default="the recipe's", help="Random seed."
        ),
        click.option(
            "--triplets-per-query",
            type=click.IntRange(1),
            show_default="the recipe's",
            help="Triplets per query paper.",
        ),
        click.option(
            "--hard-negatives",
            type=click.IntRange(0),
            show_default="the recipe's",
            help="Triplets per query paper with a hard negative.",
        ),
    )


@click.command()
@output_option(shown=".parquet, .jsonl, .jsonl.gz or .jsonl.zst")
@_recipe_options("full, SPECTER's triplets")
@holdout_option
@click.option(
    "--split",
    type=click.Choice(["train", "validation"]),
    default="train",
    show_default=True,
    help="Split of the papers.",
)
@click.option(
    "--specter-data",
    type=FILE,
    metavar="FILE",
    help="Read SPECTER's data.json instead of a graph; metadata.json is read from its folder.",
)
@click.option(
    "--query-ids",
    "queries",
    type=FILE,
    metavar="FILE",
    help="Queries of --specter-data, one per line (train.txt).  [default: all]",
)
@instance_option
@format_option
def triplets(
    path: Path,
    recipe: str | None,
    changes: tuple[str, ...],
    holdout: float,
    split: Literal["train", "validation"],
    specter_data: Path | None,
    queries: Path | None,
    instance: str | None,
    output: Output,
    **settings: object,
) -> None:
    """Mine training triplets (query, positive, negative) into a file.

    The queries are the papers of --split. By default a query cites its positives; a hard negative
    is cited by a paper that the query cites, but not by the query. The same corpus and seed give
    the same file, whatever the order of loading.

    \b
    Example:  specter-graph triplets -o triplets.parquet
              specter-graph triplets -o triplets.parquet --recipe head --set triplets.hard=0
              specter-graph triplets -o t.parquet --set triplets.source=co_citation
              specter-graph triplets -o validation.jsonl.gz --split validation --format json
              specter-graph triplets -o t.parquet --specter-data data.json --query-ids train.txt
    """
    chosen = _resolve_recipe(recipe or "full", changes, settings)
    if queries and not specter_data:
        raise click.UsageError("--query-ids needs --specter-data.")
    if specter_data:
        from specter_graph import SpecterDataTriplets

        read = SpecterDataTriplets(
            specter_data,
            queries,
            per_query=chosen.triplets.per_query,
            hard=chosen.triplets.hard,
            seed=chosen.training.seed,
        )
        read.write(path)
        counts = asdict(read.report)
        output.show({"file": str(path), **counts}, lambda: _print_specter_data(path, counts))
        return
    with open_graph(instance) as graph, progress_bar() as progress:
        stream = graph.triplets(
            chosen.triplets,
            seed=chosen.training.seed,
            split=split,
            holdout=holdout,
            progress=progress,
        )
        stream.write(path)
    report = stream.report
    output.show({"file": str(path), **report.to_json()}, lambda: _print_triplets(path, report))


@click.command()
@output_option(FOLDER, required=False)
@_recipe_options("full with a GPU, head without")
@click.option("--print-recipe", is_flag=True, help="Print the recipe with all settings, and stop.")
@click.option(
    "--base",
    metavar="NAME",
    show_default="the recipe's",
    help="Model to start from: a hub name, a path, or a model directory of mode full.",
)
@click.option(
    "--loss",
    type=click.Choice(["triplet", "contrastive"]),
    show_default="the recipe's",
    help="SPECTER's triplet margin loss, or InfoNCE over the batch and the mined negatives.",
)
@click.option("--epochs", type=click.IntRange(1), help="Passes over the triplets.")
@click.option(
    "--controls/--no-controls",
    default=None,
    show_default="the recipe's",
    help="Also train without hard negatives and on shuffled positives.",
)
@click.option(
    "--base-space",
    metavar="NAME",
    default="base",
    show_default=True,
    help="Space that stores the base vectors of a head; use one space for each base.",
)
@click.option(
    "--triplets",
    type=FILE,
    metavar="FILE",
    help="Train on the triplets of this file (see `triplets`) instead of mining them.",
)
@click.option(
    "--validation-triplets",
    "validation",
    type=FILE,
    metavar="FILE",
    help="Triplets that select the best epoch.  [default: mined]",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted training.")
@holdout_option
@instance_option
@format_option
def train(
    path: Path | None,
    recipe: str | None,
    changes: tuple[str, ...],
    print_recipe: bool,
    base_space: str,
    triplets: Path | None,
    validation: Path | None,
    resume: bool,
    holdout: float,
    instance: str | None,
    output: Output,
    **settings: object,
) -> None:
    """Train an encoder on triplets mined from the graph or read from a file.

    \b
    Example:  specter-graph train -o model
              specter-graph train -o model --recipe full --epochs 1 --resume
              specter-graph train -o model --recipe specter --set micro_batch=16
              specter-graph train -o model --set triplets.per_query=10
              specter-graph train -o model --triplets triplets.parquet --recipe specter
              specter-graph train --recipe head --set features=null --print-recipe
    """
    chosen = _resolve_recipe(recipe, changes, settings)
    if print_recipe:
        click.echo(chosen.to_yaml(), nl=False)
        return
    if path is None:
        raise click.UsageError("Missing option '-o' / '--output': the folder to write.")
    from specter_graph.encoder.device import is_main_process

    with open_graph(instance) as graph, progress_bar() as progress:
        record = graph.train(
            path,
            chosen,
            triplets=triplets,
            validation=validation,
            base_space=base_space,
            holdout=holdout,
            resume=resume,
            progress=progress,
        )
    if is_main_process():
        output.show(record.model_dump(mode="json"), lambda: _print_training(path, record))


@click.command()
@model_option
@space_option(shown="specter; base for an untrained base")
@click.option(
    "--pooling",
    type=click.Choice(["cls", "mean", "max"]),
    show_default="as in its folder",
    help="Pooling of the tokens of an untrained base.",
)
@dimension_option
@click.option(
    "--quantize/--no-quantize",
    default=None,
    show_default="as it is; on for a new index",
    help="Store one byte per dimension in the index.",
)
@click.option(
    "--hnsw-m", type=click.IntRange(1, 512), metavar="M", help="Maximum links of a vector (HNSW)."
)
@click.option(
    "--hnsw-ef",
    type=click.IntRange(1, 3200),
    metavar="N",
    help="Neighbors considered when a vector is linked (HNSW).",
)
@precision_option
@instance_option
@format_option
def embed(
    model: str | None,
    space: str | None,
    pooling: Literal["cls", "mean", "max"] | None,
    dimension: int | None,
    quantize: bool | None,
    hnsw_m: int | None,
    hnsw_ef: int | None,
    precision: "Literal['auto'] | Precision",
    instance: str | None,
    output: Output,
) -> None:
    """Embed the papers that are new or changed, and index the vectors.

    Without --model, the model that made the space is used. To embed files, see `embed-files`.

    \b
    Example:  specter-graph embed --model model
              specter-graph embed --space base --no-quantize --hnsw-m 24
              specter-graph embed --model model --dimension 128 --space small
              specter-graph embed --pooling max --space base_max
    """
    from specter_graph import IndexSettings

    index = IndexSettings(quantize, hnsw_m, hnsw_ef)
    with open_graph(instance) as graph, progress_bar() as progress:
        encoder = graph.spaces.encoder(space, model=model, pooling=pooling)
        encoder = encoder.truncate(dimension) if dimension else encoder
        encoder.model.precision = precision
        space = space or ("base" if encoder.kind == "base" else "specter")
        summary = graph.embed(encoder, space, index=index, progress=progress)
    if encoder.model.choice:
        click.echo(str(encoder.model.choice), err=True)
    output.show(summary, lambda: _print_embedded(space, summary))


@click.command()
@space_option("base")
@output_space_option("sgc")
@click.option(
    "--propagation-steps",
    type=click.IntRange(1, 8),
    default=1,
    show_default=True,
    help="Number of smoothing steps (k of the paper).",
)
@tune_option
@holdout_option
@instance_option
@format_option
def sgc(
    space: str,
    output_space: str,
    propagation_steps: int,
    tune: bool,
    holdout: float,
    instance: str | None,
    output: Output,
) -> None:
    """Smooth a space over the citation graph (simplified graph convolution).

    --tune tries 1 to 8 steps.

    \b
    Example:  specter-graph sgc
              specter-graph sgc --space specter --output-space sgc_specter --tune
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        record = graph.sgc(
            space,
            output_space=output_space,
            k=None if tune else propagation_steps,
            holdout=holdout,
            progress=progress,
        )
    steps = json.loads(record.sources)["k"]
    output.show(
        asdict(record),
        lambda: click.echo(f"{output_space}: {space} smoothed {steps} times over the citations"),
    )


def _resolve_recipe(
    name: str | None, changes: tuple[str, ...], settings: Mapping[str, object]
) -> "Recipe":
    """Return a recipe, changed by the options and then by `--set`."""
    from specter_graph import default_recipe, read_recipe

    recipe = read_recipe(name) if name else default_recipe()
    given = {_SETTINGS[key]: value for key, value in settings.items() if value is not None}
    # The revision of the recipe belongs to the base of the recipe.
    given |= {"base.revision": None} if "base.name" in given else {}
    return recipe.changed(given | _parse_changes(changes))


def _parse_changes(changes: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of `--set`; values are YAML."""
    import yaml

    values = {}
    for each in changes:
        key, equals, value = each.partition("=")
        try:
            values[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InputError(f"the value of --set {each} is not YAML", "--set epochs=3") from error
        if not equals:
            raise InputError(f"--set {each} has no value", "--set epochs=3")
    return values


def _print_triplets(path: Path, report: "TripletReport") -> None:
    click.echo(f"{path}: {report.triplets:,} triplets of {report.queries:,} queries")
    click.echo(f"  hard negatives: {report.hard:,}; easy in place of hard: {report.fallbacks:,}")
    if len(report.by_source) > 1:
        sources = ", ".join(f"{name} {count:,}" for name, count in report.by_source.items())
        click.echo(f"  sources: {sources}")
    click.echo(f"  papers without a triplet (they have no positive): {report.skipped:,}")


def _print_specter_data(path: Path, counts: dict[str, int]) -> None:
    click.echo(f"{path}: {counts['triplets']:,} triplets of {counts['queries']:,} queries")
    click.echo(f"  hard negatives: {counts['hard']:,}")
    click.echo(f"  queries without a triplet (one count only): {counts['skipped']:,}")
    if counts["missing"]:
        click.echo(f"  queries that data.json does not have: {counts['missing']:,}")


def _print_training(path: Path, record: "ModelRecord") -> None:
    """Print the metrics of a training and its controls."""
    mined = record.triplets
    click.echo(
        f"{path}: mode {record.mode}, {mined.triplets:,} triplets of {mined.queries:,} queries,"
        f" {mined.hard:,} with a hard negative"
    )
    if mined.left_out:
        click.echo(f"  skipped: {mined.left_out:,} triplets with a paper without record or text")
    rows = {"before training": record.epochs[0], f"epoch {record.best_epoch} (best)": record.best}
    rows |= {name.replace("_", " "): metrics for name, metrics in record.controls.items()}
    for name, metrics in rows.items():
        if metrics.validation_accuracy is not None:
            click.echo(
                f"  {name:24} validation triplet accuracy {metrics.validation_accuracy:6.1%},"
                f" loss {metrics.validation_loss:.4f}"
            )
    if record.distilled is not None:
        click.echo(
            f"  {'with distilled SGC':24} validation triplet accuracy {record.distilled:6.1%}"
        )


def _print_embedded(space: str, summary: "EmbedSummary") -> None:
    if summary.replaced:
        click.echo(f"{space}: the vectors of another model were replaced")
    click.echo(
        f"{space}: {summary.embedded:,} papers embedded ({summary.reused:,} from stored base"
        f" vectors), {summary.unchanged:,} unchanged, {summary.seconds:.1f} s"
    )
    if summary.untitled:
        click.echo(f"{space}: {summary.untitled:,} papers without a title skipped", err=True)
