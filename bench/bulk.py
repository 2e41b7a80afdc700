"""A bulk load, from .jsonl.gz to a started database, beside neo4j-admin import alone.

    python bench/bulk.py [--papers 100000] [--citations 1000000] [--files 1] [--json FILE]

Import alone is Neo4j's importer on ready-made CSV of the same graph, its ids as text, as one would
write it: the way to do better than is `--bulk`, which must read, check, deduplicate and write
first, and start the server afterwards. Both are done `--rounds` times in turn; the ratio is that of
the medians. Works in a folder of its own, with the user's jars; nothing is kept.

Processor time is given beside elapsed time: on a machine that others use it says more.
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
    """What a paper is in the CSV; authors, venues and fields come again and again."""
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
    """The graph as CSV for the importer, every node once."""
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
class Measured:
    """One run: elapsed and processor seconds, and the stages if there are any."""

    seconds: float = 0.0
    processor: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)


@contextmanager
def measured() -> Iterator[Measured]:
    """Measure what happens within, ended child processes included."""
    result, started, before = Measured(), time.monotonic(), os.times()
    yield result
    result.seconds = time.monotonic() - started
    result.processor += sum(os.times()[:4]) - sum(before[:4])


def import_alone(instance: Instance, files: dict[str, Path]) -> Measured:
    """Neo4j's importer on ready-made CSV, in a home of its own."""
    with instance.exclusive() as sole:
        beside = sole.prepare_new_home()
        arguments = [f"--{kind}={path}" for kind, path in files.items()]
        with measured() as result:
            sole.import_into(beside, *arguments)
        shutil.rmtree(beside)
    return result


def bulk(instance: Instance, paths: list[Path]) -> Measured:
    """All of it, into an instance that is new."""
    instance.remove()
    marks: list[tuple[float, str]] = []

    def note(stage: str, done: int = 0, total: int | None = None) -> None:
        marks.append((time.monotonic(), f"{stage} {done}" if total else stage))

    with measured() as result:
        begun = time.monotonic()
        bulk_load(instance, open_corpus("jsonl", *paths), progress=note)
        server = find_server(instance.home)
        assert server
        times = server.cpu_times()
        result.processor += times.user + times.system
        ended = time.monotonic()
    first = {name: at for at, name in reversed(marks)}
    stages = ["resolve 0", "resolve 1", "resolve 2", "start Neo4j (s)", "schema 0"]
    times_at = [begun, *(first[stage] for stage in stages), ended]
    names = ["read", "deduplicate", "write", "import", "start", "schema"]
    result.stages = {name: times_at[i + 1] - times_at[i] for i, name in enumerate(names)}
    instance.down()
    return result


@click.command()
@click.option("--papers", default=100_000, show_default=True)
@click.option("--citations", default=1_000_000, show_default=True)
@click.option(
    "--files", default=1, show_default=True, help="How many files the corpus is cut into."
)
@click.option("--rounds", default=3, show_default=True)
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, citations: int, files: int, rounds: int, output: Path | None) -> None:
    """Measure both and print them."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        subset = write_jsonl(Path(mkdtemp(dir=folder)), 1_000, 10_000, 1)
        paths = write_jsonl(folder, papers, citations, files)
        ready = write_csv(folder, papers, citations)
        instance = Instance("bench", folder, Settings().specter_graph_cache)
        runs: dict[str, list[Measured]] = {"import alone": [], "bulk": []}
        try:
            bulk(instance, subset)  # so that jars and files are in the machine's cache
            for _ in range(rounds):
                for what, work in (
                    ("import alone", lambda: import_alone(instance, ready)),
                    ("bulk", lambda: bulk(instance, paths)),
                ):
                    runs[what].append(work())
                    report(what, runs[what][-1])
        finally:
            instance.remove()
    figures = {
        "load": psutil.getloadavg()[0],
        "runs": {what: [vars(run) for run in some] for what, some in runs.items()},
    }
    for measure in ("seconds", "processor"):
        alone, expected = (
            statistics.median(getattr(run, measure) for run in runs[what]) for what in runs
        )
        figures[f"ratio of {measure}"] = expected / alone
        print(f"{measure}: {expected:.1f} / {alone:.1f} = {expected / alone:.2f} x import alone")
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


def report(what: str, run: Measured) -> None:
    """One line for a run."""
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in run.stages.items())
    load = psutil.getloadavg()[0]
    print(
        f"{what}: {run.seconds:.1f} s, processor {run.processor:.1f} s"
        f" {f'({stages})' if stages else ''} [machine's load {load:.1f}]",
        flush=True,
    )


if __name__ == "__main__":
    main()
