"""Measure how long Neo4j builds a vector index with several settings, and its recall.

    python bench/vector_index.py --vectors-of hepph --space base [--papers 100000]

CLEARS the local instance `bench` (or --instance NAME). The vectors are those of a space of another
instance and, up to the number of papers, points between one of them and one of its ten nearest
neighbors, with noise: near as real vectors are, while random vectors are all equally far. For each
--settings M,EF the index is built --rounds times. The recall is that of `specter-graph spaces
check`: the share of the ten nearest papers, found with 100 candidates, of 1,000 papers.
"""

import time
from collections.abc import Sequence

import click
import numpy as np

from specter_graph.cli.options import open_graph
from specter_graph.core.vectors import Vectors, nearest, unit
from specter_graph.graph.embeddings.index import (
    IndexSettings,
    await_index,
    create_index,
    drop_index,
)
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, read_vectors, write_space
from specter_graph.loaders.records import Paper

SPACE, NEIGHBORS, NOISE = "measured", 10, 0.3
QUERIES = 1_000


def enlarged(vectors: Vectors, papers: int, seed: int = 0) -> Vectors:
    """Return unit vectors (papers, d): the given ones (n, d), and points between neighbors."""
    rng = np.random.default_rng(seed)
    near, _ = nearest(vectors, vectors, NEIGHBORS, np.arange(len(vectors)))
    rows = rng.integers(len(vectors), size=max(0, papers - len(vectors)))
    steps = vectors[near[rows, rng.integers(NEIGHBORS, size=len(rows))]] - vectors[rows]
    noise = rng.standard_normal(steps.shape, np.float32) / np.sqrt(steps.shape[1])
    noise *= NOISE * np.linalg.norm(steps, axis=1, keepdims=True)
    points = vectors[rows] + rng.random((len(rows), 1), np.float32) * steps + noise
    return unit(np.vstack([vectors, points])[:papers])


@click.command()
@click.option("--vectors-of", required=True, help="Local instance that has the vectors.")
@click.option("--space", default="base", show_default=True, help="Its space.")
@click.option("--papers", default=100_000, show_default=True, help="Vectors in the index.")
@click.option("--settings", multiple=True, default=("16,100", "16,50", "12,40"), help="M,EF.")
@click.option("--rounds", default=2, show_default=True, help="Times that an index is built.")
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
def main(
    vectors_of: str, space: str, papers: int, settings: Sequence[str], rounds: int, instance: str
) -> None:
    """Print a row for each setting."""
    with open_graph(vectors_of) as graph:
        vectors = enlarged(read_vectors(graph.database, space)[1], papers)
    with open_graph(instance, create=True) as graph:
        graph.maintenance.clear()
        ids = [f"p{number}" for number in range(papers)]
        graph.load(Paper(id, title=f"Paper {id}") for id in ids)
        db, dimension = graph.database, vectors.shape[1]
        record = EmbeddingSpace(SPACE, "imported", dimension, "", "", SPACE)
        started = time.monotonic()
        write_space(db, record, ids, vectors)
        print(f"vectors and first index: {time.monotonic() - started:.1f} s\n")
        print("| m | ef | index built in (s) | recall@10 |\n| ---: | ---: | --- | ---: |")
        for m, ef in (map(int, each.split(",")) for each in settings):
            seconds = []
            for _ in range(rounds):
                drop_index(db, SPACE)
                started = time.monotonic()
                create_index(db, SPACE, dimension, IndexSettings(m=m, ef=ef))
                await_index(db, SPACE)
                seconds.append(f"{time.monotonic() - started:.1f}")
            [check] = graph.spaces.check(SPACE, queries=QUERIES)
            print(f"| {m} | {ef} | {', '.join(seconds)} | {check.recall:.2%} |", flush=True)


if __name__ == "__main__":
    main()
