"""Measure the resident memory of a load as the corpus grows; it should be constant.

    python bench/memory.py [--papers 2000000] [--citations 4000000] [--json FILE]

CLEARS the local instance `bench` (or --instance NAME). Records with text and citations are
generated during the load. The resident memory of this process is printed every 100,000 records.
"""

import json
import time
from pathlib import Path

import click
import psutil
from corpus import random_corpus, text_and_references

from specter_graph.cli.options import open_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.loading.summary import LoadSummary
from specter_graph.graph.maintenance.delete import clear

_INTERVAL = 100_000


@click.command()
@click.option("--papers", default=2_000_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=4_000_000, show_default=True, help="Citations.")
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(papers: int, citations: int, instance: str, output: Path | None) -> None:
    """Load the papers and print the memory."""
    process, started = psutil.Process(), time.monotonic()
    samples: list[dict[str, float]] = []

    def on_batch(summary: LoadSummary) -> None:
        if summary.records < _INTERVAL * (len(samples) + 1):
            return
        seconds, resident = time.monotonic() - started, process.memory_info().rss / 2**20
        samples.append({"records": summary.records, "seconds": seconds, "resident MiB": resident})
        print({key: round(value) for key, value in samples[-1].items()}, flush=True)

    with open_graph(instance, create=True) as graph:
        clear(graph.database)
        load_papers(
            graph.database, text_and_references(random_corpus(papers, citations)), on_batch=on_batch
        )
        clear(graph.database)
    if output:
        output.write_text(json.dumps(samples, indent=2) + "\n")


if __name__ == "__main__":
    main()
