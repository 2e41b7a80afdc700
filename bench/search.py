"""Measure the quality of searches: titles, abstracts, references, missing references and CACM.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    python bench/search.py hepph.jsonl.gz --vectors hepph [--space NAME] [--cacm FOLDER]

CLEARS the local instance `search` (or --instance NAME) and loads the corpus without the hidden
papers: held-out papers that cite at least 10 others, drawn with a seed. Therefore, neither their
texts nor their citations are in the graph. The vectors are those of spaces of another instance.
The queries are

- exact titles, titles without two of their words, and first halves of abstracts of papers in the
  graph: the share of queries that rank the paper first, in the first 3 and in the first 20;
- title and abstract of hidden papers: the share of their references in the first 20 results;
- the same with half of the references as a bibliography: the share of the other half in the first
  20 results of `missing references`;
- with --cacm, the queries of the CACM collection, with the spaces `base` and `static`: nDCG@10 and
  MAP.

Search by text, by the vectors of each space and by both are compared, with paired bootstrap
intervals. --http also sends the titles to the HTTP service. --split validation hides validation
papers, by which settings were selected. --rerank MODEL adds a search that scores its 50 best papers
again with a cross-encoder, for hidden papers and CACM.
"""

import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import httpx
import numpy as np

from specter_graph.cli.options import open_graph
from specter_graph.core.statistics import bootstrap_means
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    get_space,
    read_vectors,
    text_digest,
    text_hash,
    write_space,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import HOLDOUT, HeldOutSplit, split_keys
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper

CUT = 20
MIN_REFERENCES = 10
"""Minimum number of references of a hidden paper, among papers with records."""


def searches(spaces: Sequence[str], rerank: str | None = None) -> dict[str, dict[str, Any]]:
    """Return the options of the searches to compare, by name."""
    result: dict[str, dict[str, Any]] = {"text": {"mode": "text"}}
    for space in spaces:
        result[f"search {space}"] = {"space": space}
        result[f"vectors {space}"] = {"space": space, "mode": "vector"}
    if rerank:
        result["reranked"] = {"space": spaces[0], "rerank": rerank}
    return result


def hidden_papers(
    papers: dict[str, Paper],
    sample_keys: dict[str, int],
    split: HeldOutSplit,
    count: int,
    rng: random.Random,
) -> list[str]:
    """Draw papers of a split with at least MIN_REFERENCES references."""
    low, high = split_keys(split, HOLDOUT)
    candidates = [
        paper.id
        for paper in papers.values()
        if low <= sample_keys[paper.id] < high and len(references(paper, papers)) >= MIN_REFERENCES
    ]
    return rng.sample(sorted(candidates), min(count, len(candidates)))


def references(paper: Paper, papers: dict[str, Paper]) -> list[str]:
    """Return the references of a paper among papers with records."""
    return sorted({*paper.references} & papers.keys() - {paper.id})


def fill(
    graph: LiteratureGraph,
    papers: Sequence[Paper],
    spaces: Sequence[tuple[EmbeddingSpace, Sequence[str], np.ndarray]],
) -> None:
    """Load papers and the vectors of spaces into an empty graph."""
    graph.maintenance.clear()
    load_papers(graph.database, papers, rejects=None)
    loaded = {paper.id for paper in papers}
    texts = {text.id: text for text in paper_texts(graph.database)}
    for record, ids, vectors in spaces:
        stored = [row for row, paper in enumerate(ids) if paper in loaded]
        names = [ids[row] for row in stored]
        hashes = [text_hash(text_digest(record), texts[name]) for name in names]
        write_space(graph.database, record, names, vectors[stored], hashes)


