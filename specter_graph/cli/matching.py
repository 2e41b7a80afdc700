"""`match`: reviewers for submissions."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli import expertise
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
from specter_graph.errors import few

if TYPE_CHECKING:
    from specter_graph.matching.records import Assigned
    from specter_graph.matching.scoring import ScoreSettings, VenueScores


@click.group()
def match() -> None:
    """Find reviewers for the submissions of a venue.

    \b
    Example:
      specter-graph match load ICLR-2027 --submissions submissions.json --archives archives/
      specter-graph match affinity ICLR-2027 -o scores.csv
      specter-graph match assign ICLR-2027 -o assignment.csv
      specter-graph match report ICLR-2027 -o report.html
    """


match.add_command(expertise.evaluate)
match.add_command(expertise.check)


@match.command("load")
@venue_argument
@click.option(
    "--submissions",
    type=PATH,
    metavar="PATH",
    help="CSV, JSON Lines, OpenReview's submissions.json, or a folder of ID.jsonl.",
)
@click.option(
    "--reviewers",
    type=PATH,
    metavar="FILE",
    help="CSV or JSON Lines: id (of an author, ORCID, OpenAlex, OpenReview), minimum, maximum,"
    " senior.",
)
@click.option(
    "--archives",
    type=PATH,
    metavar="FOLDER",
    help="OpenReview's archives/~Id.jsonl: reviewers with what they wrote, which becomes papers.",
)
@click.option("--bids", type=PATH, metavar="FILE", help="reviewer, submission, value.")
@click.option("--conflicts", type=PATH, metavar="FILE", help="reviewer, submission, reason.")
@click.option("--quotas", type=PATH, metavar="FILE", help="reviewer, minimum, maximum.")
@click.option("--year", type=int, help="From which conflicts count back.  [default: this year]")
@json_option
@instance_option
def load(
    venue: str,
    submissions: Path | None,
    reviewers: Path | None,
    archives: Path | None,
    bids: Path | None,
    conflicts: Path | None,
    quotas: Path | None,
    year: int | None,
    as_json: bool,
    instance: str | None,
) -> None:
    """Bring the submissions and reviewers of VENUE into the graph.

    Files may come one at a time and again: what changed is replaced, and what is not named stays.
    A list of bids or of conflicts takes the place of the one before.

    \b
    Example:
      specter-graph match load ICLR-2027 --submissions papers.csv --reviewers reviewers.csv
    """  # fmt: skip
    with open_graph(instance) as graph:
        landed = graph.venue(venue).load(
            submissions=submissions,
            reviewers=reviewers,
            archives=archives,
            bids=bids,
            conflicts=conflicts,
            quotas=quotas,
            year=year,
        )
    if as_json:
        click.echo(json.dumps(asdict(landed)))
        return
    for name in ("submissions", "reviewers", "bids", "conflicts"):
        if count := getattr(landed, name):
            click.echo(f"{name:<12}{count:>8,}")
    for name, what in (
        ("unknown_authors", "authors of submissions that the graph does not know"),
        ("unknown_references", "references of submissions that the graph does not know"),
    ):
        if unknown := getattr(landed, name):
            click.echo(f"{len(unknown):,} {what}: {few(unknown)}", err=True)
    if landed.unknown_bids:
        click.echo(f"{landed.unknown_bids:,} bids by or on others: left out", err=True)


@match.command("list")
@json_option
@instance_option
def venue_list(as_json: bool, instance: str | None) -> None:
    """List the venues with what they have.

    \b
    Example:  specter-graph match list
    """
    with open_graph(instance) as graph:
        found = graph.venues()
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found]))
        return
    for each in found:
        click.echo(
            f"{each.name}: {each.submissions:,} submissions ({each.anonymous:,} anonymous),"
            f" {each.reviewers:,} reviewers, {each.bids:,} bids, {each.conflicts:,} declared"
            f" conflicts, {each.assigned:,} reviews assigned"
        )


@match.command("remove")
@venue_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@instance_option
def remove(venue: str, yes: bool, instance: str | None) -> None:
    """Take VENUE out of the graph, with all that it handed in; papers stay.

    \b
    Example:  specter-graph match remove ICLR-2027 --yes
    """
    if not yes:
        click.confirm(f"Remove the venue {venue} with its submissions and reviewers?", abort=True)
    with open_graph(instance) as graph:
        graph.venue(venue).remove()


@match.command("affinity")
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
    from specter_graph.matching.affinity import top_reviewers
    from specter_graph.matching.tables import write_explained, write_scores

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
    _tell_without_papers(scores)


@match.command("explain")
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
        click.echo(f"{name}: {few(entries, most=10)}")
    for conflict in found.conflicts:
        sure = "" if conflict.certain else ", likely"
        click.echo(f"conflict ({conflict.kind}{sure}): {conflict.evidence}")


@match.command("conflicts")
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
    with open_graph(instance) as graph:
        for each in graph.venue(venue).conflicts(years):
            if as_json:
                click.echo(json.dumps(asdict(each)))
            else:
                sure = "" if each.certain else ", likely"
                click.echo(
                    f"{each.submission}\t{each.reviewer}\t{each.kind}{sure}\t{each.evidence}"
                )


@match.command("assign")
@venue_argument
@output_option
@assignment_options
@scoring_options
@years_option
@click.option(
    "--scores",
    type=PATH,
    metavar="FILE",
    help="Take affinities from this file (submission,reviewer,score) instead of computing them.",
)
@click.option(
    "--lock",
    type=PATH,
    metavar="FILE",
    help="Pairs that must be assigned: reviewer, submission.",
)
@click.option("--forbid", type=PATH, metavar="FILE", help="Pairs that must not be.")
@click.option("--fair", is_flag=True, help="Serve the worst-off submission first (PeerReview4All).")
@click.option(
    "--cap",
    metavar="P",
    type=click.FloatRange(0, 1, min_open=True),
    help="Draw at random, no pair with more than this probability, against manipulation.",
)
@click.option("--seed", default=0, show_default=True, help="What --cap draws.")
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
    as_json: bool,
    instance: str | None,
) -> None:
    """Assign reviewers to the submissions of VENUE, with the highest total affinity.

    No conflict is assigned; where there is no such assignment, the message says in counts why, and
    what would help. The graph keeps the assignment for `change` and `report`.

    \b
    Example:
      specter-graph match assign ICLR-2027 -o assignment.csv --per-submission 3 --max-load 6
      specter-graph match assign ICLR-2027 -o assignment.csv --seniors 1 --fair
      specter-graph match assign ICLR-2027 -o assignment.csv --cap 0.5 --seed 7
    """  # fmt: skip
    from specter_graph.matching.assigning import AssignSettings

    with open_graph(instance) as graph, progress_bar() as progress:
        pairs = graph.venue(venue).assign(
            AssignSettings(**settings, fair=fair, cap=cap, seed=seed),
            scoring,
            scores=scores,
            years=years,
            locked=_pairs(lock),
            forbidden=_pairs(forbid),
            progress=progress,
        )
    _write(pairs, output, as_json)


@match.command("change")
@venue_argument
@output_option
@assignment_options
@scoring_options
@years_option
@click.option(
    "--without", metavar="REVIEWER", multiple=True, help="Who drops out; give it again for more."
)
@click.option("--forbid", type=PATH, metavar="FILE", help="Pairs that must not be assigned.")
@json_option
@instance_option
def change(
    venue: str,
    output: Path,
    settings: dict[str, Any],
    scoring: "ScoreSettings",
    years: int,
    without: tuple[str, ...],
    forbid: Path | None,
    as_json: bool,
    instance: str | None,
) -> None:
    """Mend the assignment of VENUE with as few changes as can be.

    After a late submission (load it first), or when a reviewer drops out.

    \b
    Example:  specter-graph match change ICLR-2027 -o assignment.csv --without ~Ann_Smith1
    """
    from specter_graph.matching.assigning import AssignSettings

    with open_graph(instance) as graph, progress_bar() as progress:
        before = {(each.reviewer, each.submission) for each in graph.venue(venue).assigned()}
        pairs = graph.venue(venue).change(
            AssignSettings(**settings),
            scoring,
            years=years,
            without=without,
            forbidden=_pairs(forbid),
            progress=progress,
        )
    now = {(each.reviewer, each.submission) for each in pairs}
    _write(pairs, output, as_json)
    click.echo(f"{len(before - now)} reviews gone, {len(now - before)} new", err=True)


@match.command("report")
@venue_argument
@output_option
@assignment_options
@scoring_options
@years_option
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
    from specter_graph.matching.assigning import AssignSettings

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
    from specter_graph.matching.files import read_conflicts

    return {(each.reviewer, each.submission) for each in read_conflicts(path)}


def _write(pairs: "list[Assigned]", output: Path, as_json: bool) -> None:
    from specter_graph.matching.tables import write_assigned

    write_assigned(output, pairs)
    total = sum(each.affinity for each in pairs)
    if as_json:
        click.echo(json.dumps({"reviews": len(pairs), "affinity": round(total, 6)}))
    else:
        mean = total / len(pairs) if pairs else 0.0
        click.echo(f"{len(pairs):,} reviews in {output}, mean affinity {mean:.3f}")


def _tell_without_papers(scores: "VenueScores") -> None:
    if nobody := scores.without_papers:
        click.echo(
            f"{len(nobody):,} reviewers have no papers in the graph, their scores are 0:"
            f" {few(nobody)}",
            err=True,
        )
