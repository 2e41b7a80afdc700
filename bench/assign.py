"""Measure affinity and optimal assignment for a large venue, compared with a flow over all pairs.

    python bench/assign.py [--size 10000] [--compare 5000] [--others 500] [--repeat 3] [--json FILE]

The venue has as many submissions as reviewers. Each reviewer has 20 papers; their vectors lie
around topics of very different sizes. The affinity is the mean of the 3 most similar papers, as in
`match`, plus a random offset for each reviewer, so that some reviewers suit all submissions. One
percent of all pairs are conflicts. Each submission needs 3 reviewers, and a reviewer has at most 6
submissions. Each measurement runs in a separate process, which reports its peak resident memory,
including Python and its libraries. The repetitions alternate between the methods.

`all pairs` is OR-Tools' minimum-cost flow over all allowed pairs, for the smaller venue. Its total
must equal ours to six decimals.
"""

import json
import os
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np

from specter_graph.matching.affinity.aggregation import Profiles, Similarity, affinities
from specter_graph.matching.assignment.min_cost_flow import FlowProblem, solve
from specter_graph.matching.assignment.optimal import assign, assign_fairly, reassign
from specter_graph.matching.assignment.problem import AssignmentProblem, GroupLimit
from specter_graph.matching.assignment.randomized import lottery

NEEDED, MAX_LOAD = np.array(3), np.array(6)
DIMENSION, TOPICS, PAPERS = 384, 60, 20


