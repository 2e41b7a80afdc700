"""Affinities at the size of a large conference: time and memory.

    python bench/affinity.py [--submissions 5000] [--reviewers 5000] [--papers 20] [--json FILE]

Random 384-d vectors about common centers; each reviewer has `--papers` papers of which a tenth are
shared with others, all with weights. Measures the whole way from vectors to the full matrix, and to
the best 100 reviewers of each submission. Peak memory is that of the process, with Python and its
libraries.
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


def random_vectors(draws: np.random.Generator, centers: Vectors, size: int) -> Vectors:
    """Unit vectors about some of the centers."""
    chosen = centers[draws.integers(len(centers), size=size)]
    vectors = chosen + draws.normal(size=(size, DIMENSION)).astype(np.float32) / DIMENSION**0.5
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def random_profiles(draws: np.random.Generator, reviewers: int, papers: int) -> Profiles:
    """Papers in order; a tenth of them are papers of someone else instead."""
    owned = np.arange(reviewers * papers)
    shared = draws.random(len(owned)) < 0.1
    owned[shared] = draws.integers(len(owned), size=np.count_nonzero(shared))
    weights = draws.uniform(0.2, 1, len(owned)).astype(np.float32)
    return Profiles(np.arange(reviewers + 1) * papers, owned, weights)


@click.command()
@click.option("--submissions", default=5_000, show_default=True)
@click.option("--reviewers", default=5_000, show_default=True)
@click.option("--papers", default=20, show_default=True, help="Of each reviewer.")
@click.option("--method", "methods", multiple=True, default=("top", "softmax"), show_default=True)
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(
    submissions: int,
    reviewers: int,
    papers: int,
    methods: tuple[AggregationMethod, ...],
    output: Path | None,
) -> None:
    """Measure and print."""
    draws = np.random.default_rng(0)
    centers = random_vectors(draws, np.zeros((1, DIMENSION), np.float32), CENTERS)
    requested = random_vectors(draws, centers, submissions)
    written = random_vectors(draws, centers, reviewers * papers)
    profiles = random_profiles(draws, reviewers, papers)
    figures: dict[str, float] = {}
    for method in methods:
        started, cpu = time.monotonic(), time.process_time()
        similarity = Similarity.from_spaces([(requested, written)])
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
