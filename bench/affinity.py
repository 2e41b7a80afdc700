"""Measure time and memory of affinities at the size of a large conference.

    python bench/affinity.py [--submissions 5000] [--reviewers 5000] [--papers 20] [--json FILE]

Vectors have 384 dimensions and are random, around common centers. Each reviewer has `--papers`
papers with weights; a tenth of them are replaced by papers of other reviewers. The script
measures the time from vectors to the full matrix, and from there to the best 100 reviewers of each
submission. Peak memory is that of the process, including Python and its libraries.
"""

import json
import resource
import time
from pathlib import Path

import click
import numpy as np

from specter_graph.core.vectors import Vectors
from specter_graph.matching.affinity.aggregation import (
    Aggregation,
    AggregationMethod,
    Profiles,
    Similarity,
    affinities,
    top_reviewers,
)

DIMENSION, CENTERS, BEST = 384, 200, 100


def random_vectors(rng: np.random.Generator, centers: Vectors, size: int) -> Vectors:
    """Return unit vectors around random centers."""
    chosen = centers[rng.integers(len(centers), size=size)]
    vectors = chosen + rng.normal(size=(size, DIMENSION)).astype(np.float32) / DIMENSION**0.5
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def random_profiles(rng: np.random.Generator, reviewers: int, papers: int) -> Profiles:
    """Return profiles of consecutive papers, a tenth of them replaced by papers of others."""
    owned = np.arange(reviewers * papers)
    shared = rng.random(len(owned)) < 0.1
    owned[shared] = rng.integers(len(owned), size=np.count_nonzero(shared))
    weights = rng.uniform(0.2, 1, len(owned)).astype(np.float32)
    return Profiles(np.arange(reviewers + 1) * papers, owned, weights)


@click.command()
@click.option("--submissions", default=5_000, show_default=True, help="Submissions.")
@click.option("--reviewers", default=5_000, show_default=True, help="Reviewers.")
@click.option("--papers", default=20, show_default=True, help="Papers of each reviewer.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    default=("top", "softmax"),
    show_default=True,
    help="Aggregation method; repeatable.",
)
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    submissions: int,
    reviewers: int,
    papers: int,
    methods: tuple[AggregationMethod, ...],
    output: Path | None,
) -> None:
    """Measure each method and print the figures."""
    rng = np.random.default_rng(0)
    centers = random_vectors(rng, np.zeros((1, DIMENSION), np.float32), CENTERS)
    queries = random_vectors(rng, centers, submissions)
    papers_of_reviewers = random_vectors(rng, centers, reviewers * papers)
    profiles = random_profiles(rng, reviewers, papers)
    figures: dict[str, float] = {}
    for method in methods:
        started, cpu = time.monotonic(), time.process_time()
        similarity = Similarity.from_spaces([(queries, papers_of_reviewers)])
        scores = affinities(similarity, profiles, Aggregation(method))
        matrix = time.monotonic()
        top_reviewers(scores, BEST)
        figures |= {
            f"{method}_matrix_s": round(matrix - started, 2),
            f"{method}_best_s": round(time.monotonic() - matrix, 2),
            f"{method}_cpu_s": round(time.process_time() - cpu, 2),
        }
    figures["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    text = json.dumps(figures, indent=2)
    print(text)
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