def known_items(
    papers: Sequence[Paper], count: int, rng: random.Random
) -> dict[str, list[tuple[str, str]]]:
    """Return queries and the papers from which they are taken, by kind."""
    sample = rng.sample([paper for paper in papers if paper.abstract], count)
    kinds: dict[str, list[tuple[str, str]]] = {"title": [], "title without 2": [], "abstract": []}
    for paper in sample:
        words, abstract = paper.title.split(), (paper.abstract or "").split()
        kinds["title"].append((paper.title, paper.id))
        if len(words) >= 4:
            rest = sorted(rng.sample(range(len(words)), len(words) - 2))
            kinds["title without 2"].append((" ".join(words[each] for each in rest), paper.id))
        kinds["abstract"].append((" ".join(abstract[: len(abstract) // 2]), paper.id))
    return kinds


def measure_ranks(
    search: Callable[[str], list[str]], queries: list[tuple[str, str]]
) -> dict[str, Any]:
    """Return the shares of first ranks and of the top 3 and 20, and the latencies."""
    ranks, milliseconds = [], []
    for text, paper in queries:
        started = time.perf_counter()
        result = search(text)
        milliseconds.append(1e3 * (time.perf_counter() - started))
        ranks.append(result.index(paper) if paper in result else CUT)
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {
        "queries": len(queries),
        "first": interval([rank == 0 for rank in ranks]),
        "top 3": interval([rank < 3 for rank in ranks]),
        "top 20": float(np.mean([rank < CUT for rank in ranks])),
        "p50 ms": round(float(p50), 1),
        "p95 ms": round(float(p95), 1),
    }


def interval(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean of the values with its interval."""
    return asdict(bootstrap_means(np.array([values], float).T, seed=0)[0])


def compare(table: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return means with intervals, and the paired differences of all searches."""
    columns = dict(table)
    for one, other in combinations(table, 2):
        columns[f"{other} - {one}"] = np.subtract(table[other], table[one]).tolist()
    result = bootstrap_means(np.array([*columns.values()]).T, seed=0)
    return {name: asdict(each) for name, each in zip(columns, result, strict=True)}


def recall(result: Sequence[str], relevant: set[str]) -> float:
    """Return the share of the relevant papers among the first CUT results."""
    return len({*result[:CUT]} & relevant) / len(relevant)


def measure_missing_references(
    graph: LiteratureGraph,
    drafts: Sequence[Paper],
    papers: dict[str, Paper],
    name: str,
    rng: random.Random,
) -> dict[str, Any]:
    """Return the recall of hidden references by input, and that of simple baselines."""
    table: dict[str, list[float]] = {}
    for paper in drafts:
        cited = references(paper, papers)
        hidden = {*rng.sample(cited, len(cited) // 2)}
        given = [each for each in cited if each not in hidden]
        text = f"{paper.title}\n\n{paper.abstract or ''}"
        methods: dict[str, tuple[Sequence[str], set[str]]] = {
            "text and bibliography": (
                hit_ids(
                    graph.missing_references(text, cites=given, until=paper.year, space=name, k=CUT)
                ),
                hidden,
            ),
            "bibliography": (
                hit_ids(graph.missing_references(cites=given, until=paper.year, space=name, k=CUT)),
                hidden,
            ),
            "text": (
                hit_ids(graph.missing_references(text, until=paper.year, space=name, k=CUT)),
                {*cited},
            ),
            "cited together with the bibliography": (cocited(graph, given, paper.year), hidden),
            "cited by most of the bibliography": (cited_by(graph, given), hidden),
        }
        for method, (result, relevant) in methods.items():
            table.setdefault(method, []).append(recall(result, relevant))
    intervals = bootstrap_means(np.array([*table.values()]).T, seed=0)
    return {method: asdict(each) for method, each in zip(table, intervals, strict=True)}


def hit_ids(result: Any) -> list[str]:  # noqa: ANN401
    """Return the ids of the hits of a result."""
    return [hit.id for hit in result.hits]


def cocited(graph: LiteratureGraph, given: list[str], year: int | None) -> list[str]:
    """Return the papers most often cited together with the bibliography."""
    text = """UNWIND $given AS id MATCH (:Paper {id: id})<-[:CITES]-(citing)-[:CITES]->(other:!Stub)
    WHERE NOT other.id IN $given AND coalesce(other.year <= $year, true)
    RETURN other.id AS id, count(*) AS n ORDER BY n DESC, id LIMIT 20"""
    return [row["id"] for row in graph.database.read(text, given=given, year=year)]


def cited_by(graph: LiteratureGraph, given: list[str]) -> list[str]:
    """Return the papers that are cited by the largest number of papers of the bibliography."""
    text = """UNWIND $given AS id MATCH (:Paper {id: id})-[:CITES]->(other:!Stub)
    WHERE NOT other.id IN $given
    RETURN other.id AS id, count(*) AS n ORDER BY n DESC, id LIMIT 20"""
    return [row["id"] for row in graph.database.read(text, given=given)]


def measure_cacm(folder: Path, instance: str, rerank: str | None) -> dict[str, Any]:
    """Return nDCG@10 and MAP on the CACM collection, by search."""
    import pytrec_eval

    rated: dict[str, dict[str, int]] = {}
    for line in (folder / "cacm_cacm.qrels").read_text().splitlines():
        query, _, paper, _ = line.split()
        rated.setdefault(str(int(query)), {})[f"cacm:{int(paper)}"] = 1
    queries = {}
    for block in (folder / "cacm_query.text").read_text().split(".I ")[1:]:
        text = re.search(r"\.W\n(.*?)(?=\n\.[A-Z]\n|\Z)", block, re.DOTALL)
        assert text
        queries[block.split()[0]] = " ".join(text[1].split())
    with open_graph(instance) as graph:
        graph.maintenance.clear()
        graph.load(open_corpus("jsonl", folder / "papers.jsonl"))
        graph.embed(Encoder.base(), "base")
        graph.embed(Encoder.base("static"), "static")
        tables: dict[str, dict[str, list[float]]] = {"ndcg_cut_10": {}, "map": {}}
        scorer = pytrec_eval.RelevanceEvaluator(rated, {"ndcg_cut_10", "map"})
        for name, options in searches(("base", "static"), rerank).items():
            run = {
                query: {
                    hit.id: 1.0 / (1 + rank)
                    for rank, hit in enumerate(
                        graph.search(text, k=50 if "rerank" in options else 1_000, **options)
                    )
                }
                for query, text in queries.items()
                if query in rated
            }
            scores = scorer.evaluate(run)
            for figure, table in tables.items():
                table[name] = [scores.get(query, {}).get(figure, 0.0) for query in sorted(rated)]
    return {"queries": len(rated)} | {figure: compare(table) for figure, table in tables.items()}


@contextmanager
def start_service(instance: str, name: str) -> Iterator[httpx.Client]:
    """Start the HTTP service of an instance, and yield a client."""
    program = Path(sys.executable).with_name("specter-graph")
    command = [str(program), "serve", "--port", "0", "--instance", instance, "--space", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield httpx.Client(base_url=process.stdout.readline().strip(), timeout=60)
        finally:
            process.terminate()


@click.command()
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option("--vectors", default="hepph", show_default=True, help="Instance that has the space.")
@click.option(
    "--space", "spaces", multiple=True, default=["specter"], show_default=True, help="Space."
)
@click.option("--instance", default="search", show_default=True, help="Instance to fill.")
@click.option("--titles", default=300, show_default=True, help="Number of known papers.")
@click.option("--hidden", default=200, show_default=True, help="Number of hidden papers.")
@click.option("--drafts", default=60, show_default=True, help="Hidden papers used as drafts.")
@click.option(
    "--split",
    type=click.Choice(["test", "validation"]),
    default="test",
    help="Split of the hidden papers.",
)
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@click.option("--http", is_flag=True, help="Also search for titles over HTTP.")
@click.option("--rerank", help="Cross-encoder: a hub name or a path.")
@click.option(
    "--cacm", "collection", type=click.Path(exists=True, path_type=Path), help="Folder of CACM."
)
@click.option("--keep", is_flag=True, help="Use the instance as an earlier run filled it.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    corpus: Path,
    vectors: str,
    spaces: tuple[str, ...],
    instance: str,
    titles: int,
    hidden: int,
    drafts: int,
    split: HeldOutSplit,
    seed: int,
    http: bool,
    rerank: str | None,
    collection: Path | None,
    keep: bool,
    output: Path | None,
) -> None:
    """Hide papers, load the others, search, and print the figures."""
    papers = {each.id: each for each in open_corpus("jsonl", corpus) if isinstance(each, Paper)}
    rng = random.Random(seed)
    with open_graph(vectors) as graph:
        stored = [
            (get_space(graph.database, name), *read_vectors(graph.database, name))
            for name in spaces
        ]
        rows = graph.database.read("MATCH (p:Paper) RETURN p.id AS id, p.sample_key AS sample_key")
    sample_keys = {row["id"]: row["sample_key"] for row in rows}
    chosen = hidden_papers(papers, sample_keys, split, hidden, rng)
    loaded = {each: paper for each, paper in papers.items() if each not in chosen}
    figures: dict[str, Any] = {"corpus": corpus.name, "spaces": spaces, "split": split}
    with open_graph(instance, create=True) as graph:
        if not keep:
            fill(graph, [*loaded.values()], stored)

        def search(options: dict[str, Any], text: str) -> list[str]:
            return [hit.id for hit in graph.search(text, k=CUT, **options)]

        kinds = known_items([*loaded.values()], titles, rng)
        figures["known items"] = {
            kind: {
                name: measure_ranks(partial(search, options), queries)
                for name, options in searches(spaces).items()
            }
            for kind, queries in kinds.items()
        }
        if http:
            with start_service(instance, spaces[0]) as client:

                def search_http(text: str) -> list[str]:
                    response = client.get("/v1/search", params={"q": text, "k": CUT})
                    return [hit["id"] for hit in response.raise_for_status().json()["hits"]]

                figures["known items over HTTP"] = {
                    kind: measure_ranks(search_http, queries) for kind, queries in kinds.items()
                }
        compared = searches(spaces, rerank)
        table: dict[str, list[float]] = {name: [] for name in compared}
        for paper_id in chosen:
            paper = papers[paper_id]
            relevant = {*references(paper, loaded)}
            text = f"{paper.title}\n\n{paper.abstract or ''}"
            for name, options in compared.items():
                table[name].append(recall(search(options, text), relevant))
        figures["citations"] = {"queries": len(chosen)} | compare(table)
        drawn = [papers[each] for each in chosen[:drafts]]
        figures["missing references"] = measure_missing_references(
            graph, drawn, loaded, spaces[0], rng
        )
    if collection:
        figures["CACM"] = measure_cacm(collection, instance, rerank)
    text = json.dumps(figures, indent=1)
    print(text)
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
