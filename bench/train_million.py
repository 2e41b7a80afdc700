"""Measure time and memory of training a head on a million papers with ten million citations.

    python bench/train_million.py [--papers 1000000] [--citations 10000000] [--json FILE]

CLEARS the local instance `bench` (or --instance NAME) and bulk-loads generated records. No model
embeds the texts, which are noise: random vectors are written into the space `base`, with the hashes
by which `train` accepts them as vectors of the offline base. Then `train --recipe head` runs in a
separate process, which reports the time of each stage and its peak memory: `resident` includes
pages of mapped files, which the system can reclaim; `private` does not. --keep uses the graph of an
earlier run.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from threading import Event, Thread
from typing import Any

import click
import numpy as np
import psutil
from corpus import write_jsonl

from specter_graph.cli.options import open_graph
from specter_graph.core.vectors import unit
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.recipe import read_recipe
from specter_graph.graph.embeddings.embed import embed
from specter_graph.loaders.records import PaperText


class RandomVectors:
    """Encoder with the record of the offline base that returns random vectors."""

    def __init__(self) -> None:
        self._encoder = Encoder.base()
        self._numbers = np.random.default_rng(0)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._encoder, name)

    def encode(self, texts: Sequence[PaperText], *_: object) -> np.ndarray:
        """Return normalized random vectors."""
        return unit(
            self._numbers.standard_normal((len(texts), self._encoder.dimension), np.float32)
        )


def load(instance: str, papers: int, citations: int) -> None:
    """Fill the instance with records."""
    with open_graph(instance, create=True) as graph:
        graph.maintenance.clear()
    with tempfile.TemporaryDirectory() as folder:
        files = write_jsonl(Path(folder), papers, citations, 8)
        program = Path(sys.executable).with_name("specter-graph")
        options = ["--bulk", "--instance", instance]
        subprocess.run([program, "load", "jsonl", *files, *options], check=True)


def write_base(instance: str) -> None:
    """Write the random base vectors."""
    with open_graph(instance) as graph:
        print(embed(graph.database, RandomVectors(), "base"), flush=True)


def train(instance: str) -> dict[str, object]:
    """Train, and return seconds and MiB."""
    started, finished = time.monotonic(), Event()
    stages: dict[str, tuple[float, float]] = {}
    private_memory = [0]

    def progress(stage: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if stage not in stages:
            print(f"{stage}: begins at {now - started:.0f} s", file=sys.stderr, flush=True)
        first, _ = stages.setdefault(stage, (now, now))
        stages[stage] = first, now

    def watch() -> None:
        process = psutil.Process()
        while not finished.wait(0.5):
            memory = process.memory_info()
            private_memory[0] = max(private_memory[0], memory.rss - memory.shared)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    with tempfile.TemporaryDirectory() as folder, open_graph(instance) as graph:
        record = graph.train(Path(folder) / "model", read_recipe("head"), progress=progress)
    finished.set()
    watcher.join()
    return {
        "seconds": time.monotonic() - started,
        "stages": {
            stage: {"begins": first - started, "seconds": last - first}
            for stage, (first, last) in stages.items()
        },
        "triplets": record.triplets.triplets,
        "resident MiB": getrusage(RUSAGE_SELF).ru_maxrss / 2**10,
        "private MiB": private_memory[0] / 2**20,
    }


@click.command()
@click.option("--papers", default=1_000_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=10_000_000, show_default=True, help="Citations.")
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--keep", is_flag=True, help="Use the graph of an earlier run.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
@click.option("--in-this-process", is_flag=True, hidden=True)
def main(
    papers: int,
    citations: int,
    instance: str,
    keep: bool,
    output: Path | None,
    in_this_process: bool,
) -> None:
    """Load, write vectors, train, and print the figures."""
    if in_this_process:
        print(json.dumps(train(instance)))
        return
    if not keep:
        for step, run in (
            ("load", partial(load, instance, papers, citations)),
            ("base vectors", partial(write_base, instance)),
        ):
            started = time.monotonic()
            run()
            print(f"{step}: {time.monotonic() - started:.0f} s", flush=True)
    command = [sys.executable, __file__, "--in-this-process", "--instance", instance]
    process = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures = json.loads(process.stdout.splitlines()[-1])
    for stage, each in figures["stages"].items():
        print(f"{stage}: begins at {each['begins']:.0f} s, takes {each['seconds']:.0f} s")
    print(
        f"train: {figures['seconds']:.0f} s, {figures['triplets']:,} triplets,"
        f" {figures['resident MiB']:,.0f} MiB resident, {figures['private MiB']:,.0f} MiB private"
    )
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
