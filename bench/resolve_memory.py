"""Measure the resolution of ids in a bulk load with less and less memory.

    python bench/resolve_memory.py [--papers 1000000] [--citations 10000000] [--limit 3000]

Reads generated records of about 0.4 KB into tables once. Then a process for each memory limit of
DuckDB (--limit, in MiB, repeatable) resolves them and writes the files for Neo4j's importer. `rss`
is the largest resident memory of the process, and `spilled` the largest size of the temporary
files, in MiB.
"""

import json
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from threading import Event, Thread

import click
from corpus import random_corpus
from ten_million import record, write_lines

from specter_graph.graph.loading.bulk import importer
from specter_graph.graph.loading.bulk.load import number_tasks
from specter_graph.graph.loading.bulk.parse import read_tasks, reader_count
from specter_graph.loaders import open_corpus

MIB = 2**20


def watch(folder: Path, peaks: list[int], finished: Event) -> None:
    """Record the size of the files in a folder."""
    while not finished.wait(0.2):
        try:
            peaks.append(sum(file.stat().st_size for file in folder.iterdir()))
        except FileNotFoundError:  # the folder, or a file that was deleted meanwhile
            continue


def resolve(parts: Sequence[Path], work: Path, limit: int) -> dict[str, float]:
    """Resolve the tables and write the files, in this process."""
    importer.memory_mib = lambda: limit
    files, peaks, finished = work / "files", [0], Event()
    files.mkdir(parents=True)
    watcher = Thread(target=watch, args=(work / "spilled", peaks, finished))
    watcher.start()
    started = time.monotonic()
    try:
        with importer.resolved(parts, work, load=1, times=None, drop_dangling=False) as tables:
            resolved = time.monotonic()
            importer.write_files(tables, files)
    finally:
        seconds = time.monotonic() - started
        finished.set()
        watcher.join()
        shutil.rmtree(work)
    return {
        "limit": limit,
        "resolve": round(resolved - started, 1),
        "seconds": round(seconds, 1),
        "rss": getrusage(RUSAGE_SELF).ru_maxrss // 1024,
        "spilled": max(peaks) // MIB,
    }


@click.command()
@click.option("--papers", default=1_000_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=10_000_000, show_default=True, help="Citations.")
@click.option("--limit", "limits", multiple=True, default=(3000, 1000, 512, 256), type=int)
@click.option("--folder", type=click.Path(path_type=Path), help="For temporary files.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    papers: int, citations: int, limits: Sequence[int], folder: Path | None, output: Path | None
) -> None:
    """Read the corpus, and resolve it with each limit."""
    figures = []
    with TemporaryDirectory(dir=folder) as name:
        file = Path(name) / "papers.jsonl"
        write_lines(file, map(record, random_corpus(papers, citations)))
        corpus = open_corpus("jsonl", file)
        tasks = number_tasks(corpus.shards(reader_count()), Path(name) / "parts")
        read_tasks(corpus, tasks, lambda *_: None, mark="bench")
        parts = [task.folder for task in tasks]
        for limit in limits:
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                work = Path(name) / "work"
                figures.append(process.submit(resolve, parts, work, limit).result())
            click.echo(figures[-1])
    if output:
        output.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
