"""What a search finds: titles, parts of abstracts, citations, missing references, judged queries.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    python bench/search.py hepph.jsonl.gz --vectors hepph [--cacm FOLDER] [--json FILE]

CLEARS the local instance `search` (or --instance NAME) and loads the corpus without the papers
that are asked with: held-out papers that cite at least 10 others, drawn by a seed. So neither their
text nor their citations help. The vectors are those of a space of another instance. Asked are:

- exact titles, titles without two of their words, and first halves of abstracts, of papers that
  are in the graph: whether the paper comes first, or in the first 3;
- title and abstract of hidden papers: how many of their references are in the first 20;
- the same with half of the references as a bibliography: how many of the others `missing
  references` finds in its first 20;
- with --cacm, the queries of the CACM collection: nDCG@10 and MAP.

Text, vectors and both are compared by paired bootstrap intervals. With --http the titles are asked
through the HTTP service too. --split validation asks with the papers that choices are made on.
--rerank MODEL adds the search whose 50 best papers a cross-encoder scores again.
"""

import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
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
from specter_graph.graph.split import HOLDOUT, split_keys
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper

CUT = 20
MIN_REFERENCES = 10
"""References among papers with records, of a hidden paper."""
MODES = ("text", "vector", "hybrid")

Result = Callable[[str, str], list[str]]
"""Ids found for a text in a mode."""


def hidden_papers(
    papers: dict[str, Paper], draws: dict[str, int], split: str, count: int, rng: random.Random
) -> list[str]:
    """Draw papers of a split that cite enough others."""
    low, high = split_keys(split, HOLDOUT)
    fit = [
        paper.id
        for paper in papers.values()
        if low <= draws[paper.id] < high and len(references(paper, papers)) >= MIN_REFERENCES
    ]
    return rng.sample(sorted(fit), min(count, len(fit)))


def references(paper: Paper, papers: dict[str, Paper]) -> list[str]:
    """What a paper cites among papers with records."""
    return sorted({*paper.references} & papers.keys() - {paper.id})


def prepare(
    graph: LiteratureGraph,
    papers: Sequence[Paper],
    record: EmbeddingSpace,
    ids: Sequence[str],
    vectors: np.ndarray,
) -> None:
    """Load papers and the vectors of a space into an empty graph."""
    graph.maintenance.clear()
    load_papers(graph.database, papers, rejects=None)
    other_place = {paper.id for paper in papers}
    stored = [place for place, paper in enumerate(ids) if paper in other_place]
    texts = {text.id: text for text in paper_texts(graph.database)}
    names = [ids[place] for place in stored]
    hashes = [text_hash(text_digest(record), texts[name]) for name in names]
    write_space(graph.database, record, names, vectors[stored], hashes)


