"""`baseline`: the systems that SPECTER is compared with."""

from dataclasses import asdict
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    format_option,
    graph_options,
    open_graph,
    option,
    output_option,
    refuse_given,
    scored_holdout_option,
    seed_option,
    split_option,
    strip_id_prefix_option,
    tune_option,
)
from specter_graph.cli.output import Output, progress_bar


@click.group()
def baseline() -> None:
    """Run baselines: systems that SPECTER is compared with.

    \b
    Example:  specter-graph baseline list
              specter-graph baseline run tfidf --tune
    """


@baseline.command("list")
@format_option
def list_(output: Output) -> None:
    """List the baselines and what they need.

    \b
    Example:  specter-graph baseline list
    """
    from specter_graph.baselines.registry import BASELINES

    rows = [
        {"name": name, "about": row.about, "needs": row.needs} for name, row in BASELINES.items()
    ]

    def text(_: Any) -> None:
        for row in rows:
            click.echo(f"{row['name']:18} {row['about']}")
            if row["needs"]:
                click.echo(f"{'':18}   needs {row['needs']}")

    output.show(rows, text)


@baseline.command()
@click.argument("name")
@option("--space", "Embedding space.", "NAME", shown="the baseline's name")
@tune_option
@option("--min-count", "Minimum frequency of a word for fastText.", click.IntRange(1), 25)
@option(
    "--word-vectors",
    "Word vectors of fastText (.bin).",
    FILE,
    shown="trained on the training papers",
)
@option(
    "--weights model",
    "Folder with the weights, or another hub name.",
    "NAME",
    shown="as released, from the Hugging Face Hub",
)
@output_option(required=False, shown="none")
@strip_id_prefix_option
@split_option
@scored_holdout_option
@seed_option
@graph_options
def run(name: str, split: Any, output: Output, instance: str | None, **options: Any) -> None:
    """Build the space of a baseline, or score a ranking baseline.

    A ranking baseline has no space. --tune tries the grid of the paper. Score spaces with
    `evaluate`. -o also writes the vectors to a .jsonl, .jsonl.gz or .parquet file, for
    `evaluate scidocs --vectors` or another program.

    \b
    Example:  specter-graph baseline run tfidf --tune
              specter-graph baseline run scibert --weights scibert_scivocab_uncased
              specter-graph baseline run sif -o sif.jsonl --strip-id-prefix
              specter-graph baseline run bm25
    """
    from specter_graph.baselines.registry import BASELINES, SETTINGS

    if row := BASELINES.get(name):
        of_spaces = ("space", "path", "strip_id_prefix") if row.rank else ("split",)
        refuse_given(name, *of_spaces, *(each for each in SETTINGS if each not in row.takes))
    if options["word_vectors"]:
        refuse_given("--word-vectors", "min_count")
    with open_graph(instance) as graph, progress_bar() as progress:
        if row and row.rank:
            scoring = {key: options[key] for key in ("holdout", "seed")}
            ranked = graph.evaluate.baseline(name, split=split, **scoring)
            _show_ranked(name, ranked, output)
            return
        built = graph.spaces.build_baseline(name, **options, progress=progress)
    output.show(built)


def _show_ranked(name: str, ranked: "sg.RankedBaseline", output: Output) -> None:
    from specter_graph.evaluation.report.table import Cell, ResultTable, interval_cell, text_cell

    rows = [
        [
            text_cell(f"{task} {metric}"),
            interval_cell(interval),
            Cell(ranked.queries[task], f"{ranked.queries[task]:,}"),
        ]
        for task, by_metric in ranked.scores.items()
        for metric, interval in by_metric.items()
    ]
    output.show_table(asdict(ranked), ResultTable(["figure", name, "queries"], rows))
