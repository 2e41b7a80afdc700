"""Compare a bulk load, from .jsonl.gz to a started database, with neo4j-admin import alone.

    python bench/bulk.py [--papers 100000] [--citations 1000000] [--files 1] [--json FILE]

"Import alone" is Neo4j's importer on prepared CSV files of the same graph, with ids as text. In
addition, `--bulk` must read, check, deduplicate and write the records before the import and start
the server afterwards. Both methods run `--rounds` times in turn; the ratio is that of the medians.
The benchmark uses a temporary folder and the installed jars.

Processor time is reported with elapsed time, because it depends less on other programs.
"""

import csv
import json
import os
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import click
import psutil
from corpus import random_corpus, write_jsonl

from specter_graph.graph.loading.bulk.load import bulk_load
from specter_graph.graph.server import Instance
from specter_graph.graph.server.process import find_server
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper, sample_key
from specter_graph.settings import Settings

HEADERS = {
    "nodes=Paper": "id:ID(Paper),sample_key:long,record_version:long,load:long,"
    "title,abstract,year:long",
    "nodes=Author": "id:ID(Author),name,identified:boolean",
    "nodes=Venue": "id:ID(Venue),name",
    "nodes=Field": "key:ID(Field),scheme,id,name",
    "relationships=CITES": ":START_ID(Paper),:END_ID(Paper)",
    "relationships=WROTE": ":START_ID(Author),:END_ID(Paper),position:long",
    "relationships=PUBLISHED_IN": ":START_ID(Paper),:END_ID(Venue)",
    "relationships=ABOUT": ":START_ID(Paper),:END_ID(Field)",
}


def rows(paper: Paper) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the CSV rows of a paper; authors, venues and fields are repeated."""
    texts = paper.title, paper.abstract, paper.year
    yield "nodes=Paper", (paper.id, sample_key(paper.id), hash(paper) >> 1, 1, *texts)
    for position, author in enumerate(paper.authors, 1):
        yield "nodes=Author", (author.id, author.name, "false")
        yield "relationships=WROTE", (author.id, paper.id, position)
    if paper.venue:
        yield "nodes=Venue", (paper.venue.id, paper.venue.name)
        yield "relationships=PUBLISHED_IN", (paper.id, paper.venue.id)
    for label in paper.fields:
        yield "nodes=Field", (label.id, label.scheme, label.id, label.name)
        yield "relationships=ABOUT", (paper.id, label.id)
    for reference in paper.references:
        yield "relationships=CITES", (paper.id, reference)


def write_csv(folder: Path, papers: int, citations: int) -> dict[str, Path]:
    """Write the graph as CSV for the importer, each node once."""
    paths = {kind: folder / f"{kind.split('=')[1]}.csv" for kind in HEADERS}
    opened = {kind: path.open("w", newline="") for kind, path in paths.items()}
    writers = {kind: csv.writer(file) for kind, file in opened.items()}
    for kind, header in HEADERS.items():
        writers[kind].writerow(header.split(","))
    seen: set[tuple[str, object]] = set()
    for paper in random_corpus(papers, citations):
        for kind, row in rows(paper):
            if kind.startswith("nodes"):
                if (kind, row[0]) in seen:
                    continue
                seen.add((kind, row[0]))
            writers[kind].writerow(row)
    for file in opened.values():
        file.close()
    return paths


@dataclass
class Measurement:
    """Elapsed and processor seconds of a run, and those of its stages if it has any."""

    seconds: float = 0.0
    processor: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)


@contextmanager
def measure() -> Iterator[Measurement]:
    """Measure the block, including child processes that end within it."""
    result, begin, before = Measurement(), time.monotonic(), os.times()
    yield result
    result.seconds = time.monotonic() - begin
    result.processor += sum(os.times()[:4]) - sum(before[:4])


def import_alone(instance: Instance, files: dict[str, Path]) -> Measurement:
    """Run Neo4j's importer on prepared CSV files in a separate home folder."""
    with instance.exclusive() as stopped:
        new_home = stopped.prepare_new_home()
        arguments = [f"--{kind}={path}" for kind, path in files.items()]
        with measure() as result:
            stopped.import_into(new_home, *arguments)
        shutil.rmtree(new_home)
    return result


def bulk(instance: Instance, paths: list[Path]) -> Measurement:
    """Load the corpus into a new instance and start its server."""
    instance.delete()
    marks: list[tuple[float, str]] = []

    def note(stage: str, done: int = 0, total: int | None = None) -> None:
        marks.append((time.monotonic(), f"{stage} {done}" if total else stage))

    with measure() as result:
        started = time.monotonic()
        bulk_load(instance, open_corpus("jsonl", *paths), progress=note)
        server = find_server(instance.home)
        assert server
        times = server.cpu_times()
        result.processor += times.user + times.system
        finished = time.monotonic()
    first = {name: at for at, name in reversed(marks)}
    stages = ["resolve 0", "resolve 1", "resolve 2", "start Neo4j (s)", "schema 0"]
    times_at = [started, *(first[stage] for stage in stages), finished]
    names = ["read", "deduplicate", "write", "import", "start", "schema"]
    result.stages = {name: times_at[i + 1] - times_at[i] for i, name in enumerate(names)}
    instance.down()
    return result


@click.command()
@click.option("--papers", default=100_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=1_000_000, show_default=True, help="Citations.")
@click.option("--files", default=1, show_default=True, help="Number of files of the corpus.")
@click.option("--rounds", default=3, show_default=True, help="Runs of each method.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(papers: int, citations: int, files: int, rounds: int, output: Path | None) -> None:
    """Measure both methods and print the figures."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        subset = write_jsonl(Path(mkdtemp(dir=folder)), 1_000, 10_000, 1)
        paths = write_jsonl(folder, papers, citations, files)
        csv_files = write_csv(folder, papers, citations)
        instance = Instance("bench", folder, Settings().specter_graph_cache)
        runs: dict[str, list[Measurement]] = {"import alone": [], "bulk": []}
        try:
            bulk(instance, subset)  # reads jars and files into the cache of the file system
            for _ in range(rounds):
                for method, work in (
                    ("import alone", partial(import_alone, instance, csv_files)),
                    ("bulk", partial(bulk, instance, paths)),
                ):
                    runs[method].append(work())
                    report(method, runs[method][-1])
        finally:
            instance.delete()
    figures = {
        "load": psutil.getloadavg()[0],
        "runs": {
            method: [vars(run) for run in measurements] for method, measurements in runs.items()
        },
    }
    for unit in ("seconds", "processor"):
        alone, own = (
            statistics.median(getattr(run, unit) for run in runs[method]) for method in runs
        )
        figures[f"ratio of {unit}"] = own / alone
        print(f"{unit}: {own:.1f} / {alone:.1f} = {own / alone:.2f} x import alone")
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


def report(method: str, run: Measurement) -> None:
    """Print a line for a run."""
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in run.stages.items())
    load = psutil.getloadavg()[0]
    print(
        f"{method}: {run.seconds:.1f} s, processor {run.processor:.1f} s"
        f" {f'({stages})' if stages else ''} [machine's load {load:.1f}]",
        flush=True,
    )


if __name__ == "__main__":
    main()
