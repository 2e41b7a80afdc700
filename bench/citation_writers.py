"""Measure rate and deadlocks of several writers of citations into a running server.

    python bench/citation_writers.py [--writers 2] [--grouped] [--citations 1000000] [--json FILE]

Works in the local instance `bench` (or --instance NAME), which it CLEARS. The citations are
supplementary, between generated papers that exist. Without --writers, `load_papers` writes them as
`load` does, by one writer. Each of several writers sorts the papers of a transaction and retries it
after a deadlock. With --grouped, the papers have two blocks for each writer, by their sample keys,
and two writers never write citations of the same block at the same time.
"""

import json
import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import click
import neo4j
from corpus import random_corpus

from specter_graph.cli.options import open_graph
from specter_graph.core.progress import batches
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.loading.summary import WriteCounts
from specter_graph.graph.loading.supplement_writer import write_citations
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders.records import Citation, Paper, sample_key

BATCH = 20_000
Batches = Sequence[Sequence[Citation]]


def random_citations(papers: int, citations: int) -> list[Citation]:
    """Return the citations of a random corpus in random order."""
    items = [
        Citation(paper.id, cited)
        for paper in random_corpus(papers, citations)
        for cited in paper.references
    ]
    Random(0).shuffle(items)
    return items


def in_rounds(citations: list[Citation], blocks: int) -> Iterator[list[Batches]]:
    """Yield rounds of groups of citations; the groups of a round have no block in common."""
    groups: dict[tuple[int, ...], list[Citation]] = defaultdict(list)
    for each in citations:
        ends = sample_key(each.citing) % blocks, sample_key(each.cited) % blocks
        groups[tuple(sorted(ends))].append(each)

    def of(pairs: list[tuple[int, ...]]) -> list[Batches]:
        return [[*batches(groups[pair], BATCH)] for pair in pairs]

    yield of([(block, block) for block in range(blocks)])
    circle = list(range(blocks))  # a round-robin tournament
    for _ in range(blocks - 1):
        pairs = zip(circle[: blocks // 2], circle[::-1], strict=False)
        yield of([tuple(sorted(pair)) for pair in pairs])
        circle = [circle[0], circle[-1], *circle[1:-1]]


def write(db: Database, writers: int, rounds: Iterator[list[Batches]]) -> int:
    """Write the groups of each round in several threads; return the number of retries."""
    runs: list[None] = []
    done: list[WriteCounts] = []

    def write_group(group: Batches) -> None:
        for batch in group:

            def work(
                tx: neo4j.ManagedTransaction, batch: Sequence[Citation] = batch
            ) -> WriteCounts:
                runs.append(None)
                return write_citations(tx, batch)

            done.append(db.transaction(work))

    with ThreadPoolExecutor(writers) as threads:
        for groups in rounds:
            list(threads.map(write_group, groups))
    return len(runs) - len(done)


@click.command()
@click.option("--papers", default=200_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=1_000_000, show_default=True, help="Number of citations.")
@click.option("--writers", default=1, show_default=True, help="Threads that write.")
@click.option("--grouped", is_flag=True, help="Group the citations by blocks of papers.")
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(
    papers: int,
    citations: int,
    writers: int,
    grouped: bool,
    instance: str,
    output: Path | None,
) -> None:
    """Write the citations, and print the seconds and the retries."""
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    items = random_citations(papers, citations)
    warm_up = [Citation(each.cited, each.citing) for each in items[:50_000]]
    with open_graph(instance, create=True) as graph:
        db = graph.database
        clear(db)
        load_papers(db, (Paper(f"p{number}", "Title") for number in range(papers)))
        load_papers(db, warm_up)
        retries = 0
        started = time.monotonic()
        if writers == 1:
            load_papers(db, items)
        elif grouped:
            retries = write(db, writers, in_rounds(items, 2 * writers))
        else:
            retries = write(db, writers, iter([[[batch] for batch in batches(items, BATCH)]]))
        seconds = time.monotonic() - started
    figures = {
        "citations": len(items),
        "writers": writers,
        "grouped": grouped,
        "seconds": round(seconds, 1),
        "retries": retries,
    }
    click.echo(figures)
    if output:
        output.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
