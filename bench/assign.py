"""The best assignment: time, flows and memory, beside one flow over all pairs.

    python bench/assign.py [--papers 5000] [--reviewers 5000] [--no-all-pairs] [--json FILE]

Each way runs in a process of its own, so that its peak of resident memory is its own, on the same
affinities: cosines of random vectors in topics of very different size, plus how well a reviewer
suits everybody. Both totals must be equal to the millionth. Memory without the flow is what the
affinities, their weights and the libraries take.
"""

import json
import os
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
import numpy as np

from specter_graph.matching.assignment import (
    AssignmentProblem,
    assign,
    assign_fairly,
    lottery,
    reassign,
)
from specter_graph.matching.assignment.min_cost_flow import COLUMNS, FlowProblem, solve

NEEDED, MOST, DIMENSION, TOPICS = 3, 6, 384, 60


def skewed(papers: int, reviewers: int, seed: int) -> np.ndarray:
    """(papers, reviewers) float32."""
    generator = np.random.default_rng(seed)
    centers = generator.normal(size=(TOPICS, DIMENSION)).astype(np.float32)

    def vectors(count: int, slope: float) -> np.ndarray:
        odds = 1 / np.arange(1, TOPICS + 1) ** slope
        first, second = generator.choice(TOPICS, (2, count), p=odds / odds.sum())
        noise = generator.normal(size=(count, DIMENSION)).astype(np.float32)
        found = centers[first] + 0.5 * centers[second] + noise
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    affinity = vectors(papers, 1.0) @ vectors(reviewers, 0.7).T
    affinity += generator.normal(0, 0.05, reviewers).astype(np.float32)
    return affinity


def peak_mib() -> int:
    """Of resident memory, of this process so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def flow(papers: int, reviewers: int, seed: int, columns: int | None) -> dict[str, Any]:
    """One optimum, from the arrays to the chosen pairs."""
    affinity = skewed(papers, reviewers, seed)
    before, started, cpu = peak_mib(), time.monotonic(), time.process_time()
    problem = AssignmentProblem(affinity, NEEDED, MOST)
    found = solve(FlowProblem.from_problem(problem), columns)
    return {
        "seconds": round(time.monotonic() - started, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "rounds": found.rounds,
        "pairs_in_the_flow": int(found.columns.size),
        "missing": found.missing,
        "total_millionths": found.value,
        "peak_mib_before": before,
        "peak_mib": peak_mib(),
    }


def others(size: int, seed: int) -> dict[str, Any]:
    """Seconds of the other ways, on a conference of `size` papers and reviewers."""
    problem = AssignmentProblem(skewed(size, size, seed), NEEDED, MOST)
    generator = np.random.default_rng(seed)
    maximum = problem.maximum.copy()
    maximum[0] = 0
    present = assign(problem).pairs
    of = tuple((int(one),) for one in generator.integers(0, size // 5, size=size))
    ways: dict[str, Callable[[], Any]] = {
        "highest total": lambda: assign(problem),
        "affiliations apart": lambda: assign(replace(problem, affiliations=of)),
        "worst-off first, 10 rounds": lambda: assign_fairly(problem),
        "lottery, cap 0.5, and a draw": lambda: lottery(problem, 0.5).draw(seed),
        "a reviewer drops out": lambda: reassign(replace(problem, maximum=maximum), present),
    }
    figures: dict[str, Any] = {"papers": size}
    for name, way in ways.items():
        started = time.monotonic()
        found = way()
        figures[name] = {
            "seconds": round(time.monotonic() - started, 2),
            "total": round(found.total, 6),
            "worst_off": round(float(found.affinity.min()), 6),
            "gap": found.gap,
        }
    return figures


def apart(work: Callable[..., dict[str, Any]], *given: int | None) -> dict[str, Any]:
    """What `work` returns, done in a fresh process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


@click.command()
@click.option("--papers", default=5_000, show_default=True)
@click.option("--reviewers", default=5_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--all-pairs/--no-all-pairs", default=True, help="One flow over all pairs as well.")
@click.option("--others", "size", default=500, show_default=True, help="Size for the other ways.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(
    papers: int, reviewers: int, seed: int, all_pairs: bool, size: int, output: Path | None
) -> None:
    """Measure all and print them."""
    figures: dict[str, Any] = {
        "papers": papers,
        "reviewers": reviewers,
        "load_average": os.getloadavg()[0],
        "priced": apart(flow, papers, reviewers, seed, COLUMNS),
    }
    if all_pairs:
        every = figures["all pairs"] = apart(flow, papers, reviewers, seed, None)
        figures["same total"] = every["total_millionths"] == figures["priced"]["total_millionths"]
        figures["ratio"] = round(every["seconds"] / figures["priced"]["seconds"], 1)
    if size:
        figures["others"] = apart(others, size, seed)
    text = json.dumps(figures, indent=2)
    print(text)
    priced = figures["priced"]
    print(
        f"assign: {priced['seconds']} s (aim 60 s), {priced['rounds']} flows, "
        f"peak {priced['peak_mib']} MiB (aim 3,000)"
    )
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
