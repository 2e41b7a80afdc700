"""Measure the latency of every query of the library on an existing graph.

    python bench/query.py --instance hepph [--papers 30] [--json FILE]
    python bench/generated_graph.py --instance generated
    python bench/query.py --instance generated

In addition, the script measures

- `similar`, in ratio to a bare `db.index.vector.queryNodes` for the same papers with 10 candidates,
  and with the 100 candidates that `similar` requests;
- the default search, for titles;
- the recall@10 of the vector index, with 100 candidates or with others (--candidates).

Every query runs for random papers with the defaults of its header (k = 10), after as many warm-up
runs. The latency is that of `run_query`, with its checks and Bolt. The embedding of a text is not
included: the stored vector of a paper replaces it. The graph is not changed.
"""

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import numpy as np
from numpy.typing import NDArray

from specter_graph.cli.options import open_graph
from specter_graph.cypher import Statement, library
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import index_name
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.graph.search import space_check
from specter_graph.graph.search.vector_search import MIN_CANDIDATES, nearest
from specter_graph.search import SearchOptions, search

GOAL = 200.0
PAPER_VALUES = """
UNWIND $ids AS id
MATCH (p:Paper {id: id})
RETURN p.id AS id, p.year AS year,
  COLLECT { MATCH (p)-[:CITES]->(cited:!Stub) WHERE cited[$space] IS NOT NULL RETURN cited.id }
    AS cited,
  COLLECT { MATCH (p)<-[:WROTE]-(author) RETURN author.id } AS authors,
  COLLECT { MATCH (p)-[:PUBLISHED_IN]->(venue) RETURN venue.id } AS venues,
  COLLECT { MATCH (p)-[:ABOUT]->(field) RETURN [field.scheme, field.id] } AS fields
"""
"""Values for the parameters of queries, by paper."""

Row = dict[str, Any]


def arguments(query: Statement, paper: Row, others: list[Row], rng: random.Random) -> Row | None:
    """Return the parameters that a query requires, or None if the graph has no value for one."""
    fields = sorted({tuple(each) for row in [paper, *others] for each in row["fields"]})
    scheme = rng.choice(fields)[0] if fields else None
    ids = [field for of_scheme, field in fields if of_scheme == scheme]
    rng.shuffle(ids)
    values = {
        "PAPER id": paper["id"],
        "PAPER from": paper["id"],
        "PAPER to": others[0]["id"],
        "PAPER cited": next(iter(paper["cited"]), None),
        "LIST<PAPER> ids": [row["id"] for row in [paper, *others[:2]]],
        "TEXT text": paper["id"],
        "INTEGER from": paper["year"],
        "INTEGER to": paper["year"],
        "STRING author": next(iter(paper["authors"]), None),
        "STRING venue": next(iter(paper["venues"]), None),
        "STRING field": next(iter(ids), None),
        "STRING first": next(iter(ids), None),
        "STRING second": next(iter(ids[1:]), None),
    }
    given = {
        each.name: values[f"{each.type} {each.name}"]
        for each in query.parameters
        if each.default is None or each.type == "PAPER"
    }
    if any(each.name == "scheme" for each in query.parameters):
        given["scheme"] = scheme
    return None if None in given.values() else given


def measure_query(
    db: Database, query: Statement, given: list[Row], vectors: dict[str, NDArray[np.float32]]
) -> Row:
    """Run a query twice with each set of parameters, and measure the second runs."""
    name = query.name.removeprefix("library/")
    milliseconds, rows = [], []
    for is_measured in (False, True):
        for each in given:
            started = time.perf_counter()
            result = run_query(db, name, each, embed=lambda text, _: vectors[text])
            if is_measured:
                milliseconds.append(1e3 * (time.perf_counter() - started))
                rows.append(len(result.rows))
    return summary(milliseconds) | {"rows": round(float(np.mean(rows)), 1)}


