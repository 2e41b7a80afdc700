"""`match`: reviewers for submissions."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import click

from specter_graph.cli import affinities, assigning, expertise
from specter_graph.cli.matching_options import PATH, venue_argument
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.core.errors import summarize_names

_ABOUT_CONFLICTS = re.compile("mail|affiliation|institution|organi[sz]ation|domain", re.IGNORECASE)


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


for command in (
    *(affinities.affinity, affinities.explain, affinities.conflicts),
    *(assigning.assign, assigning.change, assigning.report),
    expertise.evaluate,
):
    match.add_command(command)


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
    help="OpenReview's archives/~Id.jsonl: reviewers with what they wrote.",
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
            click.echo(f"{len(unknown):,} {what}: {summarize_names(unknown)}", err=True)
    if landed.ignored_columns:
        click.echo(f"columns that were ignored: {', '.join(landed.ignored_columns)}", err=True)
        if any(_ABOUT_CONFLICTS.search(column) for column in landed.ignored_columns):
            click.echo(
                "no conflict is found by e-mail or by the affiliations of these lists: declare"
                " such pairs with --conflicts",
                err=True,
            )
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
    """Take VENUE out of the graph, with all that it handed in; the literature stays.

    Papers of archives go too, unless one of their authors reviews for another venue.

    \b
    Example:  specter-graph match remove ICLR-2027 --yes
    """
    if not yes:
        click.confirm(f"Remove the venue {venue} with its submissions and reviewers?", abort=True)
    with open_graph(instance) as graph:
        graph.venue(venue).remove()
