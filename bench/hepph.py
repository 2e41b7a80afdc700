"""Reproduce every row of the table in docs/results.md on your own corpus.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph     # trains and embeds, with times
    python bench/hepph.py --instance hepph -o table.md   # its rows, and simpler ones

Scores the spaces of the demo on the test papers, and simpler systems that are computed here from
the same base vectors, triplets and hold-out: TF-IDF with SVD, SGC over it, a head without text
features, and a head with the plain triplet loss. No setting is selected by these scores.
"""

import tempfile
from pathlib import Path

import click

from specter_graph.cli.options import open_graph
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.graph_convolution import sgc
from specter_graph.encoder.head import TextFeatures
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, words_of
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import BaseRecord
from specter_graph.encoder.recipe import FeatureSettings, HeadSettings, read_recipe
from specter_graph.encoder.triplets import PaperRows
from specter_graph.evaluation import evaluate
from specter_graph.evaluation.protocols.space_evaluation import citation_data
from specter_graph.evaluation.report.table import held_out_table
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.split import HOLDOUT
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import PaperText
from specter_graph.pipelines.sgc import citation_edges

SPACES = {"base": "base", "head": "specter", "sgc": "sgc", "SGC(head)": "sgc_specter"}
"""Spaces of the demo, by the names of their rows."""
HEADS = {
    "head, no features": HeadSettings(features=None),
    "head, triplet loss": HeadSettings(loss="triplet", margin=0.3),
}


def base_texts(graph: LiteratureGraph) -> tuple[list[PaperText], Vectors]:
    """Return all papers with a vector in `base`, and these vectors, row by row."""
    ids, base = read_vectors(graph.database, "base")
    texts = {text.id: text for text in paper_texts(graph.database)}
    return [texts[paper] for paper in ids], base


def head_vectors(
    graph: LiteratureGraph, texts: list[PaperText], base: Vectors, settings: HeadSettings
) -> Vectors:
    """Train a head on triplets of the graph, and return the vectors of these papers."""
    seed, row_of = settings.seed, PaperRows.of(texts).row_of
    with tempfile.TemporaryDirectory() as folder:
        job = TrainingJob(
            Path(folder) / "model",
            graph.triplets(read_recipe("head").triplets, seed=seed),
            graph.triplets(split="validation", seed=seed),
        )
        train_head(
            job,
            texts,
            lambda some: base[[row_of[text.id] for text in some]],
            BaseRecord.of(Encoder.base().model.folder),
            settings,
        )
        return Encoder.load(Path(folder) / "model").apply_head(texts, base)


def simpler_spaces(graph: LiteratureGraph) -> tuple[list[str], dict[str, Vectors]]:
    """Return the vectors of all papers for the rows that the demo does not compute."""
    texts, base = base_texts(graph)
    ids = [text.id for text in texts]
    words = words_of(texts, TITLE_AND_ABSTRACT)
    tfidf = TextFeatures.fit(words, FeatureSettings(dimension=300)).transform(words)
    rows = {
        "TF-IDF + SVD(300)": tfidf,
        "SGC(TF-IDF + SVD)": unit(sgc(tfidf, citation_edges(graph.database, ids, HOLDOUT), 1)),
    }
    for name, settings in HEADS.items():
        rows[name] = head_vectors(graph, texts, base, settings)
        click.echo(name, err=True)
    return ids, rows


@click.command()
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Table file.")
def main(instance: str, output: Path) -> None:
    """Score the demo's spaces and the simpler systems, and write the table."""
    with open_graph(instance) as graph:
        db = graph.database
        data = citation_data(db, "test", HOLDOUT)
        created = {row: read_vectors(db, space) for row, space in SPACES.items()}
        ids, rows = simpler_spaces(graph)
    report = evaluate(created | {name: (ids, rows[name]) for name in rows}, data, compare_to="base")
    output.write_text(held_out_table(report).markdown())


if __name__ == "__main__":
    main()
