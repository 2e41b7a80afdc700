"""`triplets`, `train`, `embed` and `sgc`: from the citation graph to embedding spaces."""

from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    FOLDER,
    Option,
    dimension_option,
    document_prompt_option,
    flag,
    graph_command,
    graph_options,
    grouped_options,
    holdout_option,
    model_option,
    open_graph,
    option,
    output_option,
    output_space_option,
    precision_option,
    query_prompt_option,
    ray_options,
    refuse_given,
    space_option,
    tune_option,
)
from specter_graph.cli.output import Output, progress_bar
from specter_graph.core.errors import InputError, counted
from specter_graph.core.progress import Progress

if TYPE_CHECKING:
    from specter_graph.core.parts import Workers

_SETTINGS = {"seed": "seed", "triplets_per_query": "triplets.per_query"}
_SETTINGS |= {"hard_negatives": "triplets.hard", "base": "base.name"}
_SETTINGS |= {name: name for name in ("loss", "epochs")}
"""Options that set a value of the recipe, and the keys of the settings."""


def _resolve_recipe(recipe: str, changes: tuple[str, ...], **settings: object) -> "sg.Recipe":
    """Return a recipe, changed by the options and then by `--set`."""
    given = {_SETTINGS[key]: value for key, value in settings.items() if value is not None}
    # The revision of the recipe belongs to the base of the recipe.
    given |= {"base.revision": None} if "base.name" in given else {}
    return sg.read_recipe(recipe).changed(given | _parse_changes(changes))


