"""Options that commands of `match` share: settings of scores and of assignments."""

from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    flag,
    grouped_options,
    option,
    seed_option,
    space_option,
)
from specter_graph.core.errors import extra

_NUMBER_OF = {"top": "k", "percentile": "percentile", "softmax": "temperature"}

venue_argument = click.argument("venue")

replace_option = flag("--replace", "Replace the assignment that is stored or posted already.")

name_option = option("--name", "Name of the assignment.", default="reviewer")
years_option = option(
    "--conflict-years",
    "Years for which common papers and affiliations are a conflict.",
    click.IntRange(0),
    3,
)


def _read_pairs(
    context: click.Context, option: click.Parameter, path: Path | None
) -> set[tuple[str, str]]:
    if path is None:
        return set()
    from specter_graph.matching.io.lists import read_conflicts

    return {(conflict.reviewer, conflict.submission) for conflict in read_conflicts(path)}


lock_option = option(
    "--lock locked",
    "Pairs that must be assigned: reviewer, submission.",
    FILE,
    callback=_read_pairs,
)
forbid_option = option(
    "--forbid forbidden", "Pairs that must not be assigned.", FILE, callback=_read_pairs
)


def _pair_rules(**values: Any) -> "sg.PairRules":
    with extra("match"):  # before the graph is opened
        import ortools  # noqa: F401

    return sg.PairRules(**values)


rules_options = grouped_options("rules", _pair_rules, lock_option, forbid_option)

reassign_rules_options = grouped_options(
    "rules",
    _pair_rules,
    option("--remove-reviewer removed_reviewers", "Reviewer to remove.", "REVIEWER", multiple=True),
    forbid_option,
)


def _aggregation(written: str) -> "sg.Aggregation":
    method, colon, number = written.partition(":")
    values: dict[str, Any] = {"method": method}
    try:
        if colon:
            field = _NUMBER_OF.get(method, "")
            values[field] = int(number) if field == "k" else float(number)
        return sg.Aggregation(**values)
    except (TypeError, ValueError) as error:
        raise click.BadParameter(
            f"{written!r} is not one of top:3, max, mean, percentile:90, softmax:0.2",
            param_hint="--aggregate",
        ) from error


def _score_settings(aggregate: str, **values: Any) -> "sg.ScoreSettings":
    return sg.ScoreSettings(aggregation=_aggregation(aggregate), **values)


scoring_options = grouped_options(
    "scoring",
    _score_settings,
    space_option(multiple=True, shown="base, or else specter"),
    option(
        "--aggregate",
        "Aggregation of the similarities of a reviewer's papers: top:3 (mean of three),"
        " max, mean, percentile:90, or softmax:0.2 (temperature).",
        "METHOD",
        "top:3",
    ),
    option(
        "--half-life",
        "Halve the weight of a paper after these years.",
        click.FloatRange(0, min_open=True),
        shown="age does not count",
        metavar="YEARS",
    ),
    option(
        "--middle-author-weight",
        "Weight of papers on which the reviewer is neither first nor last author.",
        click.FloatRange(0, 1, min_open=True),
        1.0,
        metavar="WEIGHT",
    ),
    option(
        "--citation-weight",
        "Weight of citations: the submission cites the reviewer, or shares references.",
        click.FloatRange(0, 1, max_open=True),
        0.0,
        metavar="SHARE",
    ),
)


def _assign_settings(**values: Any) -> "sg.AssignSettings":
    return sg.AssignSettings(**values)


_demands = (
    option("--per-submission", "Reviewers of each submission.", click.IntRange(1), 3),
    option(
        "--max-load", "Maximum submissions of a reviewer without a quota.", click.IntRange(0), 6
    ),
    option(
        "--min-load", "Minimum submissions of a reviewer without a quota.", click.IntRange(0), 0
    ),
    option("--min-seniors", "Minimum senior reviewers of each submission.", click.IntRange(0), 0),
    flag("--one-per-affiliation", "Assign at most one reviewer of an affiliation to a submission."),
    option(
        "--max-per-region", "Maximum reviewers of a region for each submission.", click.IntRange(1)
    ),
    flag("--no-reciprocal", "Prevent two reviewers from reviewing each other's submissions."),
    option(
        "--role",
        "Role of the people to assign, as in the list of reviewers: area chair.",
        default="reviewer",
    ),
    option(
        "--after",
        "An earlier assignment whose people count for --one-per-affiliation and --max-per-region.",
        "NAME",
    ),
    option(
        "--exclude-likely/--allow-likely",
        "Exclude pairs whose conflict is only likely.",
        default=True,
    ),
)
_methods = (
    option(
        "--method",
        "Maximize the total affinity, serve the worst-off submission first (PeerReview4All), or"
        " draw at random against manipulation.",
        ("total", "fair", "random"),
        "total",
    ),
    option(
        "--max-probability",
        "Maximum probability of a pair, for --method random.",
        click.FloatRange(0, 1, min_open=True),
        0.5,
        metavar="P",
    ),
    option(
        "--perturbation",
        "Spread the probabilities over more pairs, for --method random: perturbed maximization.",
        click.FloatRange(0, 1),
        0.0,
        metavar="STRENGTH",
    ),
    option("--min-affinity", "Minimum affinity of a pair.", float),
    option(
        "--bid-weight",
        "Weight of bids; 1 ignores them.",
        click.FloatRange(1),
        4.0,
        metavar="WEIGHT",
    ),
    seed_option,
)

demand_options = grouped_options("settings", _assign_settings, *_demands)
assignment_options = grouped_options("settings", _assign_settings, *_demands, *_methods)
"""Options of all `AssignSettings`, with the defaults of that class."""
