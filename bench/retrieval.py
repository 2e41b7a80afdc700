"""Time and memory of ranking for many queries: 30 judged candidates of each, and all papers.

    python bench/retrieval.py --queries 1000 --papers 100000 --dimension 768

The candidates are ranked and scored as those of SciDocs are, five of each are relevant. All papers
are ranked exactly, by blocks of BLAS products, without an index; ten relevant ones a query.
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
@click.option("--queries", default=1_000, show_default=True)
@click.option("--papers", default=100_000, show_default=True)
@click.option("--dimension", default=768, show_default=True)
def main(queries: int, papers: int, dimension: int) -> None:
    """Rank random vectors and print seconds, and the peak memory of the process."""
    generator = np.random.default_rng(0)
    corpus = generator.standard_normal((papers, dimension), dtype=np.float32)
    vectors = PaperVectors.build([str(row) for row in range(papers)], corpus)
    judgments = {
        str(query): {
            str(paper): int(place < RELEVANT)
            for place, paper in enumerate(generator.choice(papers, CANDIDATES, replace=False))
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

    requested = generator.standard_normal((queries, dimension), dtype=np.float32)
    relevant = np.sort(generator.integers(papers, size=(queries, 10)), axis=1)
    started = time.perf_counter()
    rows = (row for block in distances(requested, corpus) for row in block)
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
