"""Generate a graph of any size with vectors, for measuring queries with bench/query.py.

    python bench/generated_graph.py [--papers 100000] [--citations 1000000] --instance generated

CLEARS the instance and loads generated records. The vectors are random, because the texts are
noise: component i has the variance i^-0.8, similar to the principal components of MiniLM's vectors
of hep-ph. The vectors are smoothed over the citations by SGC with k steps, so that papers that cite
each other are near: spaces `specter` (k = 1) and `sgc` (k = 2).
"""

import click
import numpy as np
from corpus import random_corpus

from specter_graph.cli.options import open_graph
from specter_graph.encoder.graph_convolution import sgc
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.pipelines.sgc import citation_edges

DIMENSION = 384


@click.command()
@click.option("--papers", default=100_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=1_000_000, show_default=True, help="Citations.")
@click.option("--instance", default="generated", show_default=True, help="Local instance.")
def main(papers: int, citations: int, instance: str) -> None:
    """Load the records, compute the vectors and write them."""
    with open_graph(instance, create=True) as graph:
        graph.maintenance.clear()
        print(graph.load(random_corpus(papers, citations)))
        ids = [f"p{number}" for number in range(papers)]
        edges = citation_edges(graph.database, ids, 0)
        noise = np.random.default_rng(0).standard_normal((papers, DIMENSION), np.float32)
        noise *= np.arange(1, DIMENSION + 1, dtype=np.float32) ** -0.4
        for name, k in (("specter", 1), ("sgc", 2)):
            vectors = sgc(noise, edges, k)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            record = EmbeddingSpace(name, "sgc", DIMENSION, "", "", name, sees_edges=True)
            write_space(graph.database, record, ids, vectors)
            print(f"{name}: {papers:,} vectors")


if __name__ == "__main__":
    main()
