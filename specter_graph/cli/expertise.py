"""`match evaluate`: affinities against rated expertise."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.matching_options import FILE, PATH
from specter_graph.cli.options import json_option
from specter_graph.cli.terminal import progress_bar
from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from specter_graph.matching.evaluation.expertise_metrics import Expertise


@click.command("evaluate")
@click.option("--dataset", type=PATH, metavar="FOLDER", help="With submissions.json and archives/.")
@click.option(
    "--evaluations",
    type=PATH,
    metavar="FILE",
    required=True,
    help="The ratings: tab-separated, ParticipantID, Paper1.., Expertise1.. (1 to 5).",
)
@click.option(
    "--predictions",
    type=PATH,
    metavar="FILE",
    help="Judge these scores, {reviewer: {paper: score}}, instead of computing some.",
)
@click.option("--model", metavar="NAME", help="What encodes texts.  [default: the offline MiniLM]")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write the computed scores here.")
@json_option
def evaluate(
    dataset: Path | None,
    evaluations: Path,
    predictions: Path | None,
    model: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Judge affinities by the expertise that reviewers have rated.

    The files and the measures are those of "A Gold Standard Dataset for the Reviewer Assignment
    Problem" (Stelmakh et al., 2023): a weighted Kendall tau loss, and the share of easy and of hard
    pairs in the right order, with bootstrap intervals over reviewers. Needs no database.

    \b
    Example:
      specter-graph match evaluate --dataset evaluation_datasets/d_20_1 --evaluations ratings.csv
      specter-graph match evaluate --evaluations ratings.csv --predictions scores.json --json
    """  # fmt: skip
    from specter_graph.matching.evaluation.expertise_metrics import evaluate_expertise
    from specter_graph.matching.evaluation.gold_standard import (
        read_evaluations,
        read_papers,
        read_predictions,
        write_predictions,
    )

    if (dataset is None) == (predictions is None):
        raise InputError("there is nothing to judge", "give --dataset, or --predictions")
    ratings = read_evaluations(evaluations)
    if dataset:
        from specter_graph.encoder import Encoder
        from specter_graph.matching.evaluation.prediction import predict_expertise

        papers = read_papers(dataset)
        encoder = Encoder.load(model)
        with progress_bar() as progress:
            scores = predict_expertise(papers, encoder, progress=progress)
    else:
        assert predictions
        scores = read_predictions(predictions)
    if output:
        write_predictions(scores, output)
    found = evaluate_expertise(ratings, scores)
    click.echo(json.dumps(found.to_json()) if as_json else _table(found))


def _table(found: "Expertise") -> str:
    lines = []
    for name in ("loss", "easy", "hard"):
        estimate = getattr(found, name)
        if estimate.value is None:
            lines.append(f"{name}  no pair of papers to judge")
        else:
            lines.append(
                f"{name}  {estimate.value:.3f}  ({estimate.low:.3f} to {estimate.high:.3f})"
            )
    coverage = found.coverage
    lines.append(
        f"scores for {coverage.ratings_scored:,} of {coverage.ratings:,} ratings,"
        f" {coverage.reviewers_scored:,} of {coverage.reviewers:,} reviewers"
    )
    return "\n".join(lines)
