"""The command group `match`: reviewers for the submissions of a venue."""

import re
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli import match_assign, match_systems
from specter_graph.cli.match_options import scoring_options, venue_argument, years_option
from specter_graph.cli.options import (
    FILE,
    FOLDER,
    PATH,
    delete_object,
    flag,
    format_option,
    graph_command,
    model_option,
    option,
    output_option,
    refuse_given,
    yes_option,
)
from specter_graph.cli.output import Output, progress_bar, terminal_safe
from specter_graph.core.errors import InputError, counted, summarize_names
from specter_graph.core.progress import Progress

_ABOUT_CONFLICTS = re.compile("mail|affiliation|institution|organi[sz]ation|domain", re.IGNORECASE)


def _print_explanation(explanation: "sg.MatchExplanation") -> None:
    click.echo(f"affinity {explanation.affinity:.3f}")
    if explanation.bid is not None:
        click.echo(f"bid {explanation.bid:g}")
    for paper in explanation.papers:
        click.echo(terminal_safe(f"  {paper.similarity:.3f}  {paper.id}  {paper.title}"))
    by_kind = explanation.paths.by_kind() if explanation.paths else {}
    for name, entries in by_kind.items():
        click.echo(terminal_safe(f"{name}: {summarize_names(entries, limit=10)}"))
    for conflict in explanation.conflicts:
        likely = "" if conflict.certain else ", likely"
        text = f"conflict ({conflict.kind}{likely}): {conflict.evidence}"
        click.echo(terminal_safe(text))


@click.group()
def match() -> None:
    """Find reviewers for the submissions of a venue.

    \b
    Example:  specter-graph match load ICLR-2027 --submissions submissions.json --archives archives/
              specter-graph match score ICLR-2027 -o scores.csv
              specter-graph match assign ICLR-2027 -o assignment.csv
              specter-graph match report ICLR-2027 -o report.html
    """


for command in (
    match_assign.check, match_assign.assign, match_assign.reassign, match_assign.export,
    match_assign.report,
    match_systems.fetch, match_systems.pull, match_systems.push,
):  # fmt: skip
    match.add_command(command)


def _show_loaded(output: Output, summary: Any) -> None:
    """Print the summary of a load, and what is missing in its lists."""
    output.show(summary)
    if summary.unknown_authors:
        click.echo(
            "unknown authors cause no conflicts: give their e-mail addresses or ids", err=True
        )
    if summary.unlisted_reviewers:
        click.echo(
            f"added {counted(len(summary.unlisted_reviewers), 'reviewer')} with archives, who are"
            " in no list; if a list has them under their e-mail addresses, they are two people now:"
            f" delete the venue, and load first a list with the columns id and email",
            err=True,
        )
    if any(_ABOUT_CONFLICTS.search(column) for column in summary.ignored):
        click.echo(
            "affiliations in these lists cause no conflicts: load them with --affiliations",
            err=True,
        )


@match.command("load")
@venue_argument
@option(
    "--submissions",
    "Submissions: CSV, JSON Lines, or the file of OpenReview, HotCRP, EasyChair or CMT.",
    PATH,
)
@option(
    "--reviewers",
    "Reviewers: CSV or JSON Lines with id (of an author, ORCID, OpenAlex, OpenReview),"
    " minimum, maximum, senior; or the list of EasyChair or CMT.",
    FILE,
)
@option("--archives", "OpenReview's archives/~Id.jsonl: reviewers with their papers.", FOLDER)
@option("--bids", "Bids: reviewer, submission, value.", FILE)
@option("--conflicts", "Conflicts: reviewer, submission, reason.", FILE)
@option("--quotas", "Quotas: reviewer, minimum, maximum.", FILE)
@option("--affiliations", "Affiliations: person, institution, until.", FILE)
@option("--relations", "Relations: person, other, relation, until.", FILE)
@option(
    "--institutions", "Institutions: institution, same_as, parent; or ROR's data dump (JSON).", FILE
)
@option("--year", "Year of the venue, for conflicts.", int, shown="this year")
@graph_command(_show_loaded, create=True)
def load(graph: "sg.LiteratureGraph", venue: str, **files: Any) -> object:
    """Load the submissions and reviewers of VENUE into the graph.

    You can load the files one at a time, and again: changed entries are replaced, and entries that
    a file lacks stay. A list of bids or of conflicts replaces the earlier list.

    \b
    Example:  specter-graph match load ICLR-2027 --submissions papers.csv --reviewers reviewers.csv
    """
    return graph.venue(venue).load(**files)


@match.command("list")
@click.argument("venue", required=False)
@graph_command()
def list_(graph: "sg.LiteratureGraph", venue: str | None) -> object:
    """List the venues with their counts, or the assignments of VENUE.

    \b
    Example:  specter-graph match list
              specter-graph match list ICLR-2027
    """
    if venue is None:
        return graph.venues()
    return [{"name": k, "reviews": n} for k, n in graph.venue(venue).assignments().items()]


@match.command()
@venue_argument
@option("--name", "Name of the assignment.", shown="all")
@yes_option
@graph_command(None)
def delete(graph: "sg.LiteratureGraph", venue: str, name: str | None, yes: bool) -> None:
    """Delete VENUE, or only the assignment --name.

    With VENUE, everything that was loaded for it is deleted. The literature stays. Papers of
    archives are deleted too, unless one of their authors reviews for another venue.

    \b
    Example:  specter-graph match delete ICLR-2027 --yes
              specter-graph match delete ICLR-2027 --name trial --yes
    """
    if name:
        what = f"the assignment {name} of the venue {venue}"
        delete_object(yes, what, lambda: graph.venue(venue).delete_assignment(name))
    else:
        what = f"the venue {venue} with its submissions and reviewers"
        delete_object(yes, what, graph.venue(venue).delete)


