"""Measure time and memory of each stage on ten million papers with a hundred million citations.

    python bench/ten_million.py --folder FOLDER [--stage load] [--papers 10000000]

The stages run in the order of `STAGES`; --stage (repeatable) runs only some of them, on what
earlier ones have left in the folder and in the instance. `records` writes generated records of
about 0.4 KB. `triplets` mines a million query papers; the other stages are commands of
specter-graph. The peak memory is that of our processes (`ours`) and of all Java processes of the
machine (`neo4j`), as resident pages, which include mapped files. Each stage adds a line to
FOLDER/figures.jsonl.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread

import click
import numpy as np
import orjson
import psutil
from corpus import random_corpus
from numpy.lib.format import open_memmap

from specter_graph.cli.options import open_graph
from specter_graph.core.triplet_settings import CitationTriplets
from specter_graph.loaders.records import Paper

STAGES = ("records", "load", "update", "second", "merge", "triplets", "vectors", "sgc", "queries")
FILES = 8
DIMENSION, BLOCK = 64, 100_000
QUERIES = 1_000_000
LIBRARY = (
    "citation_path",
    "missing_references",
    "more_like_these",
    "rising_papers",
    "who_works_on",
)
MIB = 2**20


def record(paper: Paper) -> dict[str, object]:
    """Return a paper of about 0.4 KB, with the DOI by which the second source is merged."""
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": (paper.abstract or "")[:120],
        "year": paper.year,
        "authors": [author.name for author in paper.authors[:2]],
        "venue": paper.venue and paper.venue.name,
        "doi": f"10.1000/{paper.id}",
        "references": paper.references,
    }


def write_lines(path: Path, records: Iterable[dict[str, object]]) -> None:
    """Write JSON Lines."""
    with path.open("wb") as file:
        for each in records:
            file.write(orjson.dumps(each) + b"\n")


def write_records(folder: Path, papers: int, citations: int) -> None:
    """Write the corpus in FILES files, 1% of it with other titles, and a second source of 1%."""
    corpus = random_corpus(papers, citations)
    for number in range(FILES):
        some = (next(corpus) for _ in range(papers // FILES))
        write_lines(folder / f"papers-{number}.jsonl", map(record, some))
    part = [record(paper) for paper in random_corpus(papers // 100, citations // 100, seed=1)]
    ids = [f"p{100 * number}" for number in range(len(part))]
    dois = [f"10.1000/{paper}" for paper in ids]
    changed = ({**r, "id": i, "doi": d} for r, i, d in zip(part, ids, dois, strict=True))
    write_lines(folder / "changed.jsonl", changed)
    others = ({**r, "id": f"other:{i}", "doi": d} for r, i, d in zip(part, ids, dois, strict=True))
    write_lines(folder / "second.jsonl", others)


def write_vectors(folder: Path, papers: int) -> None:
    """Write normalized random vectors, (papers, DIMENSION) float32, and the ids of their rows."""
    rng = np.random.default_rng(0)
    rows = open_memmap(folder / "vectors.npy", "w+", np.float32, (papers, DIMENSION))
    for start in range(0, papers, BLOCK):
        block = rng.standard_normal((min(BLOCK, papers - start), DIMENSION), np.float32)
        rows[start : start + BLOCK] = block / np.linalg.norm(block, axis=1, keepdims=True)
    rows.flush()
    with (folder / "ids.txt").open("w") as file:
        file.writelines(f"p{number}\n" for number in range(papers))


def mine(instance: str) -> None:
    """Mine the triplets of QUERIES query papers with two hard negatives of five."""
    source = CitationTriplets()
    with open_graph(instance) as graph:
        triplets = 0
        for batch in graph.triplets(source):
            triplets += batch.num_rows
            if triplets >= source.per_query * QUERIES:
                break


def commands(stage: str, folder: Path, vectors: int, instance: str) -> Iterator[Sequence[str]]:
    """Yield the commands of a stage."""
    on = ("--instance", instance)
    changed, second = str(folder / "changed.jsonl"), str(folder / "second.jsonl")
    if stage == "load":
        files = [str(folder / f"papers-{number}.jsonl") for number in range(FILES)]
        yield "load", "jsonl", *files, "--bulk", *on
    elif stage == "update":
        yield "load", "jsonl", changed, *on
    elif stage == "second":
        yield "load", "jsonl", second, *on
    elif stage == "merge":
        yield "merge", *on
    elif stage == "vectors":
        write_vectors(folder, vectors)
        file, ids = str(folder / "vectors.npy"), str(folder / "ids.txt")
        yield "spaces", "load", file, "--ids", ids, "--space", "base", "--text-only", *on
    elif stage == "sgc":
        yield "sgc", "--space", "base", *on


def watch(peaks: dict[str, int], finished: Event) -> None:
    """Record the largest memory of this process's children, and of Java."""
    while not finished.wait(1):
        memory = {"ours": 0, "neo4j": 0}
        parent = psutil.Process()
        own = {each.pid for each in [parent, *parent.children(recursive=True)]}
        for process in psutil.process_iter(["name", "pid", "memory_info"]):
            java = process.info["name"] == "java"
            if process.info["memory_info"] and (java or process.info["pid"] in own):
                memory["neo4j" if java else "ours"] += process.info["memory_info"].rss
        for kind, size in memory.items():
            peaks[kind] = max(peaks.get(kind, 0), size // MIB)


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), required=True, help="For the files.")
@click.option("--stage", "stages", multiple=True, type=click.Choice(STAGES), help="Only these.")
@click.option("--papers", default=10_000_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=100_000_000, show_default=True, help="Citations.")
@click.option("--vectors", type=int, help="Papers that get vectors, by default all.")
@click.option("--instance", default="ten_million", show_default=True, help="Local instance.")
def main(
    folder: Path,
    stages: Sequence[str],
    papers: int,
    citations: int,
    vectors: int | None,
    instance: str,
) -> None:
    """Run the stages, and print seconds and MiB of each."""
    folder.mkdir(parents=True, exist_ok=True)
    program = str(Path(sys.executable).with_name("specter-graph"))
    for stage in stages or STAGES:
        peaks: dict[str, int] = {}
        finished = Event()
        watcher = Thread(target=watch, args=(peaks, finished), daemon=True)
        watcher.start()
        started = time.monotonic()
        if stage == "records":
            write_records(folder, papers, citations)
        elif stage == "triplets":
            mine(instance)
        elif stage == "queries":
            script = Path(__file__).with_name("query.py")
            output = folder / "queries.json"
            options = ["--space", "base", "--instance", instance, "--json", str(output)]
            options += [f"--query={name}" for name in LIBRARY]
            subprocess.run([sys.executable, script, *options], check=True)
        for command in commands(stage, folder, vectors or papers, instance):
            subprocess.run([program, *command], check=True)
        figures = {"stage": stage, "papers": papers, "seconds": round(time.monotonic() - started)}
        finished.set()
        watcher.join()
        line = json.dumps(figures | {f"{kind} MiB": size for kind, size in peaks.items()})
        print(line, flush=True)
        with (folder / "figures.jsonl").open("a") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main()
