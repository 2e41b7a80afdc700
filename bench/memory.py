"""Resident memory of a load as the corpus grows; it should stay flat.

    python bench/memory.py [--papers 2000000] [--citations 4000000] [--json FILE]

Works in the local instance `bench` (or --instance NAME), which it CLEARS. The records, with text
and citations alone, are generated on the way. Every 100,000 of them it notes the resident memory of
this process.
"""

import json
import time
from pathlib import Path

import click
import psutil
from corpus import bare, random_corpus

from specter_graph.cli.options import open_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.loading.summary import LoadSummary
from specter_graph.graph.maintenance.delete import clear

_EACH = 100_000


@click.command()
@click.option("--papers", default=2_000_000, show_default=True)
@click.option("--citations", default=4_000_000, show_default=True)
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, citations: int, instance: str, output: Path | None) -> None:
    """Load and print what was noted."""
    process, started = psutil.Process(), time.monotonic()
    noted: list[dict[str, float]] = []

    def watch(summary: LoadSummary) -> None:
        if summary.records < _EACH * (len(noted) + 1):
            return
        seconds, resident = time.monotonic() - started, process.memory_info().rss / 2**20
        noted.append({"records": summary.records, "seconds": seconds, "resident MiB": resident})
        print({key: round(value) for key, value in noted[-1].items()}, flush=True)

    with open_graph(instance) as graph:
        clear(graph.database)
        load_papers(graph.database, bare(random_corpus(papers, citations)), watch=watch)
        clear(graph.database)
    if output:
        output.write_text(json.dumps(noted, indent=2) + "\n")


if __name__ == "__main__":
    main()
