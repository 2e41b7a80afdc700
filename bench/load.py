"""Load speed, in ratio to the plain way (UNWIND and MERGE) on the same server in the same run.

    python bench/load.py [--papers 100000] [--citations 1000000] [--json FILE]

Works in the local instance `bench` (or --instance NAME), which it CLEARS. Three rows:
the plain way (papers and citations alone, nothing checked, not order-free), load_papers on the
same papers and citations, and load_papers on all that the records hold (authors, venues, fields).
The time includes the generation of the records, whose own time is given too.
"""

import json
import resource
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click
from corpus import random_corpus

from specter_graph.cli.options import open_graph
from specter_graph.graph.clear import clear
from specter_graph.graph.connection import Database
from specter_graph.graph.load import load_papers
from specter_graph.graph.stats import stats
from specter_graph.loaders.records import Paper

PLAIN_PAPERS = """
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
SET p.title = row.title, p.abstract = row.abstract, p.year = row.year
"""
PLAIN_CITATIONS = """
UNWIND $citations AS row
MATCH (p:Paper {id: row[0]})
MATCH (q:Paper {id: row[1]})
MERGE (p)-[:CITES]->(q)
"""


def load_plainly(db: Database, papers: Iterable[Paper]) -> None:
    """Papers first, then citations between them, as one would write it in an afternoon."""
    citations: list[tuple[str, str]] = []
    stream = iter(papers)
    while batch := list(islice(stream, 2_000)):
        citations += [(paper.id, reference) for paper in batch for reference in paper.references]
        rows = [
            {"id": p.id, "title": p.title, "abstract": p.abstract, "year": p.year} for p in batch
        ]
        db.write(PLAIN_PAPERS, papers=rows)
    for start in range(0, len(citations), 10_000):
        db.write(PLAIN_CITATIONS, citations=citations[start : start + 10_000])


def bare(papers: Iterable[Paper]) -> Iterator[Paper]:
    """The papers with text and references alone."""
    return (replace(paper, authors=(), venue=None, fields=()) for paper in papers)


@click.command()
@click.option("--papers", default=100_000, show_default=True)
@click.option("--citations", default=1_000_000, show_default=True)
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, citations: int, instance: str, output: Path | None) -> None:
    """Measure the three rows and print them."""

    def corpus() -> Iterator[Paper]:
        return random_corpus(papers, citations)

    started = time.monotonic()
    made = sum(1 for _ in corpus())
    figures: dict[str, dict[str, float]] = {
        "generation alone": {"seconds": time.monotonic() - started, "papers": made}
    }
    with open_graph(instance) as graph:
        db = graph.database
        clear(db)
        load_papers(db, random_corpus(2_000, 20_000, seed=1))  # the JVM is warm for all rows
        for name, work in (
            ("load_papers, all", lambda: load_papers(db, corpus())),
            ("load_papers, again", lambda: load_papers(db, corpus())),
            ("load_papers, bare", lambda: load_papers(db, bare(corpus()))),
            ("plain", lambda: load_plainly(db, corpus())),
        ):
            if name != "load_papers, again":
                clear(db)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            started = time.monotonic()
            work()
            seconds = time.monotonic() - started
            counts = stats(db)
            figures[name] = {
                "seconds": seconds,
                "papers": counts.papers,
                "citations": counts.citations,
                "papers/s": counts.papers / seconds,
                "citations/s": counts.citations / seconds,
                "memory grew by MiB": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
                / 1024,
                "peak MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
            print(name, {key: round(value, 1) for key, value in figures[name].items()}, flush=True)
    plain = figures["plain"]["seconds"]
    for name in ("load_papers, bare", "load_papers, all"):
        figures[name]["speed / plain"] = plain / figures[name]["seconds"]
        print(f"{name}: {figures[name]['speed / plain']:.2f} x the speed of the plain way")
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
