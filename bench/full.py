"""Full fine-tuning of the default base on some queries of a corpus, scored against that base.

    specter-graph load jsonl hepph.jsonl.gz --instance hepph
    python bench/full.py --loss contrastive --per-query 1 --model full-model -o table.md

The paper's recipe (triplet margin loss, L2, margin 1, unnormalised vectors, Adam with warm-up), or
the contrastive loss, cut to what two cores do in half an hour or more: 2,000 queries, texts of 128
tokens, one epoch. Scored on the test papers with the same cut, by paired bootstrap against the
base.
"""

import json
import time
from pathlib import Path
from typing import Literal

import click
import pyarrow as pa

from specter_graph.cli.options import open_graph
from specter_graph.cli.terminal import progress_bar
from specter_graph.encoder import BaseModel, Encoder, FullSettings, train_full
from specter_graph.evaluation import Facts, evaluate
from specter_graph.evaluation.table import markdown
from specter_graph.graph.facts import held_out_citations
from specter_graph.graph.holdout import split_ids
from specter_graph.graph.texts import paper_texts
from specter_graph.literature import LiteratureGraph
from specter_graph.triplet_sources import Citations

PER_QUERY = 5


def triplets_of(
    graph: LiteratureGraph,
    split: Literal["train", "validation"],
    queries: int,
    per_query: int = PER_QUERY,
) -> pa.Table:
    """Of `queries` queries, evenly spaced, `per_query` triplets each, in turn from the first on."""
    table = pa.Table.from_batches(list(graph.triplets(Citations(per_query=PER_QUERY), split=split)))
    step = max(1, table.num_rows // PER_QUERY // queries)
    rows = [
        PER_QUERY * n * step + (n + i) % PER_QUERY for n in range(queries) for i in range(per_query)
    ]
    return table.take([row for row in rows if row < table.num_rows])


@click.command()
@click.option("--instance", default="hepph", show_default=True)
@click.option("--queries", default=2_000, show_default=True)
@click.option("--per-query", default=PER_QUERY, show_default=True, help="Triplets a query.")
@click.option("--tokens", default=128, show_default=True)
@click.option("--loss", type=click.Choice(["triplet", "contrastive"]), default="triplet")
@click.option("--learning-rate", default=5e-5, show_default=True)
@click.option("--model", type=click.Path(path_type=Path), required=True, help="The MODEL_DIR.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
def main(
    instance: str,
    queries: int,
    per_query: int,
    tokens: int,
    loss: Literal["triplet", "contrastive"],
    learning_rate: float,
    model: Path,
    output: Path,
) -> None:
    """Fine-tune, score against the base, and write table and log."""
    settings = FullSettings(loss=loss, epochs=1, micro_batch=16, learning_rate=learning_rate)
    started = time.monotonic()
    with progress_bar() as progress:
        with open_graph(instance) as graph:
            triplets = triplets_of(graph, "train", queries, per_query)
            validation = triplets_of(graph, "validation", 200)
            texts = list(paper_texts(graph.database))
            facts = Facts.build(
                split_ids(graph.database, "train"), held_out_citations(graph.database, "test")
            )
        base = BaseModel.load(max_length=tokens)
        record = train_full(
            model, texts, base, triplets, validation, settings, resume=True, progress=progress
        )
        trained = time.monotonic() - started
        ids = [text.id for text in texts]
        vectors = {
            "base": (ids, base.encode(texts, progress)),
            "full": (ids, Encoder.load(model).encode(texts, progress=progress)),
        }
    report = evaluate(vectors, facts, against="base")
    log = record.model_dump_json(indent=2, include={"settings", "triplets", "epochs", "versions"})
    output.write_text(
        f"{markdown(report)}\nTrained in {trained:.0f} s on the CPU. "
        f"Differences from base:\n\n```json\n{json.dumps(report.as_json()['differences'])}\n```\n\n"
        f"The record of the training:\n\n```json\n{log}\n```\n"
    )


if __name__ == "__main__":
    main()
