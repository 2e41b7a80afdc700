"""Measure time and memory of loading a million vectors of 384 dimensions with `spaces load`.

    python bench/spaces_load.py [--instance NAME] [--json FILE]

The local instance must have the papers of `bench/train_million.py`, with the ids p0, p1, ...
Normalized random vectors are written to a Parquet file and loaded into the space `loaded`, which is
dropped afterwards. `rows` is the time (s) until all vectors are stored, `index` that of the index.
--old writes the vectors with `write_space`, as before `spaces load` existed.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from specter_graph.cli.options import open_graph
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space

DIMENSION, BLOCK = 384, 50_000


def write_file(path: Path, papers: int) -> None:
    """Write normalized random vectors."""
    rng = np.random.default_rng(0)
    schema = pa.schema({"id": pa.string(), "vector": pa.list_(pa.float32(), DIMENSION)})
    with pq.ParquetWriter(path, schema, compression="none") as file:
        for start in range(0, papers, BLOCK):
            ids = [f"p{number}" for number in range(start, min(start + BLOCK, papers))]
            vectors = rng.standard_normal((len(ids), DIMENSION), np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            column = pa.FixedSizeListArray.from_arrays(vectors.ravel(), DIMENSION)
            file.write_table(pa.table([pa.array(ids), column], schema=schema))


@click.command()
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--papers", default=1_000_000, show_default=True, help="Papers of the instance.")
@click.option("--old", is_flag=True, help="Write by `write_space`.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(instance: str, papers: int, old: bool, output: Path | None) -> None:
    """Load the vectors and print the figures."""
    figures: dict[str, float] = {"papers": papers}
    with tempfile.TemporaryDirectory() as folder, open_graph(instance) as graph:
        file = Path(folder) / "vectors.parquet"
        write_file(file, papers)
        stages: dict[str, float] = {}

        def progress(stage: str, _done: int, _total: int | None) -> None:
            if stage not in stages:
                stages[stage] = time.monotonic()

        started = time.monotonic()
        if old:
            table = pq.read_table(file)
            vectors = table["vector"].combine_chunks().flatten().to_numpy()
            record = EmbeddingSpace("loaded", "imported", DIMENSION, "", "", "random")
            write_space(
                graph.database, record, table["id"].to_pylist(), vectors.reshape(papers, -1)
            )
        else:
            summary = graph.spaces.load(file, space="loaded", text_only=True, progress=progress)
            assert summary.vectors == papers
            figures["rows"] = stages["index"] - started
            figures["index"] = time.monotonic() - stages["index"]
        figures["seconds"] = time.monotonic() - started
        figures["resident_mib"] = getrusage(RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(figures), file=sys.stderr, flush=True)
        graph.spaces.drop("loaded")
    if output:
        output.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
