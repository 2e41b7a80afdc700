"""`baseline`: the systems that SPECTER is compared with."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import (
    instance_option,
    json_option,
    open_graph,
    scored_holdout_option,
)
from specter_graph.cli.terminal import print_grid, progress_bar

if TYPE_CHECKING:
    from specter_graph.baselines import Baseline, RankedBaseline
    from specter_graph.graph.split import HeldOutSplit


@click.command()
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="List the baselines.")
@click.option("--space", metavar="NAME", help="The space to make.  [default: the baseline's name]")
@click.option("--tune", is_flag=True, help="Try the paper's grid, and keep the best on validation.")
@click.option(
    "--min-count",
    "least",
    type=click.IntRange(1),
    default=25,
    show_default=True,
    help="How often a word must occur for fastText to learn it.",
)
@click.option(
    "--word-vectors",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A .bin of fastText.  [default: trained on the training papers]",
)
@click.option(
    "--model",
    metavar="NAME",
    help="A folder with the weights, or another hub name.  [default: as released, from the hub]",
)
@click.option(
    "--split",
    type=click.Choice(["test", "validation"]),
    default="test",
    show_default=True,
    help="What a ranker is scored on.",
)
@scored_holdout_option
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="What to draw.")
@json_option
@instance_option
def baseline(
    name: str | None,
    listed: bool,
    space: str | None,
    tune: bool,
    least: int,
    word_vectors: Path | None,
    model: str | None,
    split: "HeldOutSplit",
    holdout: float | None,
    seed: int,
    as_json: bool,
    instance: str | None,
) -> None:
    """Make the space of a baseline, to be scored by `evaluate`; or score one that only ranks.

    \b
    Example:  specter-graph baseline --list
              specter-graph baseline tfidf --tune
              specter-graph baseline scibert --model scibert_scivocab_uncased
              specter-graph baseline bm25
    """
    from specter_graph.baselines import CATALOGUE

    if listed or name is None:
        _show_list(CATALOGUE, as_json)
        return
    with open_graph(instance) as graph, progress_bar() as progress:
        if name in CATALOGUE and CATALOGUE[name].way == "ranking":
            ranked = graph.rank_baseline(name, split=split, holdout=holdout, seed=seed)
            _show_ranked(name, ranked, as_json)
            return
        made = graph.baseline(
            name,
            space=space,
            tune=tune,
            least=least,
            word_vectors=word_vectors,
            model=model,
            holdout=holdout,
            seed=seed,
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(asdict(made)))
        return
    for settings, value in made.tried:
        click.echo(f"  {value:.4f}  {_told(settings)}")
    click.echo(
        f"{made.space}: {made.papers:,} papers, {made.dimension} dimensions {_told(made.settings)}"
    )


def _show_list(rows: "dict[str, Baseline]", as_json: bool) -> None:
    if as_json:
        told = {name: {"about": row.about, "needs": row.needs} for name, row in rows.items()}
        click.echo(json.dumps(told))
        return
    for name, row in rows.items():
        click.echo(f"{name:18} {row.about}")
        if row.needs:
            open_ = "open: " if row.way == "open" else ""
            click.echo(f"{'':18}   {open_}needs {row.needs}")


def _show_ranked(name: str, ranked: "RankedBaseline", as_json: bool) -> None:
    from specter_graph.evaluation.grid import Grid, percent

    if as_json:
        click.echo(json.dumps(asdict(ranked)))
        return
    rows = [
        [
            f"{task} {metric}",
            f"{percent(each.value, 1)} ({percent(each.low, 1)}-{percent(each.high, 1)})",
            f"{ranked.queries[task]:,}",
        ]
        for task, by_metric in ranked.scores.items()
        for metric, each in by_metric.items()
    ]
    print_grid(Grid(["figure", name, "queries"], rows), as_markdown=False)


def _told(settings: dict[str, object]) -> str:
    shown = (f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v}" for k, v in settings.items())
    return " ".join(shown)
