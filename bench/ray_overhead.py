"""An embedding by Ray on this machine beside the same embedding by one process.

    python bench/ray_overhead.py [--papers 2000] [--model MODEL] [--rounds 1] [--json FILE]

Works in the local instance `bench` (or --instance NAME), which it CLEARS. The papers are generated;
the model is real. Both ways use all cores: one process with a thread for each core,
and a worker for each. The start of Ray and of the workers, which import PyTorch and load the model,
does not grow with the papers: two sizes separate it from the rest.
"""

import json
import tempfile
import time
from pathlib import Path

import click
import psutil
from corpus import random_corpus, text_and_references

from specter_graph import LiteratureGraph
from specter_graph.cli.options import open_graph
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.scale import RayWorkers


def seconds_of(
    graph: LiteratureGraph, encoder: Encoder, space: str, workers: RayWorkers | None
) -> float:
    """Embed into a new space, which is dropped afterwards."""
    started = time.monotonic()
    graph.embed(encoder, space, workers=workers)
    seconds = time.monotonic() - started
    graph.spaces.drop(space)
    return seconds


@click.command()
@click.option("--papers", default=2_000, show_default=True)
@click.option("--model", help="The model, by default the offline MiniLM.")
@click.option("--rounds", default=1, show_default=True)
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, model: str | None, rounds: int, instance: str, output: Path | None) -> None:
    """Load, embed in both ways in turn, and print the seconds."""
    measured = []
    with open_graph(instance) as graph, tempfile.TemporaryDirectory() as folder:
        clear(graph.database)
        load_papers(graph.database, text_and_references(random_corpus(papers, papers)))
        encoder = Encoder.load(model)
        encoder.model.precision = encoder.model.default_precision
        encoder.encode(["a first text, which loads the network"])
        for number in range(rounds):
            local = seconds_of(graph, encoder, f"local{number}", None)
            click.echo(f"{papers:,} papers, one process: {local:.1f} s")
            started = time.monotonic()
            with RayWorkers("local", folder) as workers:
                start = time.monotonic() - started
                by_ray = seconds_of(graph, encoder, f"ray{number}", workers)
            measured.append({"local": local, "start": start, "ray": by_ray})
            click.echo(
                f"Ray starts in {start:.1f} s and embeds in {by_ray:.1f} s:"
                f" {(start + by_ray) / local:.2f} times as long together"
            )
    if output:
        facts = {"papers": papers, "cores": psutil.cpu_count(), "rounds": measured}
        output.write_text(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()
