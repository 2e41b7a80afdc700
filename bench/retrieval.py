"""Measure time and memory of exact ranking: 30 judged candidates per query, and all papers.

    python bench/retrieval.py --queries 1000 --papers 100000 --dimension 768

The candidates are ranked and scored as in SciDocs; five of the 30 are relevant. All papers are
ranked exactly in blocks of BLAS products, without an index; each query has ten relevant papers.
"""

import resource
import time

import click
import numpy as np

from specter_graph.evaluation.metrics.ranking import distances, ranks_of, score_ranks
from specter_graph.evaluation.protocols.candidate_ranking import rank_candidates
from specter_graph.evaluation.protocols.dataset import PaperVectors

CANDIDATES, RELEVANT = 30, 5


@click.command()
@click.option("--queries", default=1_000, show_default=True, help="Number of queries.")
@click.option("--papers", default=100_000, show_default=True, help="Number of papers.")
@click.option("--dimension", default=768, show_default=True, help="Dimension of the vectors.")
def main(queries: int, papers: int, dimension: int) -> None:
    """Rank random vectors, and print the seconds and the peak memory of the process."""
    generator = np.random.default_rng(0)
    corpus = generator.standard_normal((papers, dimension), dtype=np.float32)
    vectors = PaperVectors.build([str(row) for row in range(papers)], corpus)
    judgments = {
        str(query): {
            str(paper): int(number < RELEVANT)
            for number, paper in enumerate(generator.choice(papers, CANDIDATES, replace=False))
        }
        for query in generator.choice(papers, queries, replace=False)
    }
    started = time.perf_counter()
    metrics = rank_candidates(judgments, vectors, "citation").metrics
    seconds = time.perf_counter() - started
    print(
        f"{queries:,} queries x {CANDIDATES} candidates: {seconds:.2f} s"
        f" (MAP {metrics['map'].value():.3f}, nDCG {metrics['ndcg'].value():.3f})"
    )

    query_vectors = generator.standard_normal((queries, dimension), dtype=np.float32)
    relevant = np.sort(generator.integers(papers, size=(queries, 10)), axis=1)
    started = time.perf_counter()
    rows = (row for block in distances(query_vectors, corpus) for row in block)
    ranks = [ranks_of(row, papers) for row, papers in zip(rows, relevant, strict=True)]
    scores = score_ranks(ranks, ["recall@100", "mrr", "ndcg@10"])
    recall, mrr, ndcg = (values.mean() for values in scores.values())
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{queries:,} queries over {papers:,} x {dimension}: {seconds:.1f} s, {peak:,.0f} MB peak"
        f" (recall@100 {recall:.4f}, MRR {mrr:.4f}, nDCG@10 {ndcg:.4f})"
    )


if __name__ == "__main__":
    main()
