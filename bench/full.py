"""Fine-tune whole Transformers: the main experiment and Table 2 of the SPECTER paper.

    specter-graph load jsonl hepph.jsonl.gz --instance hepph
    python bench/full.py inputs inputs.pickle --instance hepph
    python bench/full.py train inputs.pickle -o runs.jsonl --vectors vectors --workers 6
    python bench/full.py heads inputs.pickle vectors/*.npy -o heads.jsonl
    python bench/full.py table runs.jsonl -o table.md

    python bench/full.py random-weights random      # another initialization
    python bench/full.py train inputs.pickle -o random.jsonl --base random --only "triplet, 1 epoch"

`train` needs no database, so that it can run on another machine with a GPU: copy the file of inputs
there, and the lines that it writes back. It trains the variants in their order and scores each
model on the validation and test papers. Runs that are in the file of runs are not repeated. Texts
have 128 tokens, also for the base. `heads` trains the recipe `head` on stored vectors.
"""

import json
import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
import pyarrow as pa

from specter_graph.core.statistics import Interval
from specter_graph.core.triplet_settings import Source, validation_source
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.recipe import FullSettings, HeadSettings, Recipe, read_recipe
from specter_graph.encoder.static_model import load_base
from specter_graph.evaluation.protocols.held_out import (
    HeldOutData,
    Scores,
    nonempty_rankings,
    score,
    score_intervals,
    stack_seeds,
)
from specter_graph.loaders.records import PaperText

PARTS = ("title", "abstract", "venue", "authors")
SETTINGS: dict[str, Any] = {"base.max_length": 128, "micro_batch": 32, "learning_rate": 5e-5}
"""Changes of all variants to the recipe `full`, which has 2 epochs of batches of 32."""

ONE_EPOCH: dict[str, Any] = {"epochs": 1}
CONTRASTIVE: dict[str, Any] = ONE_EPOCH | {
    "loss": "contrastive",
    "batch": 256,
    "learning_rate": 1e-4,
}
# Before the abstract, because most texts are cut at 128 tokens within the abstract.
WITH_VENUE: dict[str, Any] = {"base.parts": ["title", "venue", "abstract"]}
WITH_AUTHORS: dict[str, Any] = {"base.parts": ["title", "authors", "abstract"]}
VARIANTS: dict[str, dict[str, Any] | None] = {
    "base": None,
    "triplet, 1 epoch": ONE_EPOCH,
    "triplet, 2 epochs": {},
    "without abstract": {"base.parts": ["title"]} | ONE_EPOCH,
    "with venue": WITH_VENUE | ONE_EPOCH,
    "with authors": WITH_AUTHORS | ONE_EPOCH,
    "without hard negatives": {"triplets.hard": 0} | ONE_EPOCH,
    "contrastive, rate 1e-4": CONTRASTIVE,
    "contrastive, rate 2e-4": CONTRASTIVE | {"learning_rate": 2e-4},
    "contrastive, rate 1e-4, temperature 0.02": CONTRASTIVE | {"temperature": 0.02},
    "contrastive, rate 1e-4, with authors": CONTRASTIVE | WITH_AUTHORS,
}
"""Changes by variant; the base is not trained."""

METRICS = {
    "cite MAP": ("cite", "map"),
    "cocite MAP": ("cocite", "map"),
    "R@10": ("retrieval", "recall@10"),
    "R@100": ("retrieval", "recall@100"),
    "MRR": ("retrieval", "mrr"),
}

Triplets = tuple[pa.Table, pa.Table]
"""For training and for validation."""


@dataclass(frozen=True)
class Inputs:
    """The inputs of trainings: texts with all parts, triplets by source, and the held-out data."""

    texts: list[PaperText]
    triplets: dict[str, Triplets]
    data: dict[str, HeldOutData]


def recipe_of(changes: dict[str, Any] | None, seed: int = 0, base: str | None = None) -> Recipe:
    """Return the recipe of a variant."""
    return read_recipe("full").changed(
        {**SETTINGS, **(changes or {}), "seed": seed, "base.name": base}
    )


def source_key(source: Source) -> str:
    """Return the key of the triplets of a source."""
    return source.model_dump_json()


@click.group()
def main() -> None:
    """Fine-tune, and compare with the base."""


@main.command()
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
def inputs(output: Path, instance: str) -> None:
    """Write texts, triplets and held-out data of a graph to a file."""
    from specter_graph.cli.options import open_graph
    from specter_graph.evaluation.protocols.space_evaluation import citation_data
    from specter_graph.graph.embeddings.paper_texts import paper_texts
    from specter_graph.graph.split import HOLDOUT

    with open_graph(instance) as graph:

        def mined(source: Source, split: Literal["train", "validation"]) -> pa.Table:
            return pa.Table.from_batches(list(graph.triplets(source, split=split)))

        recipes = [read_recipe("head"), *map(recipe_of, VARIANTS.values())]
        sources = {source_key(recipe.triplets): recipe.triplets for recipe in recipes}
        written = Inputs(
            list(paper_texts(graph.database, None, PARTS, HOLDOUT)),
            {
                key: (mined(each, "train"), mined(validation_source(each), "validation"))
                for key, each in sources.items()
            },
            {
                split: citation_data(graph.database, split, HOLDOUT)
                for split in ("validation", "test")
            },
        )
    output.write_bytes(pickle.dumps(written))


