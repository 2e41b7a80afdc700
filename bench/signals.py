"""Train heads on one signal each, as Table 3 of the SPECTER paper does with whole Transformers.

    specter-graph load jsonl citeulike.jsonl.gz --instance citeulike
    specter-graph load readers readers.jsonl --instance citeulike
    specter-graph embed --space base --instance citeulike
    python bench/signals.py --instance citeulike -o table.md [--seeds 3] [--epochs 5]
                            [--models FOLDER]

Trains a head (recipe `head`, five epochs by default) for each signal and seed. The epoch is
selected on triplets of validation papers of the same signal. The spaces SIGNAL_SEED are scored on
the test papers, by citations, co-citations, and papers that readers saved together, including the
last reading of each reader. Triplets contain no reading of a test paper and no last reading. The
row of a signal that the graph lacks remains open. Existing spaces are reused.
"""

import tempfile
from pathlib import Path
from typing import Any

import click

from specter_graph.cli.options import open_graph
from specter_graph.core.statistics import Interval
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.recipe import read_recipe
from specter_graph.evaluation.metrics.task_results import paired_bootstrap
from specter_graph.evaluation.report.table import TITLES
from specter_graph.literature_graph import LiteratureGraph

SIGNALS: dict[str, dict[str, Any]] = {
    "citations": {},
    "co_citation": {"triplets.source": "co_citation"},
    "co_view": {"triplets.source": "co_view"},
    "co_read": {"triplets.source": "co_read"},
    "multitask": {"triplets.source": "multitask"},
}
FIGURES = {
    "cite": "map",
    "cite-short": "map",
    "cocite": "map",
    "cocite-short": "map",
    "retrieval": "recall@100",
    "coview": "map",
    "coview-last": "map",
    "coread": "map",
    "coread-last": "map",
}
"""Metrics by task; tasks with `short` have queries with 1 to 4 references."""
OPEN = "open: the graph has no such data"

Figures = dict[str, tuple[Interval, Interval]]
"""Metrics and their differences from the base, by task."""


def train_heads(
    graph: LiteratureGraph, signal: str, seeds: int, epochs: int, models: Path
) -> list[str]:
    """Train a head for each seed and embed all papers; return the spaces, none without triplets."""
    created = {record.name for record in graph.spaces.list()}
    spaces = []
    for seed in range(seeds):
        recipe = read_recipe("head").changed({"epochs": epochs, "seed": seed, **SIGNALS[signal]})
        space = f"{signal}_{seed}"
        if space not in created:
            if not any(batch.num_rows for batch in graph.triplets(recipe.triplets, seed=seed)):
                return []
            record = graph.train(models / space, recipe)
            graph.embed(Encoder.load(models / space), space)
            accuracy = [round(100 * (each.validation_accuracy or 0), 1) for each in record.epochs]
            click.echo(f"{space}: validation accuracy by epoch {accuracy}", err=True)
        spaces.append(space)
    return spaces


def score(graph: LiteratureGraph, systems: dict[str, list[str]]) -> dict[str, Figures]:
    """Score the base and all systems on citations and readings."""
    names = ["base", *(",".join(spaces) for spaces in systems.values())]
    held_out = graph.evaluate.held_out(names, compare_to="base")
    tasks = graph.evaluate.tasks(names)
    figures: dict[str, Figures] = {}
    for signal, system in zip(["base", *systems], held_out.spaces, strict=True):
        row: Figures = figures.setdefault(signal, {})
        differences = held_out.differences.get(system, {})
        for task, metric in FIGURES.items():
            if task in held_out.spaces[system]:
                value = held_out.spaces[system][task][metric]
                row[task] = value, differences.get(task, {}).get(metric, Interval(0, 0, 0))
            elif task in tasks[system]:
                one, base = (tasks[name][task].metrics[metric] for name in (system, "base"))
                row[task] = (
                    tasks[system][task].intervals()[metric],
                    paired_bootstrap(one, base),
                )
    queries = held_out.queries | {name: len(task.items) for name, task in tasks["base"].items()}
    click.echo(f"queries: {queries}", err=True)
    return figures


def markdown(figures: dict[str, Figures], signals: list[str]) -> str:
    """Return the table; ▲ is better and ▼ worse than the base."""
    tasks = [task for task in FIGURES if task in figures["base"]]
    lines = [["trained on", *(f"{task} {TITLES[FIGURES[task]]}" for task in tasks)]]
    lines.append(["---", *("---:" for _ in tasks)])
    for signal in ("base", *signals):
        name = "(base)" if signal == "base" else signal.replace("_", "-")
        row = figures.get(signal)
        lines.append([name, *(_cell(*row[task]) if row else OPEN for task in tasks)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(shown: Interval, difference: Interval) -> str:
    mark = (" ▲" if difference.low > 0 else " ▼") if difference.excludes_zero() else ""
    value, low, high = (100 * each for each in (shown.value, shown.low, shown.high))
    return f"{value:.1f}{mark} ({low:.1f}-{high:.1f})"


@click.command()
@click.option("--instance", default="citeulike", show_default=True, help="Local instance.")
@click.option("--seeds", default=3, show_default=True, help="Number of seeds.")
@click.option("--epochs", default=5, show_default=True, help="Epochs of each head.")
@click.option("--models", type=click.Path(path_type=Path), help="Folder for the models.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Table file.")
def main(instance: str, seeds: int, epochs: int, models: Path | None, output: Path) -> None:
    """Train, score and write the table."""
    created: dict[str, list[str]] = {}
    with open_graph(instance) as graph, tempfile.TemporaryDirectory() as folder:
        for signal in SIGNALS:
            parts = [name for name in ("co_view", "co_read", "co_citation") if created.get(name)]
            is_trainable = signal != "multitask" or len(parts) > 1
            created[signal] = []
            if is_trainable:
                created[signal] = train_heads(graph, signal, seeds, epochs, models or Path(folder))
        figures = score(graph, {signal: spaces for signal, spaces in created.items() if spaces})
    output.write_text(markdown(figures, list(SIGNALS)))


if __name__ == "__main__":
    main()
