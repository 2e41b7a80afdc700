"""Whole-corpus retrieval: the time and the memory of ranking all papers for many queries.

    python bench/retrieval.py --queries 1000 --papers 100000 --dimension 768

Exact, by blocks of BLAS products, without an index; ten relevant papers a query.
"""

import resource
import time

import click
import numpy as np

from specter_graph.evaluation import metrics
from specter_graph.evaluation.distances import distances


@click.command()
@click.option("--queries", default=1_000, show_default=True)
@click.option("--papers", default=100_000, show_default=True)
@click.option("--dimension", default=768, show_default=True)
def main(queries: int, papers: int, dimension: int) -> None:
    """Rank random vectors and print seconds and peak memory."""
    generator = np.random.default_rng(0)
    corpus = generator.standard_normal((papers, dimension), dtype=np.float32)
    asked = generator.standard_normal((queries, dimension), dtype=np.float32)
    relevant = np.sort(generator.integers(papers, size=(queries, 10)), axis=1)
    started = time.perf_counter()
    rows = (row for block in distances(asked, corpus) for row in block)
    ranks = metrics.pad(
        [metrics.ranks_of(row, found) for row, found in zip(rows, relevant, strict=True)]
    )
    recall, mrr = metrics.recall_at(ranks, 100).mean(), metrics.reciprocal_rank(ranks).mean()
    ndcg = metrics.ndcg_at(ranks, 10).mean()
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{queries:,} queries over {papers:,} x {dimension}: {seconds:.1f} s, {peak:,.0f} MB peak"
        f" (recall@100 {recall:.4f}, MRR {mrr:.4f}, nDCG@10 {ndcg:.4f})"
    )


if __name__ == "__main__":
    main()
