"""Measure merging of papers from two sources, and loading into merged papers.

    python bench/merge.py [--papers 100000] [--citations 1000000] [--json FILE]

CLEARS the local instance `bench` (or --instance NAME). Each paper of one source has the same DOI as
a paper of the other source, and each source cites by its own ids. Steps: load both sources; merge;
merge again without changes; load one source again without changes; load changed records of every
tenth paper; merge the changed records.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import click
from corpus import random_corpus

from specter_graph.cli.options import open_graph
from specter_graph.graph.contents import stats
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders.records import Identifier, Paper


def source_records(source: str, papers: int, citations: int) -> Iterator[Paper]:
    """Yield the corpus with the ids of this source and with DOIs that both sources share."""
    for paper in random_corpus(papers, citations):
        yield replace(
            paper,
            id=f"{source}:{paper.id}",
            source=source,
            identifiers=(Identifier("doi", f"10.1000/{paper.id}"),),
            references=tuple(f"{source}:{key}" for key in paper.references),
        )


def revise(papers: Iterator[Paper]) -> Iterator[Paper]:
    """Yield every tenth paper with another title."""
    for number, paper in enumerate(papers):
        if number % 10 == 0:
            yield replace(paper, title=f"{paper.title}, revised")


@click.command()
@click.option("--papers", default=100_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=1_000_000, show_default=True, help="Citations.")
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(papers: int, citations: int, instance: str, output: Path | None) -> None:
    """Measure each step and print the seconds."""
    a, b = (list(source_records(source, papers // 2, citations // 2)) for source in "ab")
    revised = list(revise(iter(b)))
    seconds: dict[str, float] = {}
    with open_graph(instance, create=True) as graph:
        db = graph.database
        clear(db)
        steps: dict[str, Callable[[], object]] = {
            "load both sources": lambda: load_papers(db, [*a, *b]),
            "merge": lambda: merge(db),
            "merge again": lambda: merge(db),
            "load one source again": lambda: load_papers(db, b),
            "load changed records": lambda: load_papers(db, revised),
            "merge changed records": lambda: merge(db),
        }
        for name, step in steps.items():
            started = time.monotonic()
            result = step()
            seconds[name] = round(time.monotonic() - started, 2)
            print(f"{name}: {seconds[name]} s  {result}", flush=True)
        print(stats(db))
    if output:
        output.write_text(json.dumps(seconds, indent=2) + "\n")


if __name__ == "__main__":
    main()
