"""Loading a million vectors of 384 dimensions into a space with `spaces load`: seconds and memory.

    python bench/spaces_load.py [--instance NAME] [--json FILE]

The local instance has the papers of `bench/train_million.py`, with the ids p0, p1, ... Random
vectors of length 1 are written to a Parquet file and loaded into the space `loaded`, which is
dropped afterwards. `rows` are the seconds until all vectors are stored, `index` those of the index.
With --old the vectors are written by `write_space`, as before `spaces load` existed.
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
    """Write random vectors of length 1."""
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
@click.option("--instance", default="bench")
@click.option("--papers", default=1_000_000)
@click.option("--old", is_flag=True)
@click.option("--json", "output", type=click.Path(path_type=Path))
def main(instance: str, papers: int, old: bool, output: Path | None) -> None:
    """Load, and print what was measured."""
    noted: dict[str, float] = {"papers": papers}
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
            noted["rows"] = stages["index"] - started
            noted["index"] = time.monotonic() - stages["index"]
        noted["seconds"] = time.monotonic() - started
        noted["resident_mib"] = getrusage(RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(noted), file=sys.stderr, flush=True)
        graph.spaces.drop("loaded")
    if output:
        output.write_text(json.dumps(noted))


if __name__ == "__main__":
    main()
