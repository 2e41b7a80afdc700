"""Tune GraphSAGE and HashGNN of GDS on validation papers, and score the best on test papers.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    python bench/graph_models.py --instance hepph -o table.md

Both are given the vectors of the space `base` and the citations among training papers. Each setting
of the grids is scored by the citation MAP of validation papers; the best one is run with three
seeds and scored on the test papers.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import click
import numpy as np
import pandas as pd
from graphdatascience import Graph, GraphDataScience
from sklearn.model_selection import ParameterGrid

from specter_graph.cli.options import open_graph
from specter_graph.core.vectors import Vectors, unit
from specter_graph.evaluation import evaluate
from specter_graph.evaluation.protocols.space_evaluation import citation_data
from specter_graph.evaluation.report.table import held_out_table
from specter_graph.graph.split import HOLDOUT
from specter_graph.integrations.graph_data_science import training_graph

Run = Callable[[GraphDataScience, Graph, dict[str, Any], int], pd.DataFrame]
Space = tuple[list[str], Vectors]

GRAPHSAGE: dict[str, list[Any]] = {
    "activation_function": ["RELU", "SIGMOID"],
    "learning_rate": [0.1, 0.01, 0.001, 0.0001, 0.00001],
}
HASHGNN: dict[str, list[Any]] = {
    "iterations": [1, 2],
    "neighbor_influence": [0.3, 1.0],
    "embedding_density": [128, 512],
}
BITS = 1_024
"""Binary features that HashGNN makes of a vector."""

SEEDS = 3


def graphsage(
    gds: GraphDataScience, citations: Graph, settings: dict[str, Any], seed: int
) -> pd.DataFrame:
    """Train GraphSAGE with 256 dimensions, and return the vectors of all papers."""
    model, _ = gds.graph_sage.train(
        citations,
        f"bench_{uuid4().hex}",
        ["features"],
        embedding_dimension=256,
        sample_sizes=[10, 5],
        max_iterations=100,
        random_seed=seed,
        **settings,
    )
    try:
        return model.predict_stream(citations)
    finally:
        model.drop()


def hashgnn(
    gds: GraphDataScience, citations: Graph, settings: dict[str, Any], seed: int
) -> pd.DataFrame:
    """Return the vectors of HashGNN, with 384 dimensions, over hyperplanes of the features."""
    return gds.hash_gnn.stream(
        citations,
        output_dimension=384,
        binarize_features={"dimension": BITS, "threshold": 0.0},
        feature_properties=["features"],
        random_seed=seed,
        **settings,
    )


MODELS: dict[str, tuple[Run, dict[str, list[Any]]]] = {
    "GraphSAGE": (graphsage, GRAPHSAGE),
    "HashGNN": (hashgnn, HASHGNN),
}


@click.command()
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("--model", "names", type=click.Choice([*MODELS]), multiple=True, default=[*MODELS])
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Table file.")
def main(instance: str, names: tuple[str, ...], output: Path) -> None:
    """Tune the models, and write the table of the test papers."""
    lines: list[str] = []

    def report(line: str) -> None:
        lines.append(line)
        click.echo(line)

    with open_graph(instance) as graph, training_graph(graph, space="base") as (gds, citations):
        gds.set_show_progress(False)
        validation = citation_data(graph.database, "validation", HOLDOUT)

        def run(model: Run, settings: dict[str, Any], seed: int) -> Space:
            frame = model(gds, citations, settings, seed)
            papers = [node["id"] for node in gds.util.as_nodes(frame["nodeId"].tolist())]
            return papers, unit(np.array(frame["embedding"].tolist(), np.float32))

        spaces: dict[str, Space] = {}
        for name in names:
            model, grid = MODELS[name]
            scores = []
            for settings in ParameterGrid(grid):
                started = time.monotonic()
                space = run(model, settings, 0)
                score = evaluate({name: space}, validation).spaces[name]["cite"]["map"].value * 100
                scores.append((score, settings))
                report(f"{name} {settings}: {score:.1f}, {time.monotonic() - started:.0f} s")
            _, best = max(scores, key=lambda each: each[0])
            spaces |= {f"{name} {seed}": run(model, best, seed) for seed in range(SEEDS)}
        systems = {
            f"{name} ({SEEDS} seeds)": [f"{name} {seed}" for seed in range(SEEDS)] for name in names
        }
        test = citation_data(graph.database, "test", HOLDOUT)
        table = evaluate(spaces, test, systems=systems)
    output.write_text(held_out_table(table).markdown() + "\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
