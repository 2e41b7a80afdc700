"""Measure how many citations a head needs, by training on random subsets of a corpus's citations.

    specter-graph load jsonl hepph.jsonl.gz --instance hepph
    python bench/citations_needed.py --instance hepph --citations 685 --citations 3000 -o table.md

Trains the recipe `head` on the triplets of each number of citations between training papers, and
on the triplets of all citations, with vectors of the head only and with half of the base in the
vectors (`base_share`). The scores are those of the validation papers. Differences from the base
have paired 95 % bootstrap intervals.
"""

import tempfile
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from specter_graph.cli.options import open_graph
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.recipe import read_recipe
from specter_graph.evaluation import evaluate
from specter_graph.evaluation.protocols.space_evaluation import citation_data
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.split import HOLDOUT

METRICS = (("cite", "map"), ("cocite", "map"), ("retrieval", "recall@100"), ("retrieval", "mrr"))


def sample_citations(triplets: pa.Table, citations: int, seed: int) -> pa.Table:
    """Return the triplets of `citations` random pairs of query and positive."""
    queries, positives = (triplets[name].to_pylist() for name in ("query", "positive"))
    pairs = list(dict.fromkeys(zip(queries, positives, strict=True)))
    order = np.random.default_rng(seed).permutation(len(pairs))[:citations]
    chosen = {pairs[row] for row in order}
    rows = [pair in chosen for pair in zip(queries, positives, strict=True)]
    return triplets.filter(pa.array(rows))


@click.command()
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("--citations", multiple=True, type=int, help="Number of citations; repeatable.")
@click.option("--seed", default=0, show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Table file.")
def main(instance: str, citations: tuple[int, ...], seed: int, output: Path) -> None:
    """Train and score the heads, and write the table."""
    recipe = read_recipe("head").changed({"seed": seed})
    with open_graph(instance) as graph, tempfile.TemporaryDirectory() as folder:
        triplets = pa.Table.from_batches(list(graph.triplets(recipe.triplets)))
        texts = {text.id: text for text in paper_texts(graph.database)}
        spaces = {}
        for number in (*citations, 0):
            file = Path(folder) / "triplets.parquet"
            sample = sample_citations(triplets, number, seed) if number else triplets
            pq.write_table(sample, file)
            for share in (0.0, 0.5):
                model = Path(folder) / f"model-{number}-{share}"
                graph.train(model, recipe.changed({"base_share": share}), triplets=file)
                ids, base = read_vectors(graph.database, "base")
                vectors = Encoder.load(model).apply_head([texts[paper] for paper in ids], base)
                spaces["base"] = ids, base
                spaces[f"{number or 'all'} citations, base_share {share}"] = ids, vectors
        data = citation_data(graph.database, "validation", HOLDOUT)
        differences = evaluate(spaces, data, compare_to="base").as_json()["differences"]
    lines = [
        "| head | cite MAP | cocite MAP | R@100 | MRR |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, scores in differences.items():
        cells = (
            "{value:+.1f} ({low:.1f} to {high:.1f})".format(
                **{key: 100 * value for key, value in scores[task][metric].items()}
            )
            for task, metric in METRICS
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
