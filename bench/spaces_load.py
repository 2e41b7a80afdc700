"""Measure time and memory of loading a million vectors of 384 dimensions with `spaces load`.

    python bench/spaces_load.py [--instance NAME] [--json FILE]

The local instance must have the papers of `bench/train_million.py`, with the ids p0, p1, ...
Unit vectors are written to a Parquet file and loaded into the space `loaded`, which is dropped
afterwards. They are random, or, with --vectors-of INSTANCE, as near to each other as those of its
space `base` (see `bench/vector_index.py`). `rows` is the time (s) until all vectors are stored,
`index` that of the index, `recall` the recall@10 of 1,000 papers.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from vector_index import QUERIES, enlarged

from specter_graph.cli.options import open_graph
from specter_graph.core.vectors import Vectors, unit
from specter_graph.graph.embeddings.spaces import read_vectors

DIMENSION, BLOCK = 384, 50_000


def random_vectors(papers: int) -> Vectors:
    """Return random unit vectors."""
    rng = np.random.default_rng(0)
    return unit(rng.standard_normal((papers, DIMENSION), np.float32))


def write_file(path: Path, vectors: Vectors) -> None:
    """Write the vectors with the ids p0, p1, ..."""
    schema = pa.schema({"id": pa.string(), "vector": pa.list_(pa.float32(), DIMENSION)})
    with pq.ParquetWriter(path, schema, compression="none") as file:
        for start in range(0, len(vectors), BLOCK):
            block = vectors[start : start + BLOCK]
            ids = [f"p{number}" for number in range(start, start + len(block))]
            column = pa.FixedSizeListArray.from_arrays(block.ravel(), DIMENSION)
            file.write_table(pa.table([pa.array(ids), column], schema=schema))


@click.command()
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--papers", default=1_000_000, show_default=True, help="Papers of the instance.")
@click.option("--vectors-of", help="Local instance whose vectors are imitated.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(instance: str, papers: int, vectors_of: str | None, output: Path | None) -> None:
    """Load the vectors and print the figures."""
    figures: dict[str, float | None] = {"papers": papers}
    stages: dict[str, float] = {}

    def progress(stage: str, _done: int, _total: int | None) -> None:
        if stage not in stages:
            stages[stage] = time.monotonic()

    if vectors_of:
        with open_graph(vectors_of) as other:
            vectors = enlarged(read_vectors(other.database, "base")[1], papers)
    else:
        vectors = random_vectors(papers)
    with tempfile.TemporaryDirectory() as folder, open_graph(instance) as graph:
        graph.database.write("CALL db.awaitIndexes(3600)")
        file = Path(folder) / "vectors.parquet"
        write_file(file, vectors)
        del vectors
        started = time.monotonic()
        summary = graph.spaces.load(file, space="loaded", text_only=True, progress=progress)
        assert summary.vectors == papers
        figures["rows"] = stages["index"] - started
        figures["index"] = time.monotonic() - stages["index"]
        figures["seconds"] = time.monotonic() - started
        print(json.dumps(figures), file=sys.stderr, flush=True)
        [check] = graph.spaces.check("loaded", queries=QUERIES)
        figures["recall"] = check.recall
        print(json.dumps(figures), file=sys.stderr, flush=True)
        graph.spaces.delete("loaded")
    if output:
        output.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
