"""Measure load speed relative to plain Cypher (UNWIND and MERGE) on the same server.

    python bench/load.py [--papers 100000] [--citations 1000000] [--rounds 3] [--json FILE]

CLEARS the local instance `bench` (or --instance NAME). The records are generated before the
measurements, and the server is warmed up. Each round measures

- CREATE of all papers without a lookup, the upper limit of this server;
- plain Cypher: papers in two threads, then the citations between them, without checks and without
  updates of changed records;
- `load_papers` on the same papers without citations, and with citations;
- `load_papers` on the complete records (with authors, venues and fields), and once more on the same
  records.

The figures are medians. The time of citations is the difference of the times with and without them.
"""

import json
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import click
from corpus import random_corpus, text_and_references

from specter_graph.cli.options import open_graph
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders.records import Paper

CREATED_PAPERS = """
UNWIND $papers AS row
CREATE (p:Paper)
SET p = row
"""
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


def plain_papers(db: Database, papers: Sequence[Paper], statement: str = PLAIN_PAPERS) -> None:
    """Write papers with plain Cypher in two threads, or with another statement."""

    def write(start: int) -> None:
        rows = [
            {"id": p.id, "title": p.title, "abstract": p.abstract, "year": p.year}
            for p in papers[start : start + 2_000]
        ]
        db.write(statement, papers=rows)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, range(0, len(papers), 2_000)))


def plain_citations(db: Database, papers: Sequence[Paper]) -> None:
    """Write citations in one thread, because two threads would wait for each other's locks."""
    citations = [(paper.id, reference) for paper in papers for reference in paper.references]
    for start in range(0, len(citations), 10_000):
        db.write(PLAIN_CITATIONS, citations=citations[start : start + 10_000])


@click.command()
@click.option("--papers", default=100_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=1_000_000, show_default=True, help="Citations.")
@click.option("--rounds", default=3, show_default=True, help="Runs of each method.")
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(papers: int, citations: int, rounds: int, instance: str, output: Path | None) -> None:
    """Measure all methods in each round, and print the medians and the ratios."""
    records = list(random_corpus(papers, citations))
    cited = list(text_and_references(records))
    uncited = [replace(paper, references=()) for paper in cited]
    seconds: dict[str, list[float]] = defaultdict(list)
    with open_graph(instance, create=True) as graph:
        db = graph.database
        clear(db)
        load_papers(db, random_corpus(2_000, 20_000, seed=1))  # warms the JVM
        for _ in range(rounds):
            for name, is_empty, work in (
                ("papers created", True, lambda: plain_papers(db, cited, CREATED_PAPERS)),
                ("plain papers", True, lambda: plain_papers(db, cited)),
                ("plain citations", False, lambda: plain_citations(db, cited)),
                ("papers", True, lambda: load_papers(db, uncited)),
                ("papers and citations", True, lambda: load_papers(db, cited)),
                ("complete records", True, lambda: load_papers(db, records)),
                ("complete records again", False, lambda: load_papers(db, records)),
            ):
                if is_empty:
                    clear(db)
                started = time.monotonic()
                work()
                seconds[name].append(time.monotonic() - started)
                print(f"{name}: {seconds[name][-1]:.1f} s", flush=True)
        count = stats(db).citations
    median = {name: statistics.median(each) for name, each in seconds.items()}
    both = median["papers and citations"]
    loaded = {"papers": median["papers"], "citations": both - median["papers"]}
    figures = {
        "seconds": dict(seconds),
        "papers": papers,
        "citations": count,
        "per second": {
            "papers created": papers / median["papers created"],
            "plain papers": papers / median["plain papers"],
            "plain citations": count / median["plain citations"],
            "papers": papers / loaded["papers"],
            "citations": count / loaded["citations"],
            "complete records": papers / median["complete records"],
        },
        "times as fast as plain": {
            "papers created": median["plain papers"] / median["papers created"],
            "papers": median["plain papers"] / loaded["papers"],
            "citations": median["plain citations"] / loaded["citations"],
            "together": (median["plain papers"] + median["plain citations"]) / both,
        },
    }
    print(printed := json.dumps(figures, indent=2))
    if output:
        output.write_text(printed + "\n")


if __name__ == "__main__":
    main()