@match.command()
@venue_argument
@output_option()
@scoring_options
@option(
    "--max-reviewers",
    "Write only the best reviewers of each submission.",
    click.IntRange(1),
    shown="all",
)
@flag("--with-papers", "Write JSON Lines with the papers that explain each score, instead of CSV.")
@graph_command(None, progress=True)
def score(
    graph: "sg.LiteratureGraph",
    venue: str,
    path: Path,
    scoring: "sg.ScoreSettings",
    max_reviewers: int | None,
    with_papers: bool,
    progress: Progress,
) -> None:
    """Score every reviewer for every submission of VENUE.

    The scores are computed from the papers of the reviewers. A score does not depend on the
    other reviewers. Each line of the file has submission, reviewer and score, as OpenReview
    reads them.

    \b
    Example:  specter-graph match score ICLR-2027 -o scores.csv
              specter-graph match score ICLR-2027 -o best.jsonl --max-reviewers 10 --with-papers
    """
    from specter_graph.matching.affinity.aggregation import top_reviewers
    from specter_graph.matching.io.score_files import write_explained, write_scores

    scores = graph.venue(venue).score(scoring, progress=progress)
    best = None if max_reviewers is None else top_reviewers(scores.affinity, max_reviewers)
    written = (write_explained if with_papers else write_scores)(path, scores, best)
    click.echo(f"{counted(written, 'score')} in {path}", err=True)
    if missing := scores.without_papers:
        click.echo(
            f"{counted(len(missing), 'reviewer has', 'reviewers have')} no papers in the graph, so"
            f" the score is 0: {summarize_names(missing)}",
            err=True,
        )


@match.command()
@venue_argument
@click.argument("submission")
@click.argument("reviewer")
@scoring_options
@years_option
@graph_command(partial(Output.show, text=_print_explanation), progress=True)
def explain(
    graph: "sg.LiteratureGraph",
    venue: str,
    submission: str,
    reviewer: str,
    scoring: "sg.ScoreSettings",
    **options: Any,
) -> object:
    """Explain why REVIEWER fits SUBMISSION.

    REVIEWER is an id or an e-mail address. The answer has papers, the bid and conflicts.

    \b
    Example:  specter-graph match explain ICLR-2027 17 ~Ann_Smith1
    """
    return graph.venue(venue).explain(submission, reviewer, scoring, **options)


@match.command()
@venue_argument
@years_option
@graph_command(
    partial(Output.show_rows, columns=("submission", "reviewer", "kind", "certain", "evidence"))
)
def conflicts(graph: "sg.LiteratureGraph", venue: str, conflict_years: int) -> object:
    """List the conflicts of interest of VENUE with the evidence.

    A reviewer has a conflict with a submission if the reviewer is an author, or a co-author,
    colleague, relation or probable advisor of an author, or if the conflict is declared. A conflict
    that is derived from names or from a pattern of papers is only likely.

    \b
    Example:  specter-graph match conflicts ICLR-2027 --conflict-years 4
              specter-graph match conflicts ICLR-2027 --format json
    """
    return [asdict(conflict) for conflict in graph.venue(venue).conflicts(conflict_years)]


@match.command()
@option("--dataset", "Folder with submissions.json and archives/.", FOLDER)
@option(
    "--evaluations",
    "Ratings: tab-separated, ParticipantID, Paper1.., Expertise1.. (1 to 5).",
    FILE,
    required=True,
)
@option(
    "--predictions",
    "Evaluate these scores, {reviewer: {paper: score}}, instead of computing scores.",
    FILE,
)
@model_option()
@output_option(required=False, shown="none")
@format_option
def evaluate(
    dataset: Path | None,
    evaluations: Path,
    predictions: Path | None,
    model: str | None,
    path: Path | None,
    output: Output,
) -> None:
    """Evaluate affinities on rated expertise; no database is needed.

    The files and the measures are those of "A Gold Standard Dataset for the Reviewer Assignment
    Problem" (Stelmakh et al., 2023): a weighted Kendall tau loss, and the share of easy
    and of hard pairs in the right order, with bootstrap intervals over reviewers. -o writes the
    scores.

    \b
    Example:  specter-graph match evaluate --dataset datasets/d_20_1 --evaluations ratings.csv
              specter-graph match evaluate --evaluations ratings.csv --predictions scores.json
    """
    from specter_graph.matching import evaluation

    if (dataset is None) == (predictions is None):
        raise InputError(
            "give either --dataset or --predictions", "see specter-graph match evaluate --help"
        )
    if predictions:
        refuse_given("--predictions", "model")
    ratings = evaluation.read_evaluations(evaluations)
    if dataset:
        papers = evaluation.read_gold_papers(dataset)
        with progress_bar() as progress:
            # Texts are few, and the rounding of int8 depends on the processor.
            encoder = sg.Encoder.load(model, precision="float32")
            scores = evaluation.predict_expertise(papers, encoder, progress=progress)
    else:
        assert predictions
        scores = evaluation.read_predictions(predictions)
    if path:
        evaluation.write_predictions(scores, path)
    output.show(evaluation.evaluate_expertise(ratings, scores))
