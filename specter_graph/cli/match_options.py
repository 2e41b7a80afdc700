"""Options that commands of `match` share: settings of scores and of assignments."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.options import FILE, add_options, space_option

if TYPE_CHECKING:
    from specter_graph.matching.affinity.aggregation import Aggregation

_NUMBER_OF = {"top": "k", "percentile": "percentile", "softmax": "temperature"}
_SCORING = ("spaces", "aggregate", "half_life", "middle_author_weight", "citation_weight")
_ASSIGNING = (
    *("per_submission", "max_load", "min_load", "min_seniors", "one_per_affiliation"),
    *("max_per_region", "no_reciprocal", "role", "after"),
    *("min_affinity", "bid_weight", "exclude_likely"),
)

venue_argument = click.argument("venue")

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show or write the result, but do not store or post it."
)

replace_option = click.option(
    "--replace", is_flag=True, help="Replace the assignment that is stored or posted already."
)

years_option = click.option(
    "--conflict-years",
    "years",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Years for which common papers and affiliations are a conflict.",
)

lock_option = click.option(
    "--lock", type=FILE, metavar="FILE", help="Pairs that must be assigned: reviewer, submission."
)
forbid_option = click.option(
    "--forbid", type=FILE, metavar="FILE", help="Pairs that must not be assigned."
)


def read_pairs(path: Path | None) -> set[tuple[str, str]]:
    """Read a file of reviewers and submissions; return nothing without a file."""
    if path is None:
        return set()
    from specter_graph.matching.io import read_conflicts

    return {(conflict.reviewer, conflict.submission) for conflict in read_conflicts(path)}


def scoring_options(command: Callable[..., Any]) -> Any:
    """Add options that the command gets as `scoring`, a ScoreSettings."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> Any:
        from specter_graph.matching.affinity.scoring import ScoreSettings

        given = {name: options.pop(name) for name in _SCORING}
        scoring = ScoreSettings(aggregation=_aggregation(given.pop("aggregate")), **given)
        return command(scoring=scoring, **options)

    return add_options(
        with_settings,
        space_option(multiple=True, shown="specter, or else base"),
        click.option(
            "--aggregate",
            metavar="METHOD",
            default="top:3",
            show_default=True,
            help="Aggregation of the similarities of a reviewer's papers: top:3 (mean of three),"
            " max, mean, percentile:90, or softmax:0.2 (temperature).",
        ),
        click.option(
            "--half-life",
            metavar="YEARS",
            type=click.FloatRange(0, min_open=True),
            show_default="age does not count",
            help="Halve the weight of a paper after these years.",
        ),
        click.option(
            "--middle-author-weight",
            metavar="WEIGHT",
            type=click.FloatRange(0, 1, min_open=True),
            default=1.0,
            show_default=True,
            help="Weight of papers on which the reviewer is neither first nor last author.",
        ),
        click.option(
            "--citation-weight",
            metavar="SHARE",
            type=click.FloatRange(0, 1, max_open=True),
            default=0.0,
            show_default=True,
            help="Weight of citations: the submission cites the reviewer, or shares references.",
        ),
    )


def assignment_options(command: Callable[..., Any]) -> Any:
    """Add options that the command gets as `settings`, a dict of fields of AssignSettings."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> Any:
        settings = {name: options.pop(name) for name in _ASSIGNING}
        return command(settings=settings, **options)

    return add_options(
        with_settings,
        click.option(
            "--per-submission",
            type=click.IntRange(1),
            default=3,
            show_default=True,
            help="Reviewers of each submission.",
        ),
        click.option(
            "--max-load",
            type=click.IntRange(0),
            default=6,
            show_default=True,
            help="Maximum submissions of a reviewer without a quota.",
        ),
        click.option(
            "--min-load",
            type=click.IntRange(0),
            default=0,
            show_default=True,
            help="Minimum submissions of a reviewer without a quota.",
        ),
        click.option(
            "--min-seniors",
            type=click.IntRange(0),
            default=0,
            show_default=True,
            help="Minimum senior reviewers of each submission.",
        ),
        click.option(
            "--one-per-affiliation",
            is_flag=True,
            help="Assign at most one reviewer of an affiliation to a submission.",
        ),
        click.option(
            "--max-per-region",
            type=click.IntRange(1),
            help="Maximum reviewers of a region for each submission.",
        ),
        click.option(
            "--no-reciprocal",
            is_flag=True,
            help="Prevent two reviewers from reviewing each other's submissions.",
        ),
        click.option(
            "--role",
            default="reviewer",
            show_default=True,
            help="Role of the people to assign, as in the list of reviewers: area chair.",
        ),
        click.option(
            "--after",
            metavar="NAME",
            help="An earlier assignment whose people count for --one-per-affiliation and"
            " --max-per-region.",
        ),
        click.option("--min-affinity", type=float, help="Minimum affinity of a pair."),
        click.option(
            "--bid-weight",
            metavar="WEIGHT",
            type=click.FloatRange(1),
            default=4.0,
            show_default=True,
            help="Weight of bids; 1 ignores them.",
        ),
        click.option(
            "--include-likely/--certain-only-conflicts",
            "exclude_likely",
            default=True,
            show_default=True,
            help="Also exclude pairs whose conflict is only likely.",
        ),
    )


def _aggregation(written: str) -> "Aggregation":
    from specter_graph.matching.affinity.aggregation import Aggregation

    method, _, number = written.partition(":")
    field = _NUMBER_OF.get(method)
    values: dict[str, Any] = {"method": method}
    if number:
        try:
            values[field or ""] = int(number) if field == "k" else float(number)
            return Aggregation(**values)
        except (TypeError, ValueError) as error:
            raise click.BadParameter(
                f"{written!r} is not one of top:3, max, mean, percentile:90, softmax:0.2",
                param_hint="--aggregate",
            ) from error
    return Aggregation(**values)
