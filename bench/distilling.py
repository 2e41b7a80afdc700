"""Compare heads with and without distillation of SGC, for several seeds.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    python bench/distilling.py --instance hepph [--seeds 3] [--json FILE]

For each seed, triplets are mined and two heads are trained on them from the vectors of `base`: one
with the default settings, and one that learns all its dimensions from triplets. Both heads are
scored on the test papers, and so is SGC over each head. Differences are paired, with 95% bootstrap
intervals. No setting is selected by these scores.
"""

import json
from pathlib import Path

import click
from hepph import base_texts, head_vectors

from specter_graph.cli.options import open_graph
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.graph_convolution import sgc
from specter_graph.encoder.recipe import HeadSettings
from specter_graph.evaluation import evaluate
from specter_graph.evaluation.protocols.space_evaluation import citation_data
from specter_graph.evaluation.report.table import held_out_table
from specter_graph.graph.split import HOLDOUT
from specter_graph.pipelines.sgc import citation_edges


@click.command()
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("--seeds", default=3, show_default=True, help="Number of seeds.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(instance: str, seeds: int, output: Path | None) -> None:
    """Train and score all heads, and print a table for each seed."""
    figures = []
    with open_graph(instance) as graph:
        db = graph.database
        data = citation_data(db, "test", HOLDOUT)
        texts, base = base_texts(graph)
        ids = [text.id for text in texts]
        edges = citation_edges(db, ids, HOLDOUT)
        for seed in range(seeds):
            spaces: dict[str, tuple[list[str], Vectors]] = {}
            for name, settings in (
                ("without", HeadSettings(seed=seed, distillation=None)),
                ("distilled", HeadSettings(seed=seed)),
            ):
                vectors = head_vectors(graph, texts, base, settings)
                spaces[name] = (ids, vectors)
                spaces[f"SGC({name})"] = (ids, unit(sgc(vectors, edges, 1)))
            report = evaluate(spaces, data, compare_to="without")
            over_sgc = evaluate(spaces, data, compare_to="SGC(without)")
            figures.append(
                report.as_json()
                | {"seed": seed, "differences of SGC": over_sgc.as_json()["differences"]}
            )
            print(f"seed {seed}\n\n{held_out_table(report).markdown()}", flush=True)
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
