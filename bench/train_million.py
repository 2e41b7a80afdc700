"""Training a head on a million papers with ten million citations: seconds a stage, and memory.

    python bench/train_million.py [--papers 1000000] [--citations 10000000] [--json FILE]

CLEARS the local instance `bench` (or --instance NAME) and bulk-loads generated records. Their texts
are noise, so no model reads them: random vectors are written into the space `base`, with the hashes
by which `train` accepts them as those of the offline base. Then `train --recipe head` runs in a
process of its own, which notes how long each stage takes and the most memory that was resident:
`resident` counts pages of mapped files too, which the system takes back when it needs memory,
`own` does not. With --keep the instance is used as an earlier run filled it.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from threading import Event, Thread

import click
import numpy as np
import psutil
from corpus import write_jsonl

from specter_graph.cli.options import open_graph
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.recipe import read_recipe
from specter_graph.graph.embeddings.embed import embed
from specter_graph.loaders.records import PaperText


class RandomVectors:
    """The offline base, but that it draws vectors instead of reading texts."""

    def __init__(self) -> None:
        self._encoder = Encoder.base()
        self._numbers = np.random.default_rng(0)

    def __getattr__(self, name: str) -> object:
        return getattr(self._encoder, name)

    def encode(self, texts: Sequence[PaperText], *_: object) -> np.ndarray:
        """Random vectors of length 1."""
        drawn = self._numbers.standard_normal((len(texts), self._encoder.dimension), np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def load(instance: str, papers: int, citations: int) -> None:
    """Fill the instance with records."""
    with open_graph(instance) as graph:
        graph.maintenance.clear()
    with tempfile.TemporaryDirectory() as folder:
        files = write_jsonl(Path(folder), papers, citations, 8)
        command = [Path(sys.executable).with_name("specter-graph"), "load", "jsonl", *files]
        subprocess.run([*command, "--bulk", "--instance", instance], check=True)


def write_base(instance: str) -> None:
    """Write the random base vectors."""
    with open_graph(instance) as graph:
        print(embed(graph.database, RandomVectors(), "base"), flush=True)


def train(instance: str) -> dict[str, object]:
    """Train and note seconds and MiB."""
    started, stages, over = time.monotonic(), {}, Event()
    own = [0]

    def progress(stage: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if stage not in stages:
            print(f"{stage}: begins at {now - started:.0f} s", file=sys.stderr, flush=True)
        first, _ = stages.setdefault(stage, (now, now))
        stages[stage] = first, now

    def watch() -> None:
        process = psutil.Process()
        while not over.wait(0.5):
            memory = process.memory_info()
            own[0] = max(own[0], memory.rss - memory.shared)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    with tempfile.TemporaryDirectory() as folder, open_graph(instance) as graph:
        record = graph.train(Path(folder) / "model", read_recipe("head"), progress=progress)
    over.set()
    watcher.join()
    return {
        "seconds": time.monotonic() - started,
        "stages": {
            stage: {"begins": first - started, "seconds": last - first}
            for stage, (first, last) in stages.items()
        },
        "triplets": record.triplets.triplets,
        "resident MiB": getrusage(RUSAGE_SELF).ru_maxrss / 2**10,
        "own MiB": own[0] / 2**20,
    }


@click.command()
@click.option("--papers", default=1_000_000, show_default=True)
@click.option("--citations", default=10_000_000, show_default=True)
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--keep", is_flag=True, help="Train on what the instance holds.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
@click.option("--alone", is_flag=True, hidden=True)
def main(
    papers: int, citations: int, instance: str, keep: bool, output: Path | None, alone: bool
) -> None:
    """Load, write vectors, train, and print what was noted."""
    if alone:
        print(json.dumps(train(instance)))
        return
    if not keep:
        for step, run in (
            ("load", lambda: load(instance, papers, citations)),
            ("base vectors", lambda: write_base(instance)),
        ):
            started = time.monotonic()
            run()
            print(f"{step}: {time.monotonic() - started:.0f} s", flush=True)
    command = [sys.executable, __file__, "--alone", "--instance", instance]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    noted = json.loads(ran.stdout.splitlines()[-1])
    for stage, each in noted["stages"].items():
        print(f"{stage}: begins at {each['begins']:.0f} s, takes {each['seconds']:.0f} s")
    print(
        f"train: {noted['seconds']:.0f} s, {noted['triplets']:,} triplets,"
        f" {noted['resident MiB']:,.0f} MiB resident, {noted['own MiB']:,.0f} MiB of its own"
    )
    if output:
        output.write_text(json.dumps(noted, indent=2) + "\n")


if __name__ == "__main__":
    main()
