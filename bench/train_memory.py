"""Compare the resident memory of fine-tuning with 1 x and 10 x triplets; it should be the same.

    python bench/train_memory.py [--triplets 300000] [--steps 100] [--json FILE]

No server is needed: 10,000 papers and the triplets are generated, the triplets in batches as from
mining. The model is a real BERT of 2 layers and 32 dimensions with random weights. Each size is
trained for some steps in a separate process, which reports its peak resident memory, and its memory
at the end without pages of mapped files, which the system can reclaim.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import click
import numpy as np
import psutil
import pyarrow as pa
from embed_memory import tiny_bert

from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.recipe import FullSettings
from specter_graph.loaders.records import PaperText

_PAPERS = 10_000
_BATCH = 20_000


class _EnoughError(Exception):
    """Raised to stop a training."""


def random_triplets(triplets: int) -> Iterator[pa.RecordBatch]:
    """Yield batches of random triplets, in order of their queries."""
    generator = np.random.default_rng(0)
    for start in range(0, triplets, _BATCH):
        size = min(_BATCH, triplets - start)
        query = np.sort(generator.integers(0, _PAPERS, size))
        columns = [query, *generator.integers(0, _PAPERS, (2, size))]
        names = [pa.array([f"p{row}" for row in column]) for column in columns]
        yield pa.record_batch(
            [*names, pa.array(generator.random(size) < 0.4)],
            names=["query", "positive", "negative", "hard"],
        )


def measure(triplets: int, steps: int) -> dict[str, float]:
    """Train in this process and return its memory, in MiB."""
    texts = [PaperText(f"p{row}", f"paper {row} of many", None) for row in range(_PAPERS)]

    def progress(stage: str, done: int, total: int | None) -> None:
        if done == steps:
            raise _EnoughError

    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "bert"
        model.mkdir()
        base = tiny_bert(model).model
        try:
            settings = FullSettings(micro_batch=32, epochs=1)
            output = Path(folder) / "model"
            job = TrainingJob(output, random_triplets(triplets), progress=progress)
            train_full(job, texts, base, settings)
        except _EnoughError:
            pass
    resident = psutil.Process().memory_info()
    return {
        "triplets": triplets,
        "peak MiB": getrusage(RUSAGE_SELF).ru_maxrss / 2**10,
        "not mapped MiB": (resident.rss - resident.shared) / 2**20,
    }


@click.command()
@click.option(
    "--triplets", default=300_000, show_default=True, help="Triplets of the smaller training."
)
@click.option("--steps", default=100, show_default=True, help="Steps of each training.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
@click.option("--in-this-process", is_flag=True, hidden=True)
def main(triplets: int, steps: int, output: Path | None, in_this_process: bool) -> None:
    """Measure both sizes, each in a separate process, and print the figures."""
    if in_this_process:
        print(json.dumps(measure(triplets, steps)))
        return
    figures = []
    for size in (triplets, 10 * triplets):
        command = [sys.executable, __file__, "--in-this-process", "--triplets", str(size)]
        process = subprocess.run(
            [*command, "--steps", str(steps)], check=True, stdout=subprocess.PIPE, text=True
        )
        figures.append(json.loads(process.stdout.splitlines()[-1]))
        print({key: round(value) for key, value in figures[-1].items()}, flush=True)
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
