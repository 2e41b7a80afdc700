"""`match affinity`, `explain` and `conflicts`: who fits which submission, and who may not."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.matching_options import (
    output_option,
    scoring_options,
    venue_argument,
    years_option,
)
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar
from specter_graph.core.errors import summarize_names

if TYPE_CHECKING:
    from specter_graph.matching.affinity.scoring import ScoreSettings, VenueScores


@click.command("affinity")
@venue_argument
@output_option
@scoring_options
@click.option("--top", type=click.IntRange(1), help="Reviewers of each submission.  [default: all]")
@json_option
@instance_option
def affinity(
    venue: str,
    output: Path,
    scoring: "ScoreSettings",
    top: int | None,
    as_json: bool,
    instance: str | None,
) -> None:
    """Score every submission of VENUE with every reviewer, by what the reviewer wrote.

    A score stays the same whoever else is in the pool. The file has lines of submission, reviewer
    and score, as OpenReview reads them; with --json it is one object a line, with the papers that
    speak for the pair.

    \b
    Example:
      specter-graph match affinity ICLR-2027 -o scores.csv
      specter-graph match affinity ICLR-2027 -o best.jsonl --top 10 --json
    """
    from specter_graph.matching.affinity.aggregation import top_reviewers
    from specter_graph.matching.io.tables import write_explained, write_scores

    with open_graph(instance) as graph, progress_bar() as progress:
        scores = graph.venue(venue).scores(scoring, progress=progress)
        best = None if top is None else top_reviewers(scores.affinity, top)[0]
        if as_json:
            written = write_explained(output, scores, best)
        else:
            written = write_scores(
                output,
                [each.id for each in scores.submissions],
                [each.id for each in scores.reviewers],
                scores.affinity,
                best,
            )
    click.echo(f"{written:,} scores in {output}", err=True)
    tell_without_papers(scores)


@click.command("explain")
@venue_argument
@click.argument("submission")
@click.argument("reviewer")
@scoring_options
@years_option
@json_option
@instance_option
def explain(
    venue: str,
    submission: str,
    reviewer: str,
    scoring: "ScoreSettings",
    years: int,
    as_json: bool,
    instance: str | None,
) -> None:
    """Say why REVIEWER fits SUBMISSION, and what conflicts there are.

    \b
    Example:  specter-graph match explain ICLR-2027 17 ~Ann_Smith1
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        found = graph.venue(venue).explain(
            submission, reviewer, scoring, years=years, progress=progress
        )
    if as_json:
        click.echo(json.dumps(asdict(found)))
        return
    click.echo(f"affinity {found.affinity:.3f}")
    for paper in found.papers:
        click.echo(f"  {paper.similarity:.3f}  {paper.id}  {paper.title}")
    for name, entries in found.connections.items():
        click.echo(f"{name}: {summarize_names(entries, limit=10)}")
    for conflict in found.conflicts:
        sure = "" if conflict.certain else ", likely"
        click.echo(f"conflict ({conflict.kind}{sure}): {conflict.evidence}")


@click.command("conflicts")
@venue_argument
@years_option
@json_option
@instance_option
def conflicts(venue: str, years: int, as_json: bool, instance: str | None) -> None:
    """List the conflicts of interest of VENUE, one a line, with the evidence.

    Reviewers who are authors of a submission, wrote with one, were at the same place, or look like
    one's advisor; and those declared. "likely" are those that rest on names or on a pattern.

    \b
    Example:
      specter-graph match conflicts ICLR-2027 --years 4
      specter-graph match conflicts ICLR-2027 --json
    """
    known = False
    with open_graph(instance) as graph:
        for each in graph.venue(venue).conflicts(years):
            known = True
            if as_json:
                click.echo(json.dumps(asdict(each)))
            else:
                sure = "" if each.certain else ", likely"
                click.echo(
                    f"{each.submission}\t{each.reviewer}\t{each.kind}{sure}\t{each.evidence}"
                )
    if not known:
        click.echo(f"no conflicts are known in {venue}", err=True)


def tell_without_papers(scores: "VenueScores") -> None:
    """Name, on stderr, the reviewers whose scores are 0 for want of papers."""
    if nobody := scores.without_papers:
        click.echo(
            f"{len(nobody):,} reviewers have no papers in the graph, their scores are 0:"
            f" {summarize_names(nobody)}",
            err=True,
        )
