"""`match assign`, `change` and `report`: who reviews what."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.matching_options import (
    PATH,
    assignment_options,
    output_option,
    scoring_options,
    venue_argument,
    years_option,
)
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.loaders.review_records import Assigned
    from specter_graph.matching.affinity.scoring import ScoreSettings


def _of_an_assignment(command: Callable[..., Any]) -> Any:  # noqa: ANN401
    """Add what all three take: the venue, the file, how to assign and to score, and the years."""
    options = (venue_argument, output_option, assignment_options, scoring_options, years_option)
    for option in reversed(options):
        command = option(command)
    return command


_scores_option = click.option(
    "--scores",
    type=PATH,
    metavar="FILE",
    help="Take affinities from this file (submission,reviewer,score) instead of computing them.",
)
_forbid_option = click.option(
    "--forbid", type=PATH, metavar="FILE", help="Pairs that must not be assigned."
)


@click.command("assign")
@_of_an_assignment
@_scores_option
@click.option(
    "--lock",
    type=PATH,
    metavar="FILE",
    help="Pairs that must be assigned: reviewer, submission.",
)
@_forbid_option
@click.option("--fair", is_flag=True, help="Serve the worst-off submission first (PeerReview4All).")
@click.option(
    "--cap",
    metavar="P",
    type=click.FloatRange(0, 1, min_open=True),
    help="Draw at random, no pair with more than this probability, against manipulation.",
)
@click.option("--seed", default=0, show_default=True, help="What --cap draws.")
@click.option("--replace", is_flag=True, help="Overwrite the assignment that the graph has.")
@json_option
@instance_option
def assign(
    venue: str,
    output: Path,
    settings: dict[str, Any],
    scoring: "ScoreSettings",
    years: int,
    scores: Path | None,
    lock: Path | None,
    forbid: Path | None,
    fair: bool,
    cap: float | None,
    seed: int,
    replace: bool,
    as_json: bool,
    instance: str | None,
) -> None:
    """Assign reviewers to the submissions of VENUE, with the highest total affinity.

    No conflict is assigned; where there is no such assignment, the message says in counts why, and
    what would help. The graph keeps the assignment for `change` and `report`; another one replaces
    it only with --replace.

    \b
    Example:
      specter-graph match assign ICLR-2027 -o assignment.csv --per-submission 3 --max-load 6
      specter-graph match assign ICLR-2027 -o assignment.csv --seniors 1 --fair
      specter-graph match assign ICLR-2027 -o assignment.csv --cap 0.5 --seed 7
    """  # fmt: skip
    from specter_graph.matching.assignment.venue_assignment import AssignSettings

    with open_graph(instance) as graph, progress_bar() as progress:
        pairs = graph.venue(venue).assign(
            AssignSettings(**settings, fair=fair, cap=cap, seed=seed),
            scoring,
            scores=scores,
            years=years,
            locked=_pairs(lock),
            forbidden=_pairs(forbid),
            replace=replace,
            progress=progress,
        )
    _write(pairs, output, as_json)


@click.command("change")
@_of_an_assignment
@click.option(
    "--without", metavar="REVIEWER", multiple=True, help="Who drops out; give it again for more."
)
@_scores_option
@_forbid_option
@json_option
@instance_option
def change(
    venue: str,
    output: Path,
    settings: dict[str, Any],
    scoring: "ScoreSettings",
    years: int,
    without: tuple[str, ...],
    scores: Path | None,
    forbid: Path | None,
    as_json: bool,
    instance: str | None,
) -> None:
    """Mend the assignment of VENUE with as few changes as can be.

    After a late submission (load it first), or when a reviewer drops out.

    \b
    Example:  specter-graph match change ICLR-2027 -o assignment.csv --without ~Ann_Smith1
    """
    from specter_graph.matching.assignment.venue_assignment import AssignSettings

    with open_graph(instance) as graph, progress_bar() as progress:
        before = {(each.reviewer, each.submission) for each in graph.venue(venue).assigned()}
        pairs = graph.venue(venue).change(
            AssignSettings(**settings),
            scoring,
            scores=scores,
            years=years,
            without=without,
            forbidden=_pairs(forbid),
            progress=progress,
        )
    now = {(each.reviewer, each.submission) for each in pairs}
    _write(pairs, output, as_json)
    click.echo(f"{len(before - now)} reviews gone, {len(now - before)} new", err=True)


@click.command("report")
@_of_an_assignment
@click.option("--evidence", is_flag=True, help="With the evidence of conflicts: it tells authors.")
@instance_option
def report(
    venue: str,
    output: Path,
    settings: dict[str, Any],
    scoring: "ScoreSettings",
    years: int,
    evidence: bool,
    instance: str | None,
) -> None:
    """Write a page on the assignment of VENUE: loads, the worst served, topics, conflicts.

    \b
    Example:  specter-graph match report ICLR-2027 -o report.html
    """
    from specter_graph.matching.assignment.venue_assignment import AssignSettings

    with open_graph(instance) as graph, progress_bar() as progress:
        graph.venue(venue).report(
            output,
            AssignSettings(**settings),
            scoring,
            years=years,
            evidence=evidence,
            progress=progress,
        )


def _pairs(path: Path | None) -> set[tuple[str, str]]:
    if path is None:
        return set()
    from specter_graph.matching.io import read_conflicts

    return {(each.reviewer, each.submission) for each in read_conflicts(path)}


def _write(pairs: "list[Assigned]", output: Path, as_json: bool) -> None:
    from specter_graph.matching.io.tables import write_assigned

    write_assigned(output, pairs)
    total = sum(each.affinity for each in pairs)
    if as_json:
        click.echo(json.dumps({"reviews": len(pairs), "affinity": round(total, 6)}))
    else:
        mean = total / len(pairs) if pairs else 0.0
        click.echo(f"{len(pairs):,} reviews in {output}, mean affinity {mean:.3f}")
