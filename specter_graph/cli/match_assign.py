"""`match assign`, `reassign` and `report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from specter_graph.cli.match_options import (
    assignment_options,
    scoring_options,
    venue_argument,
    years_option,
)
from specter_graph.cli.options import (
    FILE,
    format_option,
    instance_option,
    open_graph,
    output_option,
    seed_option,
)
from specter_graph.cli.output import Output
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph import Assigned, ScoreSettings


_scores_option = click.option(
    "--scores",
    type=FILE,
    metavar="FILE",
    help="Use the affinities in this file (submission,reviewer,score); compute none.",
)
_dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Write the file, but do not store the assignment."
)
_hotcrp_option = click.option(
    "--hotcrp",
    is_flag=True,
    help="Write the file for HotCRP's bulk assignments: paper, action, email.",
)
_forbid_option = click.option(
    "--forbid", type=FILE, metavar="FILE", help="Pairs that must not be assigned."
)


@click.command()
@venue_argument
@output_option()
@assignment_options
@scoring_options
@years_option
@_scores_option
@click.option(
    "--lock", type=FILE, metavar="FILE", help="Pairs that must be assigned: reviewer, submission."
)
@_forbid_option
@click.option(
    "--method",
    type=click.Choice(["total", "fair", "random"]),
    default="total",
    show_default=True,
    help="Maximize the total affinity, serve the worst-off submission first (PeerReview4All), or"
    " draw at random against manipulation.",
)
@click.option(
    "--max-probability",
    metavar="P",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="Maximum probability of a pair, for --method random.",
)
@click.option(
    "--perturbation",
    metavar="STRENGTH",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Spread the probabilities over more pairs, for --method random: perturbed maximization.",
)
@seed_option
@click.option("--replace", is_flag=True, help="Replace the assignment in the graph.")
@_dry_run_option
@_hotcrp_option
@instance_option
@format_option
def assign(
    venue: str,
    path: Path,
    settings: dict[str, Any],
    scoring: "ScoreSettings",
    years: int,
    scores: Path | None,
    lock: Path | None,
    forbid: Path | None,
    method: Literal["total", "fair", "random"],
    max_probability: float,
    perturbation: float,
    seed: int,
    replace: bool,
    dry_run: bool,
    hotcrp: bool,
    instance: str | None,
    output: Output,
) -> None:
    """Assign reviewers to the submissions of VENUE.

    Pairs with a conflict are never assigned. If no assignment meets all demands, the message gives
    the reasons in counts, and changes that help. The assignment and its settings are stored in the
    graph for `reassign` and `report`.

    \b
    Example:
      specter-graph match assign ICLR-2027 -o assignment.csv --per-submission 3 --max-load 6
      specter-graph match assign ICLR-2027 -o assignment.csv --min-seniors 1 --method fair
      specter-graph match assign ICLR-2027 -o assignment.csv --method random --seed 7
      specter-graph match assign ICLR-2027 -o assignment.csv --max-per-region 2 --no-reciprocal
    """
    from specter_graph import AssignSettings

    with open_graph(instance) as graph, progress_bar() as progress:
        emails = graph.venue(venue).emails() if hotcrp else None
        pairs = graph.venue(venue).assign(
            AssignSettings(
                **settings,
                method=method,
                max_probability=max_probability,
                perturbation=perturbation,
                seed=seed,
            ),
            scoring,
            scores=scores,
            years=years,
            locked=_pairs(lock),
            forbidden=_pairs(forbid),
            replace=replace,
            dry_run=dry_run,
            progress=progress,
        )
    _write(pairs, path, output, emails)


@click.command()
@venue_argument
@output_option()
@click.option(
    "--remove-reviewer", metavar="REVIEWER", multiple=True, help="Reviewer to remove. Repeatable."
)
@click.option(
    "--only-add",
    is_flag=True,
    help="Keep all reviews, and add the missing ones: an emergency round.",
)
@_scores_option
@_forbid_option
@_dry_run_option
@_hotcrp_option
@instance_option
@format_option
def reassign(
    venue: str,
    path: Path,
    remove_reviewer: tuple[str, ...],
    only_add: bool,
    scores: Path | None,
    forbid: Path | None,
    dry_run: bool,
    hotcrp: bool,
    instance: str | None,
    output: Output,
) -> None:
    """Update the assignment of VENUE with as few changes as possible.

    Use it after a late submission (load it first), or when a reviewer drops out. The settings are
    those of the last `assign`.

    \b
    Example:
      specter-graph match reassign ICLR-2027 -o new.csv --remove-reviewer ~Ann_Smith1
      specter-graph match reassign ICLR-2027 -o new.csv --only-add
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        before = {(pair.reviewer, pair.submission) for pair in graph.venue(venue).assigned()}
        emails = graph.venue(venue).emails() if hotcrp else None
        pairs = graph.venue(venue).reassign(
            scores=scores,
            without=remove_reviewer,
            forbidden=_pairs(forbid),
            only_add=only_add,
            dry_run=dry_run,
            progress=progress,
        )
    now = {(pair.reviewer, pair.submission) for pair in pairs}
    _write(pairs, path, output, emails)
    click.echo(f"{len(before - now)} reviews removed, {len(now - before)} added", err=True)


@click.command()
@venue_argument
@output_option()
@click.option(
    "--show-conflict-evidence",
    is_flag=True,
    help="Include the evidence of conflicts, which reveals authors.",
)
@instance_option
def report(
    venue: str,
    path: Path,
    show_conflict_evidence: bool,
    instance: str | None,
) -> None:
    """Write a web page on the assignment of VENUE: loads, worst-off submissions, conflicts.

    The settings are those of the last `assign`.

    \b
    Example:  specter-graph match report ICLR-2027 -o report.html
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        graph.venue(venue).report(
            path,
            evidence=show_conflict_evidence,
            progress=progress,
        )


def _pairs(path: Path | None) -> set[tuple[str, str]]:
    if path is None:
        return set()
    from specter_graph.matching.io import read_conflicts

    return {(conflict.reviewer, conflict.submission) for conflict in read_conflicts(path)}


def _write(
    pairs: "list[Assigned]", path: Path, output: Output, emails: "dict[str, str] | None"
) -> None:
    """Write the file: for HotCRP if e-mail addresses are given."""
    from specter_graph.matching.io.score_files import write_assigned, write_for_hotcrp

    if emails is None:
        write_assigned(path, pairs)
    else:
        write_for_hotcrp(path, pairs, emails)
    total = sum(pair.affinity for pair in pairs)
    mean = total / len(pairs) if pairs else 0.0
    output.show(
        {"reviews": len(pairs), "affinity": round(total, 6)},
        lambda: click.echo(f"{len(pairs):,} reviews in {path}, mean affinity {mean:.3f}"),
    )
