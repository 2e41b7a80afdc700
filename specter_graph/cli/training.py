"""`triplets`: what a model is trained from."""

import json
from pathlib import Path

import click

from specter_graph.cli.options import (
    holdout_option,
    instance_option,
    json_option,
    open_graph,
)
from specter_graph.cli.recipes import recipe_options, told_recipe
from specter_graph.cli.terminal import progress_bar


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="Where to: .parquet, .jsonl, .jsonl.gz or .jsonl.zst.",
)
@recipe_options("full, that is the paper's triplets")
@holdout_option
@click.option(
    "--split",
    type=click.Choice(["train", "validation"]),
    default="train",
    show_default=True,
    help="Whose triplets: of the training or of the validation papers.",
)
@instance_option
@json_option
def triplets(
    output: Path,
    config: str | None,
    changes: tuple[str, ...],
    seed: int | None,
    per_query: int | None,
    hard: int | None,
    holdout: float,
    split: str,
    instance: str | None,
    as_json: bool,
) -> None:
    """Mine the triplets (query, positive, negative) that `train` learns on, into a file.

    By default a query cites its positives; a hard negative is cited by a paper that the query
    cites, but not by the query. The same corpus and the same seed give the same file, in whatever
    order the corpus was loaded.

    \b
    Example:  specter-graph triplets -o triplets.parquet
              specter-graph triplets -o triplets.parquet --config head --set triplets.hard=0
              specter-graph triplets -o t.parquet --set triplets.source=co_citation
              specter-graph triplets -o validation.jsonl.gz --split validation --json
    """
    from specter_graph.graph.triplets.files import check_path, write_triplets

    check_path(output)
    options = {"seed": seed, "triplets.per_query": per_query, "triplets.hard": hard}
    recipe = told_recipe(config or "full", changes, options)
    with open_graph(instance) as graph, progress_bar() as progress:
        stream = graph.triplets(
            recipe.triplets,
            seed=recipe.training.seed,
            split="validation" if split == "validation" else "train",
            holdout=holdout,
            progress=progress,
        )
        write_triplets(stream, output)
    report = stream.report
    if as_json:
        click.echo(json.dumps({"file": str(output), **report.to_json()}))
        return
    click.echo(f"{output}: {report.triplets:,} triplets of {report.queries:,} queries")
    click.echo(f"  hard negatives: {report.hard:,}; easy in place of hard: {report.fallbacks:,}")
    if len(report.by_source) > 1:
        sources = ", ".join(f"{name} {count:,}" for name, count in report.by_source.items())
        click.echo(f"  of the sources: {sources}")
    click.echo(f"  papers without a triplet (they have no positive): {report.skipped:,}")
