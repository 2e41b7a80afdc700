"""Measure the latency of the library queries for matching on an existing graph.

    python bench/match_queries.py --instance bench --space base --reviewers 300 --submissions 300

A temporary venue gets reviewers who are authors of at least 5 papers, and submissions that are
copies of papers: their title, authors, references, fields and vector. The venue is scored, because
`uncovered_submissions` reads the stored affinities. Every query runs for random submissions and
reviewers, after as many warm-up runs. The latency is that of `run_query` with its checks and Bolt,
without the embedding of a text. The venue is removed at the end.
"""

import json
import os
import random
import time
from typing import Any

import click
import numpy as np

from specter_graph.cli.options import open_graph
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import get_space, read_vectors
from specter_graph.graph.maintenance.delete import delete_venue
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.graph.reviewing.assignments import write_score_summary
from specter_graph.graph.reviewing.venue_data import read_submissions, write_submission_vectors
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import PaperText
from specter_graph.loaders.review_records import Reviewer, Submission
from specter_graph.matching.affinity.recommend_reviewers import score_submissions
from specter_graph.matching.affinity.scoring import ScoreSettings

VENUE = "bench-match-queries"
AUTHORS = """
UNWIND $ids AS id
MATCH (:Paper {id: id})<-[:WROTE]-(a:Author)
WITH DISTINCT a
WHERE COUNT { (a)-[:WROTE]->() } >= 5
RETURN a.id AS id, COUNT { (a)-[:WROTE]->() } AS papers LIMIT $limit
"""
COPIES = """
UNWIND $ids AS id
MATCH (p:Paper {id: id})
RETURN p.id AS id, p.title AS title,
  COLLECT { MATCH (p)<-[w:WROTE]-(a) RETURN a.id ORDER BY w.position } AS authors,
  COLLECT { MATCH (p)-[:CITES]->(q) RETURN q.id } AS references,
  COLLECT { MATCH (p)-[:ABOUT]->(f) RETURN coalesce(f.name, f.id) } AS topics
"""
SAMPLE = """
MATCH (p:Paper&!Stub)
WHERE p.sample_key >= $start AND p[$space] IS NOT NULL
RETURN p.id AS id ORDER BY p.sample_key LIMIT $limit
"""


def create_venue(db: Database, space: str, reviewers: int, submissions: int, seed: int) -> float:
    """Write the venue and return the mean number of papers per reviewer."""
    start = random.Random(seed).randrange(2**30)
    ids = [row["id"] for row in db.read(SAMPLE, start=start, space=space, limit=20_000)]
    authors = db.read(AUTHORS, ids=ids[submissions:], limit=reviewers)
    copies = db.read(COPIES, ids=ids[:submissions])
    import_venue(
        db, VENUE, VenueRecords(reviewers=[Reviewer(row["id"]) for row in authors], year=2024,
        submissions=[
            Submission(
                f"s{number}", row["title"], None, tuple(row["authors"]), tuple(row["references"]),
                tuple(dict.fromkeys(row["topics"])),
            )
            for number, row in enumerate(copies)
        ],
    ))  # fmt: skip
    with_vector, vectors = read_vectors(db, space, [row["id"] for row in copies])
    vector_of = dict(zip(with_vector, vectors, strict=True))
    texts = [PaperText(f"s{n}", row["title"], None) for n, row in enumerate(copies)]
    matrix = np.stack([vector_of[row["id"]] for row in copies])
    write_submission_vectors(db, VENUE, space, texts, matrix, get_space(db, space).digest)
    keys = [text.id for text in texts]
    scores = score_submissions(db, VENUE, keys, ScoreSettings(spaces=(space,)))
    write_score_summary(db, VENUE, keys, scores.affinity, scores.spaces)
    click.echo(f"{len(authors)} reviewers, {len(copies)} submissions", err=True)
    return float(np.mean([row["papers"] for row in authors]))


def time_queries(db: Database, space: str, runs: int, seed: int) -> dict[str, Any]:
    """Run every query `2 * runs` times and return the latencies of the second half."""
    rng = random.Random(seed)
    keys = [values.id for values in read_submissions(db, VENUE)]
    reviewers = [row["key"] for row in db.read(
        "MATCH (:ReviewVenue {name: $venue})<-[r:REVIEWS_FOR]-() RETURN r.key AS key", venue=VENUE
    )]  # fmt: skip
    _, vectors = read_vectors(db, space, [f"{VENUE}/{keys[0]}"], label="Submission")
    pairs = [(rng.choice(keys), rng.choice(reviewers)) for _ in range(runs)]
    parameters_by_query: dict[str, list[dict[str, Any]]] = {
        "reviewers_for_submission": [{"submission": key, "space": space} for key, _ in pairs],
        "reviewers_for_text": [{"text": "text", "space": space} for _ in pairs],
        "submissions_for_reviewer": [{"reviewer": who, "space": space} for _, who in pairs],
        "conflicts_of_pair": [{"submission": key, "reviewer": who} for key, who in pairs],
        "panel": [{"submission": key, "space": space} for key, _ in pairs],
        "load_by_topic": [{} for _ in pairs],
        "uncovered_submissions": [{} for _ in pairs],
    }
    figures = {}
    for name, parameters in parameters_by_query.items():
        milliseconds = []
        for is_counted in (False, True):
            for values in parameters:
                started = time.perf_counter()
                rows = run_query(
                    db, name, {"venue": VENUE} | values, embed=lambda *_: vectors[0]
                ).rows
                if is_counted:
                    milliseconds.append(1e3 * (time.perf_counter() - started))
        p50, p95 = np.percentile(milliseconds, [50, 95])
        figures[name] = {"p50": round(p50, 1), "p95": round(p95, 1), "rows": len(rows)}
        click.echo(f"{name}: {figures[name]}", err=True)
    return figures


@click.command()
@click.option("--instance", required=True, help="Local instance.")
@click.option("--space", default="base", show_default=True, help="Space of the queries.")
@click.option("--reviewers", default=300, show_default=True, help="Number of reviewers.")
@click.option("--submissions", default=300, show_default=True, help="Number of submissions.")
@click.option("--runs", default=50, show_default=True, help="Measured runs of each query.")
@click.option("--seed", default=0, show_default=True, help="Random seed.")
def main(instance: str, space: str, reviewers: int, submissions: int, runs: int, seed: int) -> None:
    """Time the queries and print the figures as JSON."""
    with open_graph(instance) as graph:
        db = graph.database
        try:
            papers = create_venue(db, space, reviewers, submissions, seed)
            figures = time_queries(db, space, runs, seed)
        finally:
            delete_venue(db, VENUE)
    report = {"papers per reviewer": papers, "load": os.getloadavg()[0], "ms": figures}
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
