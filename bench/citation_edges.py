"""Reading the citations that SGC may see: seconds and memory.

    python bench/citation_edges.py [--instance bench] [--holdout 0.1] [--json FILE]

Reads the local instance `bench` (or --instance NAME) and changes nothing;
`python bench/train_million.py` fills it with a million papers and ten million citations.
`peak` is the largest resident memory of the process, `before` that before the citations are read,
when the ids of the papers are there.
"""

import json
import time
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import click
import psutil

from specter_graph.cli.options import open_graph
from specter_graph.graph.algorithms.citation_edges import citation_edges
from specter_graph.graph.split import HOLDOUT, training_ids


@click.command()
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--holdout", default=HOLDOUT, show_default=True, help="Share of papers held out.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(instance: str, holdout: float, output: Path | None) -> None:
    """Read the citations and print what was noted."""
    with open_graph(instance) as graph:
        ids = list(training_ids(graph.database, 0))
        before = psutil.Process().memory_info().rss
        started = time.monotonic()
        edges = citation_edges(graph.database, ids, holdout)
        seconds = time.monotonic() - started
    noted = {
        "papers": len(ids),
        "citations": edges.shape[1],
        "seconds": round(seconds, 1),
        "before MiB": before // 2**20,
        "peak MiB": getrusage(RUSAGE_SELF).ru_maxrss // 2**10,
    }
    print(noted)
    if output:
        output.write_text(json.dumps(noted, indent=2) + "\n")


if __name__ == "__main__":
    main()
