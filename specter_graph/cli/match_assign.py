"""`match check`, `assign`, `reassign`, `export` and `report`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import specter_graph as sg
from specter_graph.cli.match_options import (
    assignment_options,
    demand_options,
    name_option,
    reassign_rules_options,
    replace_option,
    rules_options,
    scoring_options,
    venue_argument,
    years_option,
)
from specter_graph.cli.options import (
    FILE,
    add_options,
    dry_run_option,
    flag,
    graph_command,
    option,
    output_option,
)
from specter_graph.cli.output import Output
from specter_graph.core.errors import counted, summarize_names

if TYPE_CHECKING:
    from specter_graph.matching.io.score_files import OnSkip, System
    from specter_graph.venue import DemandCheck, ReviewVenue

_scores_option = option(
    "--scores", "Use the affinities in this file (submission,reviewer,score); compute none.", FILE
)


def _system_options(command: Any) -> Any:
    """Add options that the command gets as `system`, None for the format of `match`."""
    texts = {
        "hotcrp": "Write the file for HotCRP's bulk assignments: paper, action, email.",
        "easychair": "Write the file with EasyChair's columns:"
        " member #, member name, submission #.",
        "cmt": "Write the XML file that Microsoft CMT imports.",
    }
    return add_options(
        command, *(option(f"--{key} system", text, flag_value=key) for key, text in texts.items())
    )


@contextmanager
def _report_skipped(file: Path | None) -> "Iterator[OnSkip]":
    """Print the ids in a file of scores that the venue does not have."""
    skipped: dict[str, int] = {}
    yield skipped.__setitem__
    if skipped:
        click.echo(
            f"skipped {counted(sum(skipped.values()), 'score')} in {file}: the venue does not have"
            f" {summarize_names([*skipped])}",
            err=True,
        )


def _show_demands(output: Output, check: "DemandCheck") -> None:
    output.show_rows([asdict(demand) for demand in check.demands])
    if check.error:
        raise check.error


@click.command()
@venue_argument
@demand_options
@years_option
@rules_options
@graph_command(_show_demands)
def check(
    graph: "sg.LiteratureGraph",
    venue: str,
    settings: "sg.AssignSettings",
    conflict_years: int,
    rules: "sg.PairRules",
) -> object:
    """Check whether an assignment of VENUE can meet the demands.

    The check needs no affinities. Each row shows a track, and the last row the venue: the number
    of reviews that it needs, of reviewers without a conflict, and of their places. If no
    assignment exists, the error names the demands that cannot be met, and changes that help.

    \b
    Example:  specter-graph match check ICLR-2027 --per-submission 3 --max-load 6
              specter-graph match check ICLR-2027 --role "area chair" --per-submission 1
    """
    demands = sg.VenueSettings(settings, conflict_years=conflict_years)
    return graph.venue(venue).check(demands, rules=rules)


@click.command()
@venue_argument
@output_option()
@assignment_options
@scoring_options
@years_option
@_scores_option
@rules_options
@option("--name", "Name of the assignment.", shown="the role")
@replace_option
@dry_run_option
@_system_options
@graph_command(progress=True)
def assign(
    graph: "sg.LiteratureGraph",
    venue: str,
    path: Path,
    settings: "sg.AssignSettings",
    scoring: "sg.ScoreSettings",
    conflict_years: int,
    system: "System | None",
    **options: Any,
) -> object:
    """Assign reviewers to the submissions of VENUE.

    With --role, other people are assigned, such as area chairs. Pairs with a conflict are not
    assigned. If no assignment meets all demands, the message gives the reasons in counts, and
    changes that help. The assignment and its settings are stored in the graph for `reassign`
    and `report`.

    \b
    Example:  specter-graph match assign ICLR -o assignment.csv --per-submission 3 --max-load 6
              specter-graph match assign ICLR -o assignment.csv --min-seniors 1 --method fair
              specter-graph match assign ICLR -o assignment.csv --method random --seed 7
              specter-graph match assign ICLR -o assignment.csv --max-per-region 2 --no-reciprocal
              specter-graph match assign ICLR -o chairs.csv --role "area chair" --per-submission 1
    """
    used = sg.VenueSettings(settings, scoring, conflict_years)
    names = read_names(graph.venue(venue), settings.role, system)
    with _report_skipped(options["scores"]) as on_skip:
        pairs = graph.venue(venue).assign(used, on_skip=on_skip, **options)
    return _write(pairs, path, system, names)


@click.command()
@venue_argument
@output_option()
@name_option
@reassign_rules_options
@flag("--only-add", "Keep all reviews, and add the missing ones: an emergency round.")
@_scores_option
@dry_run_option
@_system_options
@graph_command(progress=True)
def reassign(
    graph: "sg.LiteratureGraph",
    venue: str,
    path: Path,
    name: str,
    system: "System | None",
    **options: Any,
) -> object:
    """Update the assignment of VENUE with as few changes as possible.

    Use it after a late submission (load it first), or when a reviewer drops out. The settings are
    those stored with the assignment.

    \b
    Example:  specter-graph match reassign ICLR-2027 -o new.csv --remove-reviewer ~Ann_Smith1
              specter-graph match reassign ICLR-2027 -o new.csv --only-add
    """
    matching = graph.venue(venue)
    before = {(pair.reviewer, pair.submission) for pair in matching.assigned(name)}
    names = read_names(matching, matching.settings(name).assignment.role, system)
    with _report_skipped(options["scores"]) as on_skip:
        pairs = matching.reassign(name=name, on_skip=on_skip, **options)
    now = {(pair.reviewer, pair.submission) for pair in pairs}
    written = _write(pairs, path, system, names)
    click.echo(
        f"{counted(len(before - now), 'review')} removed, {len(now - before):,} added", err=True
    )
    return written


@click.command()
@venue_argument
@output_option()
@name_option
@_system_options
@graph_command()
def export(
    graph: "sg.LiteratureGraph", venue: str, path: Path, name: str, system: "System | None"
) -> object:
    """Write the stored assignment of VENUE.

    Pairs that were changed by hand are included.

    \b
    Example:  specter-graph match export ICLR-2027 -o assignment.csv --hotcrp
    """
    from specter_graph.matching.io.score_files import names_at

    pairs = graph.venue(venue).assigned(name)
    assigned = {pair.reviewer for pair in pairs}
    people = (reviewer for reviewer in graph.venue(venue).reviewers() if reviewer.id in assigned)
    return _write(pairs, path, system, names_at(system, people))


@click.command()
@venue_argument
@output_option()
@name_option
@flag("--show-conflict-evidence", "Include the evidence of conflicts, which reveals authors.")
@graph_command(None, progress=True)
def report(graph: "sg.LiteratureGraph", venue: str, path: Path, **options: Any) -> None:
    """Write a web page on the assignment of VENUE.

    It shows loads, worst-off submissions and conflicts. The settings are those stored with the
    assignment.

    \b
    Example:  specter-graph match report ICLR-2027 -o report.html
    """
    graph.venue(venue).report(path, **options)
    click.echo(path)


def read_names(
    venue: "ReviewVenue", role: str, system: "System | None"
) -> "dict[str, tuple[str, str]]":
    """Return what a conference system calls the people of a role who may review, by id."""
    from specter_graph.matching.io.score_files import names_at

    people = (
        person
        for person in venue.reviewers()
        if person.reviewer.role == role and person.reviewer.maximum != 0
    )
    return names_at(system, people)


def _write(
    pairs: "list[sg.AssignedPair]",
    path: Path,
    system: "System | None",
    names: "dict[str, tuple[str, str]]",
) -> dict[str, float]:
    """Write the file, for a conference system if one is given; return its size and affinity."""
    from specter_graph.matching.io.score_files import write_assigned

    write_assigned(path, pairs, system, names)
    if unrelated := sorted({pair.reviewer for pair in pairs if pair.affinity == 0}):
        click.echo(
            f"{counted(len(unrelated), 'reviewer is', 'reviewers are')} assigned with the"
            " affinity 0: the graph has no"
            f" papers of them, or the file of scores lacks the pair: {summarize_names(unrelated)}",
            err=True,
        )
    total = sum(pair.affinity for pair in pairs)
    mean = total / len(pairs) if pairs else 0.0
    return {"reviews": len(pairs), "affinity": round(total, 6), "mean_affinity": round(mean, 6)}
