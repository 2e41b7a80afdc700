"""Fine-tune the full default base on some queries of a corpus, and compare it with that base.

    specter-graph load jsonl hepph.jsonl.gz --instance hepph
    python bench/full.py --loss contrastive --per-query 1 --model full-model -o table.md

Uses the paper's recipe (triplet margin loss, L2, margin 1, unnormalized vectors, Adam with warm-up)
or the contrastive loss. The training is reduced to a size that takes two cores half an hour or
more: 2,000 queries, texts of 128 tokens, one epoch. Both models are scored on the test papers with
texts of 128 tokens and compared by a paired bootstrap. For ablations of the full Transformer, run
bench/ablations.py with --full.
"""

import json
import time
from pathlib import Path
from typing import Any, Literal

import click
import pyarrow as pa

from specter_graph.cli.options import open_graph
from specter_graph.cli.output import progress_bar
from specter_graph.core.progress import Progress, silent
from specter_graph.core.triplet_settings import Source
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.model import TransformerModel
from specter_graph.encoder.model_record import ModelRecord, Provenance
from specter_graph.encoder.recipe import Recipe, read_recipe
from specter_graph.evaluation import evaluate
from specter_graph.evaluation.protocols.space_evaluation import citation_facts
from specter_graph.evaluation.report.table import held_out_table
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.split import HOLDOUT, split_digest
from specter_graph.literature_graph import LiteratureGraph

REDUCED: dict[str, Any] = {
    "base.max_length": 128,
    "epochs": 1,
    "batch": 32,
    "micro_batch": 16,
    "learning_rate": 5e-5,
}
"""Changes to the recipes `full` and `contrastive`."""

QUERIES = 2_000


def sample_triplets(
    graph: LiteratureGraph,
    source: Source,
    split: Literal["train", "validation"],
    queries: int,
    per_query: int,
) -> pa.Table:
    """Return `per_query` triplets of each of `queries` queries, evenly spaced, in rotation."""
    table = pa.Table.from_batches(list(graph.triplets(source, split=split)))
    group = source.per_query
    step = max(1, table.num_rows // group // queries)
    rows = [group * n * step + (n + i) % group for n in range(queries) for i in range(per_query)]
    return table.take([row for row in rows if row < table.num_rows])


def fine_tune(
    graph: LiteratureGraph,
    recipe: Recipe,
    model: Path,
    *,
    queries: int = QUERIES,
    per_query: int = 1,
    progress: Progress = silent,
) -> tuple[ModelRecord, list[str], Vectors]:
    """Train the full base with a recipe on a sample, and encode all papers."""
    base_settings = recipe.base
    base = TransformerModel.load(max_length=base_settings.max_length, parts=base_settings.parts)
    texts = list(paper_texts(graph.database, None, base_settings.parts, HOLDOUT))
    record = train_full(
        model,
        texts,
        base,
        sample_triplets(graph, recipe.triplets, "train", queries, per_query),
        sample_triplets(graph, recipe.triplets, "validation", 200, recipe.triplets.per_query),
        recipe.training,
        Provenance(holdout=HOLDOUT, split=split_digest(graph.database), learned_from=["citations"]),
        resume=True,
        progress=progress,
    )
    vectors = Encoder.load(model).encode(texts, progress=progress)
    return record, [text.id for text in texts], vectors


@click.command()
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("--queries", default=QUERIES, show_default=True, help="Queries to train on.")
@click.option("--per-query", default=5, show_default=True, help="Triplets per query.")
@click.option(
    "--loss", type=click.Choice(["triplet", "contrastive"]), default="triplet", help="Loss."
)
@click.option("--seed", default=0, show_default=True)
@click.option("--model", type=click.Path(path_type=Path), required=True, help="MODEL_DIR to write.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Table file.")
def main(
    instance: str,
    queries: int,
    per_query: int,
    loss: Literal["triplet", "contrastive"],
    seed: int,
    model: Path,
    output: Path,
) -> None:
    """Fine-tune, compare with the base, and write the table and the training record."""
    recipe = read_recipe("full").changed({**REDUCED, "loss": loss, "seed": seed})
    with progress_bar() as progress, open_graph(instance) as graph:
        facts = citation_facts(graph.database, "test", HOLDOUT)
        started = time.monotonic()
        record, ids, vectors = fine_tune(
            graph, recipe, model, queries=queries, per_query=per_query, progress=progress
        )
        seconds = time.monotonic() - started
        base = TransformerModel.load(max_length=recipe.base.max_length)
        texts = list(paper_texts(graph.database))
        spaces = {"base": (ids, base.encode(texts, progress)), "full": (ids, vectors)}
    report = evaluate(spaces, facts, compare_to="base")
    log = record.model_dump_json(indent=2, include={"settings", "triplets", "epochs", "versions"})
    output.write_text(
        f"{held_out_table(report).markdown()}\nTrained and encoded in {seconds:.0f} s. "
        f"Differences from base:\n\n```json\n{json.dumps(report.as_json()['differences'])}\n```\n\n"
        f"The record of the training:\n\n```json\n{log}\n```\n"
    )


if __name__ == "__main__":
    main()
