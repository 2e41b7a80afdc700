"""`match check`, `assign`, `reassign` and `report`."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from specter_graph.cli.match_options import (
    assignment_options,
    dry_run_option,
    forbid_option,
    lock_option,
    read_pairs,
    replace_option,
    scoring_options,
    venue_argument,
    years_option,
)
from specter_graph.cli.options import (
    FILE,
    add_options,
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
    from specter_graph.matching.io.score_files import System
    from specter_graph.venue import ReviewVenue


_scores_option = click.option(
    "--scores",
    type=FILE,
    metavar="FILE",
    help="Use the affinities in this file (submission,reviewer,score); compute none.",
)


def _system_options(command: Callable[..., Any]) -> Any:
    """Add options that the command gets as `system`, None for the format of `match`."""
    return add_options(
        command,
        click.option(
            "--hotcrp",
            "system",
            flag_value="hotcrp",
            help="Write the file for HotCRP's bulk assignments: paper, action, email.",
        ),
        click.option(
            "--easychair",
            "system",
            flag_value="easychair",
            help="Write the file with EasyChair's columns: member #, member name, submission #.",
        ),
        click.option(
            "--cmt",
            "system",
            flag_value="cmt",
            help="Write the XML file that Microsoft CMT imports.",
        ),
    )


_name_option = click.option(
    "--name", default="reviewer", show_default=True, help="Name of the assignment."
)


@click.command()
@venue_argument
@assignment_options
@years_option
@lock_option
@forbid_option
@instance_option
@format_option
def check(
    venue: str,
    settings: dict[str, Any],
    years: int,
    lock: Path | None,
    forbid: Path | None,
    instance: str | None,
    output: Output,
) -> None:
    """Check whether an assignment of VENUE can meet the demands, before you compute affinities.

    Each row shows a track, and the last row the venue: the reviews that it needs, and the reviewers
    without a conflict with their places. If no assignment exists, the error names the demands that
    cannot be met, and changes that help. --min-affinity and --bid-weight have no effect.

    \b
    Example:
      specter-graph match check ICLR-2027 --per-submission 3 --max-load 6
      specter-graph match check ICLR-2027 --role "area chair" --per-submission 1 --max-load 10
    """
    from specter_graph import AssignSettings

    with open_graph(instance) as graph:
        result = graph.venue(venue).check(
            AssignSettings(**settings),
            years=years,
            locked=read_pairs(lock),
            forbidden=read_pairs(forbid),
        )
    output.show_rows([asdict(demand) for demand in result.demands])
    if result.error:
        raise result.error


@click.command()
@venue_argument
@output_option()
@assignment_options
@scoring_options
@years_option
@_scores_option
@lock_option
@forbid_option
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
@click.option("--name", show_default="the role", help="Name of the assignment.")
@replace_option
@dry_run_option
@_system_options
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
    name: str | None,
    replace: bool,
    dry_run: bool,
    system: "System | None",
    instance: str | None,
    output: Output,
) -> None:
    """Assign reviewers, or the people of another --role, to the submissions of VENUE.

    Pairs with a conflict are never assigned. If no assignment meets all demands, the message gives
    the reasons in counts, and changes that help. The assignment and its settings are stored in the
    graph for `reassign` and `report`.

    \b
    Example:
      specter-graph match assign ICLR-2027 -o assignment.csv --per-submission 3 --max-load 6
      specter-graph match assign ICLR-2027 -o assignment.csv --min-seniors 1 --method fair
      specter-graph match assign ICLR-2027 -o assignment.csv --method random --seed 7
      specter-graph match assign ICLR-2027 -o assignment.csv --max-per-region 2 --no-reciprocal
      specter-graph match assign ICLR-2027 -o chairs.csv --role "area chair" --per-submission 1
    """
    from specter_graph import AssignSettings

    with open_graph(instance) as graph, progress_bar() as progress:
        names = _names(graph.venue(venue), system)
        pairs = graph.venue(venue).assign(
            AssignSettings(
                **settings,
                method=method,
                max_probability=max_probability,
                perturbation=perturbation,
                seed=seed,
            ),
            scoring,
            name=name,
            scores=scores,
            years=years,
            locked=read_pairs(lock),
            forbidden=read_pairs(forbid),
            replace=replace,
            dry_run=dry_run,
            progress=progress,
        )
    _write(pairs, path, output, system, names)


@click.command()
@venue_argument
@output_option()
@_name_option
@click.option(
    "--remove-reviewer", metavar="REVIEWER", multiple=True, help="Reviewer to remove. Repeatable."
)
@click.option(
    "--only-add",
    is_flag=True,
    help="Keep all reviews, and add the missing ones: an emergency round.",
)
@_scores_option
@forbid_option
@dry_run_option
@_system_options
@instance_option
@format_option
def reassign(
    venue: str,
    path: Path,
    name: str,
    remove_reviewer: tuple[str, ...],
    only_add: bool,
    scores: Path | None,
    forbid: Path | None,
    dry_run: bool,
    system: "System | None",
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
        before = {(pair.reviewer, pair.submission) for pair in graph.venue(venue).assigned(name)}
        names = _names(graph.venue(venue), system)
        pairs = graph.venue(venue).reassign(
            name=name,
            scores=scores,
            without=remove_reviewer,
            forbidden=read_pairs(forbid),
            only_add=only_add,
            dry_run=dry_run,
            progress=progress,
        )
    now = {(pair.reviewer, pair.submission) for pair in pairs}
    _write(pairs, path, output, system, names)
    click.echo(f"{len(before - now)} reviews removed, {len(now - before)} added", err=True)


@click.command()
@venue_argument
@output_option()
@_name_option
@click.option(
    "--show-conflict-evidence",
    is_flag=True,
    help="Include the evidence of conflicts, which reveals authors.",
)
@instance_option
def report(
    venue: str,
    path: Path,
    name: str,
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
            name=name,
            evidence=show_conflict_evidence,
            progress=progress,
        )


def _names(venue: "ReviewVenue", system: "System | None") -> "dict[str, tuple[str, str]]":
    """Return the names of the reviewers in a conference system; nothing without one."""
    from specter_graph.matching.io.score_files import names_at

    return names_at(system, venue.reviewers()) if system else {}


def _write(
    pairs: "list[Assigned]",
    path: Path,
    output: Output,
    system: "System | None",
    names: "dict[str, tuple[str, str]]",
) -> None:
    """Write the file, for a conference system if one is given."""
    from specter_graph.matching.io.score_files import write_assigned, write_for_system

    if system is None:
        write_assigned(path, pairs)
    else:
        write_for_system(path, pairs, system, names)
    total = sum(pair.affinity for pair in pairs)
    mean = total / len(pairs) if pairs else 0.0
    output.show(
        {"reviews": len(pairs), "affinity": round(total, 6)},
        lambda: click.echo(f"{len(pairs):,} reviews in {path}, mean affinity {mean:.3f}"),
    )
