"""Measure time and memory of reading the citations for SGC.

    python bench/citation_edges.py [--instance bench] [--holdout 0.1] [--json FILE]

Reads the local instance `bench` (or --instance NAME) without changes. To fill it with a million
papers and ten million citations, run `python bench/train_million.py`. `before` is the resident
memory of the process when the ids of the papers have been read, `peak` the maximum after the
citations.
"""

import json
import time
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import click
import psutil

from specter_graph.cli.options import open_graph
from specter_graph.graph.split import HOLDOUT, training_ids
from specter_graph.pipelines.sgc import citation_edges


@click.command()
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--holdout", default=HOLDOUT, show_default=True, help="Share of held-out papers.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(instance: str, holdout: float, output: Path | None) -> None:
    """Read the citations and print the figures."""
    with open_graph(instance) as graph:
        ids = list(training_ids(graph.database, 0))
        before = psutil.Process().memory_info().rss
        started = time.monotonic()
        edges = citation_edges(graph.database, ids, holdout)
        seconds = time.monotonic() - started
    figures = {
        "papers": len(ids),
        "citations": edges.shape[1],
        "seconds": round(seconds, 1),
        "before MiB": before // 2**20,
        "peak MiB": getrusage(RUSAGE_SELF).ru_maxrss // 2**10,
    }
    print(figures)
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
