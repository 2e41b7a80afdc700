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
    split_option,
)
from specter_graph.cli.terminal import print_results, progress_bar

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
@split_option
@scored_holdout_option
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="What to draw.")
@json_option
@instance_option
def baseline(
    name: str | None,
    listed: bool,
    space: str | None,
    tune: bool,
    min_count: int,
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
    from specter_graph.baselines import BASELINES

    if listed or name is None:
        _show_list(BASELINES, as_json)
        return
    with open_graph(instance) as graph, progress_bar() as progress:
        if name in BASELINES and BASELINES[name].rank:
            ranked = graph.rank_baseline(name, split=split, holdout=holdout, seed=seed)
            _show_ranked(name, ranked, as_json)
            return
        built = graph.baseline(
            name,
            space=space,
            tune=tune,
            min_count=min_count,
            word_vectors=word_vectors,
            model=model,
            holdout=holdout,
            seed=seed,
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(asdict(built)))
        return
    for settings, value in built.tried:
        click.echo(f"  {value:.4f}  {_format_settings(settings)}")
    click.echo(
        f"{built.space}: {built.papers:,} papers, {built.dimension} dimensions"
        f" {_format_settings(built.settings)}"
    )


def _show_list(rows: "dict[str, Baseline]", as_json: bool) -> None:
    if as_json:
        listed = {name: {"about": row.about, "needs": row.needs} for name, row in rows.items()}
        click.echo(json.dumps(listed))
        return
    for name, row in rows.items():
        click.echo(f"{name:18} {row.about}")
        if row.needs:
            open_ = "" if row.build or row.rank else "open: "
            click.echo(f"{'':18}   {open_}needs {row.needs}")


def _show_ranked(name: str, ranked: "RankedBaseline", as_json: bool) -> None:
    from specter_graph.evaluation.report.table import Cell, Table, interval_cell, text_cell

    rows = [
        [
            text_cell(f"{task} {metric}"),
            interval_cell(interval),
            Cell(ranked.queries[task], f"{ranked.queries[task]:,}"),
        ]
        for task, by_metric in ranked.scores.items()
        for metric, interval in by_metric.items()
    ]
    table = Table(["figure", name, "queries"], rows)
    print_results(table, asdict(ranked), as_json=as_json, as_markdown=False)


def _format_settings(settings: dict[str, object]) -> str:
    shown = (f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v}" for k, v in settings.items())
    return " ".join(shown)