def known_items(
    papers: Sequence[Paper], count: int, rng: random.Random
) -> dict[str, list[tuple[str, str]]]:
    """Texts and the papers that they are of, by kind."""
    some = rng.sample([paper for paper in papers if paper.abstract], count)
    kinds: dict[str, list[tuple[str, str]]] = {"title": [], "title without 2": [], "abstract": []}
    for paper in some:
        words, abstract = paper.title.split(), (paper.abstract or "").split()
        kinds["title"].append((paper.title, paper.id))
        if len(words) >= 4:
            left = sorted(rng.sample(range(len(words)), len(words) - 2))
            kinds["title without 2"].append((" ".join(words[each] for each in left), paper.id))
        kinds["abstract"].append((" ".join(abstract[: len(abstract) // 2]), paper.id))
    return kinds


def places(find: Callable[[str], list[str]], requested: list[tuple[str, str]]) -> dict[str, float]:
    """How often the paper comes first, in the first 3, and in the first 20; milliseconds."""
    ranks, milliseconds = [], []
    for text, paper in requested:
        started = time.perf_counter()
        result = find(text)
        milliseconds.append(1e3 * (time.perf_counter() - started))
        ranks.append(result.index(paper) if paper in result else CUT)
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {
        "queries": len(requested),
        "first": float(np.mean([rank == 0 for rank in ranks])),
        "top 3": float(np.mean([rank < 3 for rank in ranks])),
        "top 20": float(np.mean([rank < CUT for rank in ranks])),
        "p50 ms": round(float(p50), 1),
        "p95 ms": round(float(p95), 1),
    }


def compared(table: dict[str, list[float]]) -> dict[str, Any]:
    """Means with intervals, and what `hybrid` is more than each other one."""
    names = list(table)
    values = np.array([table[name] for name in names]).T
    ours = values[:, [names.index("hybrid")]]
    result = bootstrap_means(np.c_[values, ours - values], seed=0)
    more = {
        f"hybrid - {name}": asdict(each)
        for name, each in zip(names, result[len(names) :], strict=True)
        if name != "hybrid"
    }
    return {name: asdict(each) for name, each in zip(names, result, strict=False)} | more


def recall(result: Sequence[str], right: set[str]) -> float:
    """The share of what is right among the first CUT."""
    return len({*result[:CUT]} & right) / len(right)


def missing(
    graph: LiteratureGraph,
    drafts: Sequence[Paper],
    other_place: dict[str, Paper],
    name: str,
    rng: random.Random,
) -> dict[str, Any]:
    """Recall of hidden references, by what is given, beside naive ways."""
    table: dict[str, list[float]] = {}
    for paper in drafts:
        cited = references(paper, other_place)
        right = {*rng.sample(cited, len(cited) // 2)}
        given = [each for each in cited if each not in right]
        text = f"{paper.title}\n\n{paper.abstract or ''}"
        ways: dict[str, tuple[Sequence[str], set[str]]] = {
            "text and bibliography": (
                ids_of(
                    graph.missing_references(text, cites=given, until=paper.year, space=name, k=CUT)
                ),
                right,
            ),
            "bibliography": (
                ids_of(graph.missing_references(cites=given, until=paper.year, space=name, k=CUT)),
                right,
            ),
            "text": (
                ids_of(graph.missing_references(text, until=paper.year, space=name, k=CUT)),
                {*cited},
            ),
            "cited together with the bibliography": (cocited(graph, given, paper.year), right),
            "cited by most of the bibliography": (cited_by(graph, given), right),
        }
        for method, (result, of) in ways.items():
            table.setdefault(method, []).append(recall(result, of))
    result = bootstrap_means(np.array([*table.values()]).T, seed=0)
    return {method: asdict(each) for method, each in zip(table, result, strict=True)}


def ids_of(missing: Any) -> list[str]:  # noqa: ANN401
    """Ids of what is missing."""
    return [hit.id for hit in missing.hits]


def cocited(graph: LiteratureGraph, given: list[str], year: int | None) -> list[str]:
    """The papers most often cited together with the bibliography."""
    text = """UNWIND $given AS id MATCH (:Paper {id: id})<-[:CITES]-(citing)-[:CITES]->(other:!Stub)
    WHERE NOT other.id IN $given AND coalesce(other.year <= $year, true)
    RETURN other.id AS id, count(*) AS n ORDER BY n DESC, id LIMIT 20"""
    return [row["id"] for row in graph.database.read(text, given=given, year=year)]


def cited_by(graph: LiteratureGraph, given: list[str]) -> list[str]:
    """The papers that most of the bibliography cite."""
    text = """UNWIND $given AS id MATCH (:Paper {id: id})-[:CITES]->(other:!Stub)
    WHERE NOT other.id IN $given
    RETURN other.id AS id, count(*) AS n ORDER BY n DESC, id LIMIT 20"""
    return [row["id"] for row in graph.database.read(text, given=given)]


def cacm(folder: Path, instance: str, rerank: str | None) -> dict[str, Any]:
    """NDCG@10 and MAP on the CACM collection, by mode."""
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
        tables: dict[str, dict[str, list[float]]] = {"ndcg_cut_10": {}, "map": {}}
        scorer = pytrec_eval.RelevanceEvaluator(rated, {"ndcg_cut_10", "map"})
        for mode in (*MODES, "reranked") if rerank else MODES:
            requested = None if mode in ("hybrid", "reranked") else mode
            model, count = (rerank, 50) if mode == "reranked" else (None, 1_000)
            run = {
                query: {
                    hit.id: 1.0 / (1 + rank)
                    for rank, hit in enumerate(
                        graph.search(text, space="base", k=count, mode=requested, rerank=model)
                    )
                }
                for query, text in queries.items()
                if query in rated
            }
            scores = scorer.evaluate(run)
            for figure, table in tables.items():
                table[mode] = [scores.get(query, {}).get(figure, 0.0) for query in sorted(rated)]
    return {"queries": len(rated)} | {figure: compared(table) for figure, table in tables.items()}


@contextmanager
def served(instance: str, name: str) -> Iterator[httpx.Client]:
    """The HTTP service of an instance."""
    program = Path(sys.executable).with_name("specter-graph")
    command = [program, "serve", "--port", "0", "--instance", instance, "--space", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield httpx.Client(base_url=process.stdout.readline().strip(), timeout=60)
        finally:
            process.terminate()


@click.command()
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option("--vectors", default="hepph", show_default=True, help="An instance with the space.")
@click.option("--space", "name", default="specter", show_default=True, help="The space.")
@click.option("--instance", default="search", show_default=True, help="One to fill.")
@click.option("--titles", default=300, show_default=True, help="How many papers to look for.")
@click.option("--hidden", default=200, show_default=True, help="How many papers to hide.")
@click.option("--drafts", default=60, show_default=True, help="Of these, for missing references.")
@click.option("--split", type=click.Choice(["test", "validation"]), default="test")
@click.option("--seed", default=0, show_default=True)
@click.option("--http", is_flag=True, help="Ask for titles through the HTTP service, too.")
@click.option("--rerank", help="A cross-encoder.")
@click.option("--cacm", "collection", type=click.Path(exists=True, path_type=Path))
@click.option("--keep", is_flag=True, help="Use the instance as an earlier run filled it.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(
    corpus: Path,
    vectors: str,
    name: str,
    instance: str,
    titles: int,
    hidden: int,
    drafts: int,
    split: str,
    seed: int,
    http: bool,
    rerank: str | None,
    collection: Path | None,
    keep: bool,
    output: Path | None,
) -> None:
    """Hide, load, ask, and print the figures."""
    papers = {each.id: each for each in open_corpus("jsonl", corpus) if isinstance(each, Paper)}
    rng = random.Random(seed)
    with open_graph(vectors) as graph:
        record = get_space(graph.database, name)
        ids, matrix = read_vectors(graph.database, name)
        rows = graph.database.read("MATCH (p:Paper) RETURN p.id AS id, p.sample_key AS sample_key")
    draws = {row["id"]: row["sample_key"] for row in rows}
    chosen = hidden_papers(papers, draws, split, hidden, rng)
    left = {each: paper for each, paper in papers.items() if each not in chosen}
    figures: dict[str, Any] = {"corpus": corpus.name, "space": name, "split": split}
    with open_graph(instance) as graph:
        if not keep:
            prepare(graph, [*left.values()], record, ids, matrix)

        def find(text: str, mode: str = "hybrid") -> list[str]:
            requested: Any = None if mode in ("hybrid", "reranked") else mode
            model = rerank if mode == "reranked" else None
            hits = graph.search(text, space=name, k=CUT, mode=requested, rerank=model)
            return [hit.id for hit in hits]

        kinds = known_items([*left.values()], titles, rng)
        figures["known items"] = {
            kind: places(find, requested) for kind, requested in kinds.items()
        }
        if http:
            with served(instance, name) as client:

                def ask(text: str) -> list[str]:
                    answer = client.get("/v1/search", params={"q": text, "k": CUT})
                    return [hit["id"] for hit in answer.raise_for_status().json()["hits"]]

                figures["known items over HTTP"] = {
                    kind: places(ask, requested) for kind, requested in kinds.items()
                }
        modes = (*MODES, "reranked") if rerank else MODES
        table: dict[str, list[float]] = {mode: [] for mode in modes}
        for paper_id in chosen:
            paper = papers[paper_id]
            right = {*references(paper, left)}
            text = f"{paper.title}\n\n{paper.abstract or ''}"
            for mode in modes:
                table[mode].append(recall(find(text, mode), right))
        figures["citations"] = {"queries": len(chosen)} | compared(table)
        drawn = [papers[each] for each in chosen[:drafts]]
        figures["missing references"] = missing(graph, drawn, left, name, rng)
    if collection:
        figures["CACM"] = cacm(collection, instance, rerank)
    text = json.dumps(figures, indent=1)
    print(text)
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