@main.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Runs.")
@click.option("--only", multiple=True, help="Train only this variant; repeatable.")
@click.option("--seeds", default=3, show_default=True, help="Number of seeds.")
@click.option("--workers", default=1, show_default=True, help="Trainings at a time.")
@click.option("--seconds", default=1e9, help="Start no training after this time.")
@click.option("--base", help="Folder of another Transformer; by default MiniLM.")
@click.option("--queries", type=int, help="Train on one triplet for each of N queries.")
@click.option("--vectors", type=click.Path(path_type=Path), help="Folder for the vectors.")
def train(
    source: Path,
    output: Path,
    only: Sequence[str],
    seeds: int,
    workers: int,
    seconds: float,
    base: str | None,
    queries: int | None,
    vectors: Path | None,
) -> None:
    """Train and score the variants; add a line for each run."""
    until = time.time() + seconds
    done = {(run["variant"], run["seed"]) for run in read_runs(output)}
    jobs = [
        (variant, seed)
        for variant in VARIANTS
        for seed in range(seeds if VARIANTS[variant] is not None else 1)
        if (variant, seed) not in done and (not only or variant in only)
    ]
    with (
        ProcessPoolExecutor(workers, get_context("spawn"), _start, (source, workers)) as pool,
        output.open("a") as lines,
    ):
        runs = [pool.submit(run_variant, *job, base, queries, vectors, until) for job in jobs]
        for future in as_completed(runs):
            if run := future.result():
                lines.write(json.dumps(run) + "\n")
                lines.flush()
                click.echo(f"{run['variant']}, seed {run['seed']}: {run['seconds']} s")


_inputs: Inputs
"""The inputs of a worker."""


def _start(source: Path, workers: int) -> None:
    """Read the inputs, and take a share of the cores."""
    import torch

    global _inputs
    _inputs = pickle.loads(source.read_bytes())
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // workers))


def run_variant(
    variant: str,
    seed: int,
    base: str | None,
    queries: int | None,
    vectors: Path | None,
    until: float,
) -> dict[str, Any] | None:
    """Train, encode and score; None if the time is over."""
    if time.time() > until:
        return None
    import torch

    from specter_graph.encoder.encoder import Encoder
    from specter_graph.encoder.finetune import train_full
    from specter_graph.encoder.model_dir import TrainingJob

    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    recipe = recipe_of(VARIANTS[variant], seed, base)
    started = time.monotonic()
    options = recipe.base.model_dump(include={"name", "max_length", "parts"})
    transformer = load_base(options.pop("name"), **options)
    encoder, metrics = Encoder(transformer), []
    with tempfile.TemporaryDirectory() as folder:
        if VARIANTS[variant] is not None:
            model = Path(folder) / "model"
            triplets, validation = _inputs.triplets[source_key(recipe.triplets)]
            if queries:
                triplets, validation = one_per_query(triplets, queries, seed), None
            job = TrainingJob(model, triplets, validation)
            assert isinstance(recipe.training, FullSettings)
            record = train_full(job, _inputs.texts, transformer, recipe.training)
            metrics = [each.model_dump() for each in record.epochs]
            encoder = Encoder.load(model)
        trained = time.monotonic()
        array = encoder.encode(_inputs.texts)
    if vectors:
        vectors.mkdir(parents=True, exist_ok=True)
        np.save(vectors / f"{variant.replace(' ', '-')}-{seed}.npy", array.astype(np.float16))
    return {
        "variant": variant,
        "seed": seed,
        "base": transformer.folder.name,
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "seconds": round(trained - started, 1),
        "encode_seconds": round(time.monotonic() - trained, 1),
        "gpu_mib": torch.cuda.max_memory_allocated() >> 20 if torch.cuda.is_available() else 0,
        "epochs": metrics,
        "scores": scores_of(_inputs, array),
    }


def one_per_query(triplets: pa.Table, queries: int, seed: int) -> pa.Table:
    """Return a random triplet for each of a number of random queries."""
    shuffled = triplets.take(np.random.default_rng(seed).permutation(triplets.num_rows))
    _, first = np.unique(shuffled["query"].to_numpy(), return_index=True)
    return shuffled.take(np.sort(first)[:queries])


def scores_of(inputs: Inputs, vectors: Vectors) -> dict[str, Any]:
    """Score the vectors of all papers on validation and test papers, as JSON."""
    ids = [text.id for text in inputs.texts]
    return {
        split: {
            task: {metric: values.round(6).tolist() for metric, values in by_metric.items()}
            for task, by_metric in score(
                "", (ids, vectors), data, nonempty_rankings(data, 0)
            ).items()
        }
        for split, data in inputs.data.items()
    }


