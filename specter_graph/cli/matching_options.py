"""What the commands of `match` share: how to score, and what an assignment must meet."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from specter_graph.matching.affinity.aggregation import Aggregation

PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)

_NUMBER_OF = {"top": "k", "percentile": "percentile", "softmax": "temperature"}
_SCORING = ("space", "aggregate", "half_life", "middle", "citations")
_ASSIGNING = (
    *("per_submission", "maximum", "minimum", "seniors", "one_per_affiliation", "floor"),
    *("bids", "likely"),
)

venue_argument = click.argument("venue")

years_option = click.option(
    "--years",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="For so many years common papers and affiliations make a conflict.",
)

output_option = click.option(
    "-o", "--output", metavar="FILE", type=FILE, required=True, help="The file to write."
)


def scoring_options(command: Callable[..., Any]) -> Any:  # noqa: ANN401
    """Add options that the command gets as `scoring`, a ScoreSettings."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> Any:  # noqa: ANN401
        from specter_graph.matching.affinity.scoring import ScoreSettings

        given = {name: options.pop(name) for name in _SCORING}
        scoring = ScoreSettings(
            spaces=given.pop("space"), aggregation=_aggregation(given.pop("aggregate")), **given
        )
        return command(scoring=scoring, **options)

    return _with(
        with_settings,
        click.option(
            "--space", metavar="NAME", multiple=True,
            help="A space to compare texts in; given again, their average.  [default: specter, or"
            " else base]",
        ),
        click.option(
            "--aggregate", metavar="HOW", default="top:3", show_default=True,
            help="What a reviewer's papers come to: the mean of the best (top:3), max, mean,"
            " percentile:90, or softmax:0.2, at that temperature.",
        ),
        click.option(
            "--half-life", metavar="YEARS", type=click.FloatRange(0, min_open=True),
            help="A paper's weight halves in so many years.  [default: age does not count]",
        ),
        click.option(
            "--middle", metavar="WEIGHT", type=click.FloatRange(0, 1, min_open=True), default=1.0,
            show_default=True,
            help="Of papers on which the reviewer is neither first nor last author.",
        ),
        click.option(
            "--citations", metavar="SHARE", type=click.FloatRange(0, 1, max_open=True), default=0.0,
            show_default=True,
            help="How much it counts that the submission cites the reviewer, or shares references.",
        ),
    )  # fmt: skip


def assignment_options(command: Callable[..., Any]) -> Any:  # noqa: ANN401
    """Add options that the command gets as `settings`, a dict of fields of AssignSettings."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> Any:  # noqa: ANN401
        settings = {name: options.pop(name) for name in _ASSIGNING}
        return command(settings=settings, **options)

    return _with(
        with_settings,
        click.option(
            "--per-submission", type=click.IntRange(1), default=3, show_default=True,
            help="Reviewers of each submission.",
        ),
        click.option(
            "--max-load", "maximum", type=click.IntRange(0), default=6, show_default=True,
            help="Submissions of a reviewer at most, unless the venue's lists say otherwise.",
        ),
        click.option(
            "--min-load", "minimum", type=click.IntRange(0), default=0, show_default=True,
            help="Submissions of a reviewer at least, unless the venue's lists say otherwise.",
        ),
        click.option(
            "--seniors", type=click.IntRange(0), default=0, show_default=True,
            help="Senior reviewers of each submission at least.",
        ),
        click.option(
            "--one-per-affiliation", is_flag=True,
            help="No two reviewers of one affiliation for a submission.",
        ),
        click.option("--floor", type=float, help="The least affinity that may be assigned."),
        click.option(
            "--bids", metavar="STRENGTH", type=click.FloatRange(1), default=4.0, show_default=True,
            help="How much bids count; 1 for not at all.",
        ),
        click.option(
            "--likely/--certain-only", default=True, show_default=True,
            help="Whether conflicts that are only likely bar a pair too.",
        ),
    )  # fmt: skip


def _with(command: Callable[..., Any], *options: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    for option in reversed(options):
        command = option(command)
    return command


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
