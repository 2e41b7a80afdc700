"""How long each query of the library takes on a graph that is there already.

    python bench/query.py --instance hepph [--papers 30] [--json FILE]
    python bench/generated_graph.py --instance made && python bench/query.py --instance made

Beside the queries: `similar`, in ratio to a bare `db.index.vector.queryNodes` for the same papers,
of 10 candidates and of the 100 that `similar` looks at; the default search, by a title; and what
the index misses of the ten nearest. Every query runs for random papers with its header's defaults
(k = 10), after as many runs that are not counted. The time is that of `run_query`, its checks and
the way over Bolt included, as a user waits for it; the embedding of a text is not: a paper's own
vector stands for it. Only reads.
"""

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from specter_graph.graph.search.index_recall import check
from specter_graph.graph.search.vector_search import nearest
from specter_graph.search import search

GOAL = 200.0
ABOUT = """
UNWIND $ids AS id
MATCH (p:Paper {id: id})
RETURN p.id AS id, p.year AS year,
  COLLECT { MATCH (p)-[:CITES]->(cited:!Stub) WHERE cited[$space] IS NOT NULL RETURN cited.id }
    AS cited,
  COLLECT { MATCH (p)<-[:WROTE]-(author) RETURN author.id } AS authors,
  COLLECT { MATCH (p)-[:PUBLISHED_IN]->(venue) RETURN venue.id } AS venues,
  COLLECT { MATCH (p)-[:ABOUT]->(field) RETURN [field.scheme, field.id] } AS fields
"""
"""What there is to ask about some papers."""

Row = dict[str, Any]


def arguments(query: Statement, paper: Row, others: list[Row], rng: random.Random) -> Row | None:
    """Make the parameters that a query needs; None where the graph has nothing of the kind."""
    fields = sorted({tuple(each) for row in [paper, *others] for each in row["fields"]})
    scheme = rng.choice(fields)[0] if fields else None
    ids = [field for of, field in fields if of == scheme]
    rng.shuffle(ids)
    known = {
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
        each.name: known[f"{each.type} {each.name}"]
        for each in query.parameters
        if each.default is None or each.type == "PAPER"
    }
    if any(each.name == "scheme" for each in query.parameters):
        given["scheme"] = scheme
    return None if None in given.values() else given


def timed(
    db: Database, query: Statement, given: list[Row], vectors: dict[str, NDArray[np.float32]]
) -> Row:
    """Run a query with each of the arguments, all of them twice; the second time counts."""
    name = query.name.removeprefix("library/")
    milliseconds, rows = [], []
    for counts in (False, True):
        for each in given:
            started = time.perf_counter()
            answer = run_query(db, name, each, embed=lambda text, _: vectors[text])
            if counts:
                milliseconds.append(1e3 * (time.perf_counter() - started))
                rows.append(len(answer.rows))
    return summary(milliseconds) | {"rows": round(float(np.mean(rows)), 1)}


def summary(milliseconds: list[float]) -> Row:
    """Median and 95th percentile, in milliseconds."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"runs": len(milliseconds), "p50": round(float(p50), 1), "p95": round(float(p95), 1)}


def warm(ask: Callable[[str], object], ids: list[str]) -> Row:
    """Time a question about each paper, all of them twice; the second time counts."""
    milliseconds = []
    for counts in (False, True):
        for each in ids:
            started = time.perf_counter()
            ask(each)
            if counts:
                milliseconds.append(1e3 * (time.perf_counter() - started))
    return summary(milliseconds)


@click.command()
@click.option("--instance", default="hepph", show_default=True)
@click.option("--papers", default=30, show_default=True, help="Random papers a query.")
@click.option("--space", default="specter", show_default=True)
@click.option("--other", default="sgc", show_default=True, help="For queries over two spaces.")
@click.option("--query", "only", multiple=True, help="This query alone; again for more.")
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(
    instance: str,
    papers: int,
    space: str,
    other: str,
    only: tuple[str, ...],
    seed: int,
    output: Path | None,
) -> None:
    """Time every query and print the figures."""
    rng = random.Random(seed)
    figures: Row = {}
    with open_graph(instance) as graph:
        db = graph.database
        ids, matrix = read_vectors(db, space)
        drawn = rng.sample(range(len(ids)), min(3 * papers, len(ids)))
        vectors = {ids[i]: matrix[i] for i in drawn}
        rows = db.read(ABOUT, ids=[*vectors], space=space)
        for query in library():
            name = query.name.removeprefix("library/")
            if query.purpose == "match" or (only and name not in only):
                continue
            spaces = {each.name for each in query.parameters if each.type == "SPACE"}
            chosen = {"space": space, "other": other}
            given: list[Row] = []
            for row in rows:
                created = arguments(query, row, rng.sample(rows, 2), rng)
                if created is not None and len(given) < papers:
                    given.append(created | {each: chosen[each] for each in spaces})
            figures[name] = timed(db, query, given, vectors) if given else None
            click.echo(f"{name}: {figures[name]}", err=True)
        some = {each: vectors[each] for each in [*vectors][:200]}
        words = {each.id: each.title for each in paper_texts(db, [*some])}
        bare = (
            f"CALL db.index.vector.queryNodes('{index_name(space)}', 10, $vector) YIELD node, score"
        )
        bare += " RETURN node.id AS id, node.title AS title, node.year AS year, score"
        single = {
            "bare": lambda each: db.read(bare, most=10, vector=some[each].tolist()),
            "bare of 100": lambda each: db.read(bare, most=100, vector=some[each].tolist()),
            "similar": lambda each: graph.similar(each, space=space),
            "nearest": lambda each: nearest(db, some[each], space),
            "hybrid": lambda each: search(
                db, lambda *_: some[each], words[each], default_space=space
            ),
        }
        times = {name: warm(ask, [*some]) for name, ask in single.items()}

        def over(name: str) -> float:
            return round(times["similar"]["p50"] / times[name]["p50"], 2)

        report = {
            "papers": stats(db).papers,
            "index recall@10": check(db, space)[0].recall,
            **times,
            "similar over bare": over("bare"),
            "similar over bare of 100": over("bare of 100"),
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