@main.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.argument("vectors", type=click.Path(path_type=Path, exists=True), nargs=-1)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Runs.")
@click.option("--seeds", default=3, show_default=True, help="Number of seeds.")
def heads(source: Path, vectors: Sequence[Path], output: Path, seeds: int) -> None:
    """Train heads on vectors of MiniLM and on stored vectors, and score them."""
    from specter_graph.encoder.encoder import Encoder
    from specter_graph.encoder.head_training import train_head
    from specter_graph.encoder.model_dir import TrainingJob
    from specter_graph.encoder.model_record import BaseRecord
    from specter_graph.encoder.triplets import PaperRows

    given: Inputs = pickle.loads(source.read_bytes())
    base, row_of = Encoder.base(), PaperRows.of(given.texts).row_of
    described = BaseRecord.of(base.model.folder)

    def vectors_of(array: Vectors, texts: Sequence[PaperText]) -> Vectors:
        return array[[row_of[text.id] for text in texts]]

    inputs = {"base": base.encode(given.texts)}
    inputs |= {path.stem: np.load(path).astype(np.float32) for path in vectors}
    with output.open("a") as lines:
        for name, array in inputs.items():
            for seed in range(seeds):
                recipe = read_recipe("head").changed({"seed": seed})
                assert isinstance(recipe.training, HeadSettings)
                tables = given.triplets[source_key(recipe.triplets)]
                with tempfile.TemporaryDirectory() as folder:
                    model = Path(folder) / "model"
                    train_head(
                        TrainingJob(model, *tables),
                        given.texts,
                        partial(vectors_of, array),
                        described,
                        recipe.training,
                    )
                    vectors_of_head = Encoder.load(model).apply_head(given.texts, array)
                run = {"variant": name, "seed": seed, "scores": scores_of(given, vectors_of_head)}
                lines.write(json.dumps(run) + "\n")


@main.command()
@click.argument("output", type=click.Path(path_type=Path))
def random_weights(output: Path) -> None:
    """Write MiniLM with random weights to a folder."""
    import torch
    from transformers import AutoConfig, AutoModel

    shutil.copytree(load_base().folder.path, output)
    torch.manual_seed(0)
    AutoModel.from_config(AutoConfig.from_pretrained(output)).save_pretrained(output)


def read_runs(path: Path) -> list[dict[str, Any]]:
    """Read the runs of a file; none if it does not exist."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@main.command()
@click.argument("runs", type=click.Path(path_type=Path, exists=True))
@click.option("--split", type=click.Choice(["validation", "test"]), default="test")
@click.option("--compare-to", default="base", show_default=True, help="Variant to compare with.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Table.")
def table(runs: Path, split: str, compare_to: str, output: Path) -> None:
    """Write the means over the seeds, with intervals, and the differences from a variant."""
    by_variant: dict[str, list[Scores]] = {}
    lines = read_runs(runs)
    for run in lines:
        scores = {
            task: {metric: np.array(values) for metric, values in by_metric.items()}
            for task, by_metric in run["scores"][split].items()
        }
        by_variant.setdefault(run["variant"], []).append(scores)
    stacked = {name: stack_seeds(scores) for name, scores in by_variant.items()}
    rows = [["variant", *METRICS], ["---", *("---:" for _ in METRICS)]]
    for name in sorted(stacked, key=[*VARIANTS, *stacked].index):
        means = score_intervals(stacked[name], 0)
        rows.append(
            [
                f"{name} ({len(by_variant[name])})",
                *(_cell(means[t][m]) for t, m in METRICS.values()),
            ]
        )
        if name != compare_to:
            differences = score_intervals(stacked[name], 0, minus=stacked[compare_to])
            cells = [_cell(differences[t][m], "+") for t, m in METRICS.values()]
            rows.append([f"minus {compare_to}", *cells])
    notes = [
        f"- {run['variant']}, seed {run['seed']} ({run['base']}, {run['device']}):"
        f" trained in {run['seconds']} s, encoded in {run['encode_seconds']} s,"
        f" {run['gpu_mib']} MiB of a GPU; validation accuracy by epoch"
        f" {accuracies(run)}"
        for run in lines
        if "device" in run
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    output.write_text(table + "\n\n" + "\n".join(notes) + "\n")
    click.echo(table)


def accuracies(run: dict[str, Any]) -> list[float]:
    """Return the validation accuracies of the epochs of a run; none without validation triplets."""
    values = (epoch["validation_accuracy"] for epoch in run["epochs"])
    return [round(value, 4) for value in values if value is not None]


def _cell(shown: Interval, sign: str = "") -> str:
    mean, low, high = (100 * part for part in (shown.value, shown.low, shown.high))
    bold = "**" if sign and shown.excludes_zero() else ""
    return f"{bold}{mean:{sign}.1f}{bold} ({low:.1f} to {high:.1f})"


if __name__ == "__main__":
    main()