def venue(size: int, seed: int) -> tuple[Similarity, Profiles, np.ndarray, np.ndarray]:
    """Return vectors, the reviewers' papers, allowed pairs (size, size), and shifts (size,)."""
    generator = np.random.default_rng(seed)
    centers = generator.normal(size=(TOPICS, DIMENSION)).astype(np.float32)

    def vectors(topics: np.ndarray) -> np.ndarray:
        noise = generator.standard_normal((len(topics), DIMENSION), np.float32)
        return np.asarray(centers[topics[:, 0]] + 0.5 * centers[topics[:, 1]] + 2 * noise)

    def topics(slope: float) -> np.ndarray:
        odds = 1 / np.arange(1, TOPICS + 1) ** slope
        return generator.choice(TOPICS, (size, 2), p=odds / odds.sum())

    similarity = Similarity.from_spaces(
        [(vectors(topics(1.0)), vectors(np.repeat(topics(0.7), PAPERS, axis=0)))]
    )
    owned = np.arange(size * PAPERS)
    profiles = Profiles(np.arange(size + 1) * PAPERS, owned, np.ones(owned.size, np.float32))
    allowed = np.ones((size, size), np.bool_)
    allowed[tuple(generator.integers(0, size, (2, size * size // 100)))] = False
    shift = generator.normal(0, 0.05, size).astype(np.float32)
    return similarity, profiles, allowed, shift


def peak_mib() -> int:
    """Return the peak resident memory of this process so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def assignment(size: int, seed: int, all_pairs: bool) -> dict[str, Any]:
    """Measure affinity and assignment, by columns or with a flow over all pairs."""
    similarity, profiles, allowed, shift = venue(size, seed)
    started, cpu = time.monotonic(), time.process_time()
    affinity = affinities(similarity, profiles) + shift
    del similarity, profiles
    scored, scored_cpu = time.monotonic(), time.process_time()
    problem = FlowProblem.from_problem(AssignmentProblem(affinity, NEEDED, MAX_LOAD, allowed))
    flow = solve(problem, np.arange(size * size) if all_pairs else None)
    assigned, assigned_cpu = time.monotonic(), time.process_time()
    return {
        "seconds": round(assigned - started, 1),
        "affinity_seconds": round(scored - started, 1),
        "assign_seconds": round(assigned - scored, 1),
        "affinity_cpu_seconds": round(scored_cpu - cpu, 1),
        "assign_cpu_seconds": round(assigned_cpu - scored_cpu, 1),
        "pairs_in_the_flow": int(flow.columns.size),
        "missing": flow.missing,
        "total_millionths": flow.value,
        "peak_mib": peak_mib(),
        "load_average": round(os.getloadavg()[0], 1),
    }


def others(size: int, seed: int) -> dict[str, Any]:
    """Measure the other methods and the rules that need an integer program."""
    similarity, profiles, allowed, shift = venue(size, seed)
    problem = AssignmentProblem(affinities(similarity, profiles) + shift, NEEDED, MAX_LOAD, allowed)
    generator = np.random.default_rng(seed)
    maximum = problem.maximum.copy()
    maximum[0] = 0
    present = assign(problem).pairs

    def groups(count: int) -> tuple[tuple[int, ...], ...]:
        return tuple((int(group),) for group in generator.integers(0, count, size=size))

    affiliations, regions = GroupLimit(groups(size // 5)), GroupLimit(groups(6), 2)
    authors = np.argwhere(generator.random((size, size)) < 3 / size)
    methods: dict[str, Callable[[], Any]] = {
        "highest total": lambda: assign(problem),
        "one per affiliation": lambda: assign(replace(problem, groups=(affiliations,))),
        "at most 2 per region": lambda: assign(replace(problem, groups=(regions,))),
        "no reciprocal reviews": lambda: assign(replace(problem, authors=authors)),
        "all three": lambda: assign(
            replace(problem, groups=(affiliations, regions), authors=authors)
        ),
        "worst-off first, 10 rounds": lambda: assign_fairly(problem),
        "random, maximum 0.5": lambda: lottery(problem, 0.5).draw(seed),
        "random, maximum 0.5, perturbation 0.5": lambda: lottery(problem, 0.5, 0.5).draw(seed),
        "a reviewer drops out": lambda: reassign(replace(problem, maximum=maximum), present),
    }
    figures: dict[str, Any] = {"size": size}
    for name, method in methods.items():
        started = time.monotonic()
        result = method()
        figures[name] = {
            "seconds": round(time.monotonic() - started, 2),
            "total": round(result.total, 6),
            "worst_off": round(float(result.affinity.min()), 6),
            "gap": result.gap,
        }
    return figures


def in_process(work: Callable[..., dict[str, Any]], *arguments: int) -> dict[str, Any]:
    """Return the result of `work` in a fresh process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the best and the median time, the highest peak, and all runs."""
    seconds = [run["seconds"] for run in runs]
    return {
        "best_seconds": min(seconds),
        "median_seconds": median(seconds),
        "peak_mib": max(run["peak_mib"] for run in runs),
        "runs": runs,
    }


@click.command()
@click.option("--size", default=10_000, show_default=True, help="Number of submissions.")
@click.option("--compare", default=5_000, show_default=True, help="Size for all pairs; 0 skips.")
@click.option(
    "--others", "other_size", default=500, show_default=True, help="Size for other methods."
)
@click.option("--repeat", default=3, show_default=True, help="Number of repetitions.")
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    size: int, compare: int, other_size: int, repeat: int, seed: int, output: Path | None
) -> None:
    """Run all measurements and print the figures."""
    tasks = {"assignment": (size, False)} if size else {}
    if compare:
        tasks |= {"smaller": (compare, False), "all pairs": (compare, True)}
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in tasks}
    for _ in range(repeat):
        for name, (own_size, all_pairs) in tasks.items():
            runs[name].append(in_process(assignment, own_size, seed, all_pairs))
            print(name, json.dumps(runs[name][-1]), flush=True)
    figures: dict[str, Any] = {name: summary(own) for name, own in runs.items()}
    if compare:
        smaller, every = (runs[name][0]["total_millionths"] for name in ("smaller", "all pairs"))
        figures["same total"] = smaller == every
    if other_size:
        figures["others"] = in_process(others, other_size, seed)
    text = json.dumps(figures, indent=2)
    print(text)
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
