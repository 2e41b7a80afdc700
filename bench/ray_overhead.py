"""Parsing, embedding and SGC by Ray on this machine beside the same work by one command.

    python bench/ray_overhead.py [--papers 2000] [--model MODEL] [--rounds 1] [--json FILE]

Works in the local instance `bench` (or --instance NAME), which it CLEARS. The papers are generated;
the model is real, or with `--model tiny` a random BERT of 2 layers and 32 dimensions. Both ways use
all cores: several processes or threads, and a worker for each core. The start of Ray and of the
workers, which import PyTorch and load the model, does not grow with the papers: two sizes separate
it from the rest.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import psutil
from corpus import random_corpus, text_and_references, write_jsonl
from embed_memory import tiny_bert

from specter_graph import LiteratureGraph
from specter_graph.cli.options import open_graph
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.loading.bulk.load import number_tasks
from specter_graph.graph.loading.bulk.parse import read_tasks, read_tasks_by
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders import Corpus, open_corpus
from specter_graph.scale import RayWorkers

CITATIONS, FILES = 10, 4


@contextmanager
def timed(seconds: dict[str, float], part: str) -> Iterator[None]:
    """Add the seconds of the block under the name of the part."""
    started = time.monotonic()
    yield
    seconds[part] = round(time.monotonic() - started, 1)


def measure(
    graph: LiteratureGraph, corpus: Corpus, encoder: Encoder, workers: RayWorkers | None
) -> dict[str, float]:
    """Parse the files, embed into a new space and smooth it; the spaces are dropped afterwards."""
    seconds: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        tasks = number_tasks(corpus.shards(psutil.cpu_count() or 1), Path(folder))
        with timed(seconds, "parse"):
            if workers:
                read_tasks_by(workers, f"{workers.storage}/load", corpus, tasks, lambda *_: None)
            else:
                read_tasks(corpus, tasks, lambda *_: None, mark="bench")
    with timed(seconds, "embed"):
        graph.embed(encoder, "compared", workers=workers)
    with timed(seconds, "sgc"):
        graph.sgc("compared", output_space="sgc_compared", workers=workers)
    for space in ("sgc_compared", "compared"):
        graph.spaces.delete(space)
    return seconds


@click.command()
@click.option("--papers", default=2_000, show_default=True, help="Number of papers.")
@click.option("--model", help="The model, by default the offline MiniLM.")
@click.option("--rounds", default=1, show_default=True, help="Runs of each way.")
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, model: str | None, rounds: int, instance: str, output: Path | None) -> None:
    """Load, run both ways in turn, and print the seconds."""
    measured = []
    with open_graph(instance, create=True) as graph, TemporaryDirectory() as name:
        folder = Path(name)
        clear(graph.database)
        citations = CITATIONS * papers
        load_papers(graph.database, text_and_references(random_corpus(papers, citations)))
        corpus = open_corpus("jsonl", *write_jsonl(folder, papers, citations, FILES))
        encoder = tiny_bert(folder / "tiny") if model == "tiny" else Encoder.load(model)
        encoder.model.precision = encoder.model.default_precision
        encoder.encode(["a first text, which loads the network"])
        for _ in range(rounds):
            one = measure(graph, corpus, encoder, None)
            click.echo(f"{papers:,} papers, without Ray: {one}")
            start: dict[str, float] = {}
            with timed(start, "start"):
                workers = RayWorkers("local", folder / "parts")
            with workers:
                by_ray = start | measure(graph, corpus, encoder, workers)
            ratio = round(sum(by_ray.values()) / sum(one.values()), 2)
            measured.append({"without Ray": one, "with Ray": by_ray, "ratio": ratio})
            click.echo(f"with Ray: {by_ray}, {ratio} times as long together")
    if output:
        facts = {"papers": papers, "cores": psutil.cpu_count(), "rounds": measured}
        output.write_text(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()
