"""`match fetch`, `match pull` and `match push`: services and OpenReview."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

import specter_graph as sg
from specter_graph.cli.match_options import name_option, replace_option, venue_argument
from specter_graph.cli.options import (
    FILE,
    FOLDER,
    confirm,
    dry_run_option,
    format_option,
    graph_options,
    open_graph,
    option,
    output_option,
    refuse_given,
    yes_option,
)
from specter_graph.cli.output import Output, progress_bar
from specter_graph.core.errors import InputError, counted

if TYPE_CHECKING:
    from specter_graph.matching.io.openreview_api import OpenReviewVenue

_openreview_argument = click.argument("openreview_venue")


@click.command()
@click.argument("reviewers", type=FILE)
@output_option(FOLDER)
@format_option
def fetch(reviewers: Path, path: Path, output: Output) -> None:
    """Fetch the papers of REVIEWERS from web services.

    The services are OpenAlex, Semantic Scholar and dblp. REVIEWERS is a list with columns such
    as orcid, openalex, semantic_scholar or dblp. Each reviewer becomes a file in the folder,
    for `match load --archives`. Reviewers who have a file are not fetched again: to continue
    after an interruption, run the command again.

    \b
    Example:  specter-graph match fetch reviewers.csv -o archives/
              specter-graph match load ICLR-2027 --reviewers reviewers.csv --archives archives/
    """
    from specter_graph.matching.io.publications import PaperServices, fetch_archives

    services = PaperServices(sg.Settings().web_access())
    with progress_bar() as progress:
        summary = fetch_archives(reviewers, path, services, progress)
    output.show(summary)


@click.command()
@_openreview_argument
@output_option(FOLDER)
@format_option
def pull(openreview_venue: str, path: Path, output: Output) -> None:
    """Pull OPENREVIEW_VENUE into files.

    The files have the submissions, the reviewers with their papers, bids and conflicts. You
    need the account of a program chair: set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD. To
    continue after an interruption, run the command again.

    \b
    Example:  specter-graph match pull ICLR.cc/2027/Conference -o iclr/
              specter-graph match load ICLR --submissions iclr/submissions.json --bids iclr/bids.csv
              specter-graph match load ICLR --archives iclr/archives --conflicts iclr/conflicts.csv
    """
    with progress_bar() as progress:
        summary = _open_venue(openreview_venue).pull(path, progress)
    output.show(summary)


@click.command()
@venue_argument
@_openreview_argument
@option(
    "--affinities",
    "Push the affinities in this file, which `match score` wrote; VENUE is not read, so any name"
    " will do.",
    FILE,
)
@name_option
@option("--label", "Label of the proposed assignment in OpenReview.", default="specter-graph")
@replace_option
@dry_run_option
@yes_option
@graph_options
def push(
    venue: str,
    openreview_venue: str,
    affinities: Path | None,
    name: str,
    label: str,
    replace: bool,
    dry_run: bool,
    yes: bool,
    instance: str | None,
    output: Output,
) -> None:
    """Push an assignment of VENUE to OPENREVIEW_VENUE.

    The command first shows how many edges would be posted, and an example. The program chairs
    see and deploy the proposed assignment in OpenReview.

    \b
    Example:  specter-graph match push ICLR-2027 ICLR.cc/2027/Conference --dry-run
              specter-graph match push ICLR-2027 ICLR.cc/2027/Conference --name fair --label round-1
              specter-graph match push ICLR-2027 ICLR.cc/2027/Conference --affinities scores.csv
    """
    from specter_graph.matching.io.score_files import score_lines

    if affinities:
        refuse_given("--affinities", "name", "label", "instance")
        pairs = [(paper, reviewer, score) for _, paper, reviewer, score in score_lines(affinities)]
    else:
        with open_graph(instance) as graph:
            assigned = graph.venue(venue).assigned(name)
        pairs = [(pair.submission, pair.reviewer, pair.affinity) for pair in assigned]
    if not pairs:
        raise InputError("there are no pairs to push")
    remote = _open_venue(openreview_venue)
    plan = remote.plan(
        pairs, "affinity" if affinities else "assignment", None if affinities else label
    )
    output.show(
        {
            "invitation": plan.invitation,
            "label": plan.label,
            "edges": len(plan.edges),
            "present": plan.present,
            "example": plan.edges[0],
        }
    )
    if dry_run:
        return
    if plan.present and not replace:
        raise InputError(
            f"OpenReview has {counted(plan.present, 'such edge')} already",
            "replace them with --replace" + ("" if affinities else ", or give another --label"),
        )
    confirm(yes, f"Post {counted(len(plan.edges), 'edge')} to OpenReview?")
    with progress_bar() as progress:
        remote.push(plan, progress)
    click.echo(f"{counted(len(plan.edges), 'edge')} posted", err=True)


def _open_venue(name: str) -> "OpenReviewVenue":
    from specter_graph.matching.io.openreview_api import OpenReviewVenue
    from specter_graph.settings import secret_value

    settings = sg.Settings()
    return OpenReviewVenue(
        name,
        settings.openreview_username,
        secret_value(settings.openreview_password),
        url=settings.openreview_api_baseurl_v2,
        first_url=settings.openreview_api_baseurl,
    )
