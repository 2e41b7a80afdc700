"""Load speed, in ratio to the plain way (UNWIND and MERGE) on the same server in the same run.

    python bench/load.py [--papers 100000] [--citations 1000000] [--rounds 3] [--json FILE]

Works in the local instance `bench` (or --instance NAME), which it CLEARS. The records are made
beforehand. In each round, the server warm: the papers created without a look at what is there,
which is as fast as this server takes them (the limit); the plain way (papers in two threads, then
citations between them; nothing checked, and not to be repeated for changed records), load_papers on
the same papers without and with their citations, on all that the records hold (authors, venues,
fields), and on the same once more. Medians count; citations are the time with them less the time
without.
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
from corpus import bare, random_corpus

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
    """As one would write it in an afternoon, two threads; or by another statement."""

    def write(start: int) -> None:
        rows = [
            {"id": p.id, "title": p.title, "abstract": p.abstract, "year": p.year}
            for p in papers[start : start + 2_000]
        ]
        db.write(statement, papers=rows)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, range(0, len(papers), 2_000)))


def plain_citations(db: Database, papers: Sequence[Paper]) -> None:
    """Between papers that are there, one thread: two would wait for each other's locks."""
    citations = [(paper.id, reference) for paper in papers for reference in paper.references]
    for start in range(0, len(citations), 10_000):
        db.write(PLAIN_CITATIONS, citations=citations[start : start + 10_000])


@click.command()
@click.option("--papers", default=100_000, show_default=True)
@click.option("--citations", default=1_000_000, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, citations: int, rounds: int, instance: str, output: Path | None) -> None:
    """Measure all in each round and print the medians and the ratios."""
    expected = list(random_corpus(papers, citations))
    text = list(bare(expected))
    alone = [replace(paper, references=()) for paper in text]
    seconds: dict[str, list[float]] = defaultdict(list)
    with open_graph(instance) as graph:
        db = graph.database
        clear(db)
        load_papers(db, random_corpus(2_000, 20_000, seed=1))  # the JVM is warm for all
        for _ in range(rounds):
            for name, empty, work in (
                ("papers created", True, lambda: plain_papers(db, text, CREATED_PAPERS)),
                ("plain papers", True, lambda: plain_papers(db, text)),
                ("plain citations", False, lambda: plain_citations(db, text)),
                ("papers", True, lambda: load_papers(db, alone)),
                ("papers and citations", True, lambda: load_papers(db, text)),
                ("whole records", True, lambda: load_papers(db, expected)),
                ("whole records again", False, lambda: load_papers(db, expected)),
            ):
                if empty:
                    clear(db)
                started = time.monotonic()
                work()
                seconds[name].append(time.monotonic() - started)
                print(f"{name}: {seconds[name][-1]:.1f} s", flush=True)
        count = stats(db).citations
    median = {name: statistics.median(each) for name, each in seconds.items()}
    together = median["papers and citations"]
    ours = {"papers": median["papers"], "citations": together - median["papers"]}
    figures = {
        "seconds": dict(seconds),
        "papers": papers,
        "citations": count,
        "per second": {
            "papers created": papers / median["papers created"],
            "plain papers": papers / median["plain papers"],
            "plain citations": count / median["plain citations"],
            "papers": papers / ours["papers"],
            "citations": count / ours["citations"],
            "whole records": papers / median["whole records"],
        },
        "times as fast as plain": {
            "papers created": median["plain papers"] / median["papers created"],
            "papers": median["plain papers"] / ours["papers"],
            "citations": median["plain citations"] / ours["citations"],
            "together": (median["plain papers"] + median["plain citations"]) / together,
        },
    }
    print(printed := json.dumps(figures, indent=2))
    if output:
        output.write_text(printed + "\n")


if __name__ == "__main__":
    main()