def _parse_changes(changes: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of `--set`; values are YAML."""
    from specter_graph.encoder.recipe import parse_yaml

    values = {}
    for change in changes:
        key, equals, value = change.partition("=")
        try:
            values[key] = parse_yaml(value)
        except InputError as error:
            raise InputError(
                f"the value of --set {change} is not YAML", "--set epochs=3"
            ) from error
        if not equals:
            raise InputError(f"--set {change} has no value", "--set epochs=3")
    return values


def _recipe_options(default: str, *more: Option[Any]) -> Option[Any]:
    """Add the options that choose and change a recipe; the command gets `recipe`."""
    return grouped_options(
        "recipe",
        _resolve_recipe,
        option(
            "--recipe",
            "Recipe: head (linear, on frozen base vectors), full (the whole Transformer),"
            " contrastive, specter, arxiv, reranker, or a YAML file.",
            "NAME|FILE",
            default,
        ),
        option("--set changes", "Change a setting of the recipe.", "KEY=VALUE", multiple=True),
        option("--seed", "Random seed.", click.IntRange(0), shown="the recipe's"),
        option(
            "--triplets-per-query",
            "Triplets per query paper.",
            click.IntRange(1),
            shown="the recipe's",
        ),
        option(
            "--hard-negatives",
            "Triplets per query paper with a hard negative.",
            click.IntRange(0),
            shown="the recipe's",
        ),
        *more,
    )


@click.command()
@output_option()
@_recipe_options("full")
@holdout_option
@option("--split", "Split of the papers.", ("train", "validation"), "train")
@option(
    "--specter-data",
    "Read SPECTER's data.json instead of a graph; metadata.json is read from its folder.",
    FILE,
)
@option(
    "--query-ids queries", "Queries of --specter-data, one per line (train.txt).", FILE, shown="all"
)
@graph_options
def triplets(
    path: Path,
    holdout: float,
    split: Any,
    specter_data: Path | None,
    queries: Path | None,
    recipe: "sg.Recipe",
    instance: str | None,
    output: Output,
) -> None:
    """Mine training triplets into a file.

    A triplet is a query, a positive and a negative paper. The file is .parquet, .jsonl,
    .jsonl.gz or .jsonl.zst. The queries are the papers of --split. By default a query cites its
    positives; a hard negative is cited by a paper that the query cites, but not by the query.
    The same corpus and seed give the same file, whatever the order of loading.

    \b
    Example:  specter-graph triplets -o triplets.parquet
              specter-graph triplets -o triplets.parquet --recipe head --set triplets.hard=4
              specter-graph triplets -o t.parquet --set triplets.source=co_citation
              specter-graph triplets -o validation.jsonl.gz --split validation --format json
              specter-graph triplets -o t.parquet --specter-data data.json --query-ids train.txt
    """
    if queries and not specter_data:
        raise click.UsageError("--query-ids needs --specter-data.")
    if specter_data:
        read = sg.SpecterDataTriplets(
            specter_data,
            queries,
            per_query=recipe.triplets.per_query,
            hard=recipe.triplets.hard,
            seed=recipe.training.seed,
        )
        read.write(path)
        counts = asdict(read.report)
    else:
        with open_graph(instance) as graph, progress_bar() as progress:
            seed = recipe.training.seed
            stream = graph.triplets(
                recipe.triplets, seed=seed, split=split, holdout=holdout, progress=progress
            )
            stream.write(path)
        counts = asdict(stream.report)
    output.show({"file": str(path), **counts})


@click.command()
@output_option(FOLDER, required=False)
@_recipe_options(
    "head",
    option(
        "--base",
        "Model to start from: a hub name, a path, or a model directory of mode full.",
        "NAME",
        shown="the recipe's",
    ),
    option(
        "--loss",
        "SPECTER's triplet margin loss, or InfoNCE over the batch and the mined negatives.",
        ("triplet", "contrastive"),
        shown="the recipe's",
    ),
    option("--epochs", "Passes over the triplets.", click.IntRange(1), shown="the recipe's"),
)
@flag("--print-recipe", "Print the recipe with all settings, and stop.")
@option(
    "--base-space",
    "Space that stores the base vectors of a head; use one space for each base.",
    "NAME",
    "base",
)
@option(
    "--triplets",
    "Train on the triplets of this file (see `triplets`) instead of mining them.",
    FILE,
)
@option(
    "--validation-triplets validation", "Triplets that select the best epoch.", FILE, shown="mined"
)
@flag("--resume", "Fail if an interrupted training has other settings, instead of starting again.")
@holdout_option
@ray_options
@graph_options
def train(
    path: Path | None,
    recipe: "sg.Recipe",
    print_recipe: bool,
    workers: "AbstractContextManager[Workers | None]",
    instance: str | None,
    output: Output,
    **options: Any,
) -> None:
    """Train an encoder on triplets.

    The triplets are mined from the graph, or read from a file. Run an interrupted command again
    to continue it.

    \b
    Example:  specter-graph train -o model
              specter-graph train -o model --recipe full --epochs 1
              specter-graph train -o model --recipe specter --set micro_batch=16
              specter-graph train -o reranker --recipe reranker
              specter-graph train -o model --set triplets.per_query=10
              specter-graph train -o model --triplets triplets.parquet --recipe specter
              specter-graph train -o model --recipe full --ray local
              specter-graph train --recipe head --set features=null --print-recipe
    """
    if options["triplets"]:
        refuse_given("--triplets", "triplets_per_query", "hard_negatives")
    if print_recipe:
        click.echo(recipe.to_yaml(), nl=False)
        return
    if path is None:
        raise click.UsageError("Missing option '-o' / '--output': the folder to write.")
    from specter_graph.encoder.device import is_main_process

    with workers as given:
        if given:
            record = sg.train_on_ray(given, path, recipe, instance=instance, **options)
        else:
            with open_graph(instance) as graph, progress_bar() as progress:
                record = graph.train(path, recipe, **options, progress=progress)
    if is_main_process():
        output.show(record.model_dump(mode="json"), lambda _: _print_training(path, record))


@click.command()
@model_option("that of the space; offline MiniLM for a new space")
@space_option(shown="specter; base or static for an untrained model")
@option(
    "--pooling",
    "Pooling of the tokens of an untrained base.",
    ("cls", "mean", "max"),
    shown="as in its folder",
)
@grouped_options("prompts", dict, document_prompt_option, query_prompt_option)
@dimension_option
@option(
    "--quantize/--no-quantize",
    "Store one byte per dimension in the index.",
    shown="unchanged; on for a new index, except before Neo4j 2026",
)
@option(
    "--hnsw-m m",
    "Maximum links of a vector in the index (M of HNSW).",
    click.IntRange(1, 512),
    shown="unchanged; 16 for a new index",
    metavar="M",
)
@option(
    "--hnsw-ef ef",
    "Neighbors considered when a vector is linked in the index (ef_construction of HNSW).",
    click.IntRange(1, 3200),
    shown="unchanged; 50 for a new index",
    metavar="N",
)
@precision_option
@ray_options
@graph_command(progress=True)
def embed(
    graph: "sg.LiteratureGraph",
    model: str | None,
    space: str | None,
    pooling: Any,
    prompts: dict[str, str | None],
    dimension: int | None,
    precision: Any,
    workers: "AbstractContextManager[Workers | None]",
    progress: Progress,
    **index: Any,
) -> object:
    """Embed new and changed papers, and index the vectors.

    Without --model, the model of the space is used. Without --model, --pooling and --space, the
    space is the one that `search` uses. To embed files, see `embed-files`. Models such as E5 and
    BGE expect a prompt before papers or queries; it is stored with the space. The model `static` is
    distilled from MiniLM once: no Transformer runs, so it is the fastest.

    \b
    Example:  specter-graph embed --model model
              specter-graph embed --model static
              specter-graph embed --space base --no-quantize --hnsw-m 24
              specter-graph embed --model model --dimension 128 --space small
              specter-graph embed --pooling max --space base_max
              specter-graph embed --model model --ray local
              specter-graph embed --model e5-small-v2 --space e5 --document-prompt "passage: " \
--query-prompt "query: "
    """
    if not (model or pooling or space):
        space = graph.spaces.default()
    is_new = all(space != record.name for record in graph.spaces.list())
    encoder = graph.spaces.open_encoder(
        None if is_new else space, model=model, pooling=pooling, **prompts
    )
    encoder = encoder.truncate(dimension) if dimension else encoder
    encoder.model.precision = precision
    base_space = "static" if encoder.model.folder.is_static else "base"
    space = space or (base_space if encoder.kind == "base" else "specter")
    with workers as given:
        summary = graph.embed(
            encoder, space, index=sg.IndexSettings(**index), workers=given, progress=progress
        )
    if encoder.model.choice:
        click.echo(str(encoder.model.choice), err=True)
    return summary


@click.command()
@space_option("base")
@output_space_option("sgc")
@option("--steps", "Number of smoothing steps (k of the paper).", click.IntRange(1, 8), 1)
@tune_option
@holdout_option
@ray_options
@graph_command(progress=True)
def sgc(
    graph: "sg.LiteratureGraph",
    space: str,
    steps: int,
    tune: bool,
    workers: "AbstractContextManager[Workers | None]",
    **settings: Any,
) -> object:
    """Smooth a space over the citation graph.

    The method is SGC (simple graph convolution). --tune tries 1 to 8 steps.

    \b
    Example:  specter-graph sgc
              specter-graph sgc --space specter --output-space sgc_specter --tune
    """
    with workers as given:
        return graph.sgc(space, steps=None if tune else steps, workers=given, **settings)


def _print_training(path: Path, record: "sg.ModelRecord") -> None:
    """Print the metrics of a training."""
    mined = record.triplets
    click.echo(
        f"{path}: mode {record.mode}, {counted(mined.triplets, 'triplet')} of"
        f" {counted(mined.queries, 'query', 'queries')},"
        f" {mined.hard:,} with a hard negative"
    )
    if mined.skipped:
        click.echo(
            f"  skipped: {counted(mined.skipped, 'triplet')} with a paper without record or text"
        )
    rows = {"before training": record.epochs[0], f"epoch {record.best_epoch} (best)": record.best}
    for name, metrics in rows.items():
        if metrics.validation_accuracy is not None:
            click.echo(
                f"  {name:24} validation triplet accuracy {metrics.validation_accuracy:6.1%}"
                + (f", loss {metrics.validation_loss:.4f}" if metrics.validation_loss else "")
            )
    base_share = record.settings.get("base_share")
    if record.distilled is not None:
        parts = "distilled SGC and base" if base_share else "distilled SGC"
        click.echo(f"  {f'with {parts}':24} validation triplet accuracy {record.distilled:6.1%}")
    if base_share:
        click.echo(f"  few citations: the base has a share of {base_share:.0%} in the vectors")
