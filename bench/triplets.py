"""Measure the speed of triplet mining, from Cypher to Parquet, against samplers without a database.

    python bench/triplets.py [--papers 100000] [--citations 1000000] [--json FILE]

Uses the local instance `bench-triplets` (or --instance NAME), which it CLEARS unless it has a
corpus of this size. The first run is on a server that has just started, without held-out papers, so
that every paper is a query. The other runs are warm, with the default hold-out. The other samplers
use dictionaries in memory, in one process: `in memory` samples by the same definition; `set
difference` lists for each query all papers that it does not cite, as the sampler published with
SPECTER does.
"""

import json
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import click
import psutil
import pyarrow as pa
from corpus import random_corpus

from specter_graph.cli.options import open_graph
from specter_graph.core.triplet_settings import CitationTriplets
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources.candidates import MAX_LINKS
from specter_graph.graph.triplets.sources.path_sources import CitationSource
from specter_graph.graph.triplets.triplet_files import SCHEMA, write_triplets
from specter_graph.loaders.records import Paper
from specter_graph.settings import Settings

PER_QUERY, HARD = 5, 2
CITATIONS = CitationTriplets(per_query=PER_QUERY, hard=HARD)
SLOW_QUERIES = 200


def mine(
    db: Database, path: Path, server: psutil.Process, seed: int, holdout: float = 0.1
) -> dict[str, Any]:
    """Mine once; return the speed, and the peak memory after a quarter and at the end."""
    peaks: list[float] = []

    def record_peaks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
            yield batch

    cpu = cpu_seconds(psutil.Process()), cpu_seconds(server)
    started = time.monotonic()
    stream = mine_triplets(db, CITATIONS, seed=seed, holdout=holdout)
    write_triplets(record_peaks(stream), path)
    seconds = time.monotonic() - started
    report = stream.report
    papers = report.queries + report.skipped
    return {
        "seconds": round(seconds, 2),
        "papers_per_s": round(papers / seconds),
        "cpu_us_a_paper": round(1e6 * (cpu_seconds(psutil.Process()) - cpu[0]) / papers),
        "server_cpu_us_a_paper": round(1e6 * (cpu_seconds(server) - cpu[1]) / papers),
        "peak_mb_after_a_quarter": round(peaks[len(peaks) // 4]),
        "peak_mb": round(peaks[-1]),
        "load_average": os.getloadavg()[0],
        **asdict(report),
    }


@contextmanager
def unbounded_references() -> Iterator[None]:
    """Mine without the limit on references that are followed to hard negatives."""
    read = CitationSource._read
    with patch.object(CitationSource, "_read", lambda self, ids, _: read(self, ids, MAX_LINKS)):
        yield


def cpu_seconds(process: psutil.Process) -> float:
    """Return the processor time of a process; other programs hardly affect it."""
    times = process.cpu_times()
    return times.user + times.system


def in_memory(cites: dict[str, set[str]], path: Path) -> dict[str, Any]:
    """Sample the same triplets, by the same definition, from dictionaries."""
    rng = random.Random(0)
    ids = [*cites]
    started = time.monotonic()

    def batches() -> Iterator[pa.RecordBatch]:
        queries = iter(cites.items())
        while batch_queries := list(islice(queries, 400)):
            rows = [row for query in batch_queries if query[1] for row in sample(*query)]
            if rows:
                columns = [pa.array(column) for column in zip(*rows, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)

    def sample(query: str, references: set[str]) -> Iterator[tuple[str, str, str, bool]]:
        indirect = {paper for first in references for paper in cites[first]}
        candidates = [*(indirect - references - {query})]
        hard = rng.sample(candidates, min(HARD, len(candidates)))
        easy: list[str] = []
        while len(easy) < PER_QUERY - len(hard):
            paper = rng.choice(ids)
            if paper not in references and paper != query and paper not in hard + easy:
                easy.append(paper)
        positives = cycle(rng.sample([*references], len(references)))
        for place, negative in enumerate(hard + easy):
            yield query, next(positives), negative, place < len(hard)

    write_triplets(batches(), path)
    return rate(len(cites), started)


def set_difference(cites: dict[str, set[str]]) -> dict[str, Any]:
    """Sample easy negatives from a list of all papers without a link to the query."""
    rng = random.Random(0)
    all_papers = {*cites}
    started = time.monotonic()
    for query in islice(cites, len(cites) // 2, len(cites) // 2 + SLOW_QUERIES):
        references = [*cites[query]]
        indirect = {paper for first in references for paper in cites[first]}
        others = [*all_papers.difference(indirect, references, [query])]
        _ = [rng.choice(references) for _ in range(PER_QUERY) if references]
        _ = [rng.choice(others) for _ in range(PER_QUERY - HARD)]
        _ = rng.sample(sorted(indirect), min(HARD, len(indirect)))
    return rate(SLOW_QUERIES, started)


def rate(queries: int, started: float) -> dict[str, Any]:
    """Return the seconds since `started` and the query papers per second."""
    seconds = time.monotonic() - started
    return {"seconds": round(seconds, 2), "papers_per_s": round(queries / seconds)}


def citations_of(papers: Iterable[Paper]) -> dict[str, set[str]]:
    """Return the references of each paper."""
    return {paper.id: {*paper.references} for paper in papers}


@click.command()
@click.option("--papers", default=100_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=1_000_000, show_default=True, help="Citations.")
@click.option("--instance", default="bench-triplets", show_default=True, help="Local instance.")
@click.option("--runs", default=4, show_default=True, help="Warm runs; the median is reported.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(papers: int, citations: int, instance: str, runs: int, output: Path | None) -> None:
    """Run all measurements and print them."""
    with open_graph(instance, create=True) as graph:
        db = graph.database
        if stats(db).papers != papers:
            clear(db)
            load_papers(db, random_corpus(papers, citations))
    Settings().local(instance).down()
    with tempfile.TemporaryDirectory() as folder, open_graph(instance) as graph:
        db = graph.database
        path = Path(folder, "triplets.parquet")
        server = psutil.Process(Settings().local(instance).status().pid)
        cold = mine(db, path, server, seed=0, holdout=0)
        warm = [mine(db, path, server, seed) for seed in range(1, 1 + runs)]
        with unbounded_references():
            unbounded = mine(db, path, server, seed=1)
        cites = citations_of(random_corpus(papers, citations))
        figures: dict[str, Any] = {
            "cold": cold,
            "warm": warm,
            "warm, all references": unbounded,
            "in memory": in_memory(cites, path),
            "set difference": set_difference(cites),
        }
    median_rate = median(run["papers_per_s"] for run in warm)
    figures["papers_per_s"] = median_rate
    figures["ratio to in memory"] = round(median_rate / figures["in memory"]["papers_per_s"], 2)
    figures["ratio to set difference"] = round(
        median_rate / figures["set difference"]["papers_per_s"], 1
    )
    text = json.dumps(figures, indent=2)
    print(text)
    print(
        f"triplets: {median_rate:,.0f} query papers/s warm (aim 10,000), cold {cold['seconds']} s "
        f"for {cold['queries'] + cold['skipped']:,} (aim 20 s), peak {warm[-1]['peak_mb']} MB"
    )
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