def summary(milliseconds: list[float]) -> Row:
    """Return the number of runs, the median and the 95th percentile, in milliseconds."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"runs": len(milliseconds), "p50": round(float(p50), 1), "p95": round(float(p95), 1)}


def measure_function(function: Callable[[str], object], ids: list[str]) -> Row:
    """Call a function twice with each paper, and measure the second calls."""
    milliseconds = []
    for is_measured in (False, True):
        for each in ids:
            started = time.perf_counter()
            function(each)
            if is_measured:
                milliseconds.append(1e3 * (time.perf_counter() - started))
    return summary(milliseconds)


def recall(db: Database, space: str, candidates: int) -> float | None:
    """Return the share of the 10 exact nearest papers that the index returns."""
    with patch.object(space_check, "MIN_CANDIDATES", candidates):
        return space_check.check(db, space)[0].recall


@click.command()
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("--papers", default=30, show_default=True, help="Random papers per query.")
@click.option("--space", default="specter", show_default=True, help="Space of the queries.")
@click.option(
    "--other", default="sgc", show_default=True, help="Second space of queries that take two."
)
@click.option("--query", "only", multiple=True, help="Measure only this query; repeatable.")
@click.option(
    "--candidates",
    "counts",
    multiple=True,
    default=(MIN_CANDIDATES,),
    help="Measure the recall with this number of candidates; repeatable.",
)
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    instance: str,
    papers: int,
    space: str,
    other: str,
    only: tuple[str, ...],
    counts: tuple[int, ...],
    seed: int,
    output: Path | None,
) -> None:
    """Measure every query and print the figures."""
    rng = random.Random(seed)
    figures: Row = {}
    with open_graph(instance) as graph:
        db = graph.database
        ids, matrix = read_vectors(db, space)
        drawn = rng.sample(range(len(ids)), min(3 * papers, len(ids)))
        vectors = {ids[i]: matrix[i] for i in drawn}
        rows = db.read(PAPER_VALUES, ids=[*vectors], space=space)
        for query in library():
            name = query.name.removeprefix("library/")
            if query.purpose == "match" or (only and name not in only):
                continue
            spaces = {each.name for each in query.parameters if each.type == "SPACE"}
            chosen = {"space": space, "other": other}
            given: list[Row] = []
            for row in rows:
                parameters = arguments(query, row, rng.sample(rows, 2), rng)
                if parameters is not None and len(given) < papers:
                    given.append(parameters | {each: chosen[each] for each in spaces})
            figures[name] = measure_query(db, query, given, vectors) if given else None
            click.echo(f"{name}: {figures[name]}", err=True)
        sample = {each: vectors[each] for each in [*vectors][:200]}
        titles = {each.id: each.title for each in paper_texts(db, [*sample])}
        bare = f"CALL db.index.vector.queryNodes('{index_name(space)}', $candidates, $vector)"
        bare += (
            " YIELD node, score RETURN node.id AS id, node.title AS title, node.year AS year, score"
        )
        functions = {
            "bare": lambda each: db.read(bare, candidates=10, vector=sample[each].tolist()),
            "bare of 100": lambda each: db.read(bare, candidates=100, vector=sample[each].tolist()),
            "similar": lambda each: graph.similar(each, space=space),
            "nearest": lambda each: nearest(db, sample[each], space),
            "hybrid": lambda each: search(
                db, lambda *_: sample[each], titles[each], SearchOptions(space=space)
            ),
        }
        times = {
            name: measure_function(function, [*sample]) for name, function in functions.items()
        }

        def ratio_to(name: str) -> float:
            return float(round(times["similar"]["p50"] / times[name]["p50"], 2))

        report = {
            "papers": stats(db).papers,
            "index recall@10 by candidates": {n: recall(db, space, n) for n in counts},
            **times,
            "similar over bare": ratio_to("bare"),
            "similar over bare of 100": ratio_to("bare of 100"),
            "queries": figures,
            "over_200_ms": [name for name, each in figures.items() if each and each["p95"] > GOAL],
            "load_average": os.getloadavg()[0],
        }
    text = json.dumps(report, indent=2)
    print(text)
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
