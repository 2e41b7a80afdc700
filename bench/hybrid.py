"""Hidden references: the fused ranking of hybrid search against the best single signal.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    python bench/hybrid.py hepph.jsonl.gz --vectors hepph -o hybrid.json

Of 1,000 papers a random fifth of the references among papers with records is hidden: the corpus is
loaded without them into an instance of its own. Its vectors are those of `base`, which has seen no
citation. Each paper then asks for what it does not cite, of its year or earlier. Which single
signal is the best is chosen on 500 of the papers; the others are asked once, for the report.
"""

import json
import random
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

import click
import numpy as np

from specter_graph.cli.options import open_graph
from specter_graph.encoder import Encoder
from specter_graph.evaluation.bootstrap import intervals
from specter_graph.graph.connection import Database
from specter_graph.graph.load import load_papers
from specter_graph.graph.search import Filters, ask
from specter_graph.graph.search.fusion import fused
from specter_graph.graph.search.hybrid import Lists, by_citations, by_content, seeds_of
from specter_graph.graph.spaces import read_vectors, text_hash, write_vectors
from specter_graph.graph.texts import paper_texts
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper

SPACE = "base"
QUERIES = 500
LEAST = 10
"""References among papers with records, of a paper that is asked about."""
CUT = 20


def hide(papers: list[Paper], seed: int) -> dict[str, set[str]]:
    """For 1,000 papers the references that are hidden, by id; the first half is for choices."""
    rng = random.Random(seed)
    known = {paper.id for paper in papers}
    cited = {paper.id: {*paper.references} & known - {paper.id} for paper in papers}
    fit = sorted(paper for paper, references in cited.items() if len(references) >= LEAST)
    return {
        paper: {*rng.sample(sorted(cited[paper]), round(len(cited[paper]) / 5))}
        for paper in rng.sample(fit, 2 * QUERIES)
    }


def without(papers: Iterable[Paper], hidden: dict[str, set[str]]) -> list[Paper]:
    """The papers with the references that are not hidden."""
    return [
        replace(
            paper,
            references=tuple(r for r in paper.references if r not in hidden.get(paper.id, ())),
        )
        for paper in papers
    ]


def copy_vectors(db: Database, ids: list[str], vectors: np.ndarray) -> None:
    """Store base vectors under the hashes that they have, so that `embed` keeps them."""
    digest = Encoder.default().digest
    hashes = {text.id: text_hash(digest, text) for text in paper_texts(db)}
    write_vectors(db, SPACE, ids, vectors, [hashes[paper] for paper in ids])


def rankings(db: Database, paper: str, year: int | None) -> Lists:
    """What each signal finds for a paper among what it does not cite."""
    [vector] = read_vectors(db, SPACE, [paper])[1]
    filters = Filters(until=year)
    question = ask(db, SPACE, like=[paper], filters=filters, uncited=True)
    assert question.vector is not None
    assert np.allclose(question.vector, vector)
    lists, _ = by_content(db, question, SPACE, CUT)
    return lists | by_citations(db, question, lists, seeds_of(question, lists))


def recall(found: Iterable[str], hidden: set[str]) -> float:
    """The share of the hidden references among the first CUT."""
    return len({*list(found)[:CUT]} & hidden) / len(hidden)


def scores(
    db: Database, hidden: dict[str, set[str]], years: dict[str, int | None]
) -> dict[str, list[float]]:
    """Recall by signal and of the fused ranking, paper by paper."""
    table: dict[str, list[float]] = {}
    for number, (paper, missing) in enumerate(hidden.items()):
        lists = rankings(db, paper, years[paper])
        found: dict[str, Iterable[str]] = {**lists, "fused": fused(lists)}
        for name in {*found, *table}:
            column = table.setdefault(name, [0.0] * number)
            column.append(recall(found.get(name, ()), missing))
    return table


@click.command()
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option("--vectors", default="hepph", show_default=True, help="An instance with `base`.")
@click.option("--instance", default="hepph-hidden", show_default=True, help="One to fill.")
@click.option("--seed", default=0, show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def main(corpus: Path, vectors: str, instance: str, seed: int, output: Path) -> None:
    """Hide, load, ask, and write the figures."""
    papers = [each for each in open_corpus("jsonl", corpus) if isinstance(each, Paper)]
    hidden = hide(papers, seed)
    years = {paper.id: paper.year for paper in papers}
    with open_graph(vectors) as graph:
        ids, base = read_vectors(graph.database, SPACE)
    with open_graph(instance) as graph:
        graph.clear()
        load_papers(graph.database, without(papers, hidden))
        copy_vectors(graph.database, ids, base)
        graph.embed(Encoder.default(), SPACE)
        every = list(hidden.items())
        chosen = scores(graph.database, dict(every[:QUERIES]), years)
        single = max((name for name in chosen if name != "fused"), key=lambda n: sum(chosen[n]))
        table = scores(graph.database, dict(every[QUERIES:]), years)
    columns = np.array([table["fused"], table[single]]).T
    fusion, alone, more = intervals(np.c_[columns, columns[:, 0] - columns[:, 1]], seed=seed)
    figures = {
        "cut": CUT,
        "queries": len(columns),
        "single": single,
        "fused recall": asdict(fusion),
        "single recall": asdict(alone),
        "difference": asdict(more),
        "choices": {name: float(np.mean(column)) for name, column in sorted(chosen.items())},
        "report": {name: float(np.mean(column)) for name, column in sorted(table.items())},
    }
    output.write_text(json.dumps(figures, indent=1))
    click.echo(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
