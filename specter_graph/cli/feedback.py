"""`feedback`: learning from the log of `serve --log-use`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    format_option,
    graph_command,
    option,
    output_option,
    space_option,
)
from specter_graph.cli.output import Output
from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import counted

if TYPE_CHECKING:
    from specter_graph.evaluation.feedback.experiments import Wins

_log_argument = click.argument("log", type=FILE, metavar="LOG")


@click.group()
def feedback() -> None:
    """Learn from the papers that people opened.

    The commands read the log of `serve --log-use`: the papers that people were shown and opened.

    \b
    Example:  specter-graph feedback export-views use.jsonl -o views.jsonl
              specter-graph load readers views.jsonl
              specter-graph feedback compare use.jsonl
    """


@feedback.command("export-views")
@_log_argument
@output_option()
def export_views(log: Path, path: Path) -> None:
    """Write what each session opened, for `load readers`.

    The views are for co-view training. Each session is a reader.

    \b
    Example:  specter-graph feedback export-views use.jsonl -o views.jsonl
    """
    from specter_graph.evaluation.feedback.usage_events import read_usage_log, views

    _write(path, views(read_usage_log(log)), "view")


@feedback.command("export-clicks")
@_log_argument
@output_option()
@space_option(shown="the space that was shown most")
def export_clicks(log: Path, path: Path, space: str | None) -> None:
    """Write the lists of similar papers with their clicks.

    The file is for `evaluate tasks --click-log`. Only lists of one space are written: lists
    side by side on a page compete for the same click.

    \b
    Example:  specter-graph feedback export-clicks use.jsonl -o clicks.jsonl
    """
    from specter_graph.evaluation.feedback.usage_events import impressions, read_usage_log

    lists = (
        {
            "query": impression.query,
            "shown": impression.shown,
            "clicked": sorted(impression.clicked),
        }
        for impression in impressions(read_usage_log(log), space)
    )
    _write(path, lists, "list")


@feedback.command()
@_log_argument
@format_option
def compare(log: Path, output: Output) -> None:
    """Compare two spaces by clicks in interleaved lists.

    The lists are those of `serve --interleave`. A space wins a list if more of the clicked
    papers are its own, and a session if it wins more of the lists. The output has won sessions,
    ties, and the share that the second space won, with its 95 % interval and the p-value of a
    two-sided sign test.

    \b
    Example:  specter-graph feedback compare use.jsonl
    """
    from specter_graph.evaluation.feedback.usage_events import preferences, read_usage_log

    wins_by_pair = preferences(read_usage_log(log))
    output.show(
        [{"spaces": pair, **wins.as_json()} for pair, wins in wins_by_pair.items()],
        lambda _: _print_preferences(wins_by_pair),
    )


@feedback.command()
@_log_argument
@format_option
def ab(log: Path, output: Output) -> None:
    """Compare the two halves of the sessions of `serve --ab`.

    They are compared by their click-through rates. The rate is the share of lists with a click.
    The output has the rates of both arms, the lift from the first to the second with its 95 %
    interval and p (delta method over sessions), and the p-value of a test that both arms have
    equally many sessions.

    \b
    Example:  specter-graph feedback ab use.jsonl
    """
    from specter_graph.evaluation.feedback.usage_events import experiments, read_usage_log

    rows = [
        {"page": page, "arms": arms, **comparison.as_json()}
        for (page, arms), comparison in experiments(read_usage_log(log)).items()
    ]
    output.show_rows(rows)
    for row in rows:
        if row["assignment_p"] < 0.001:
            first, second = row["sessions"]
            click.echo(
                f"warning: {first:,} and {second:,} sessions is not half and half: sessions of"
                " one arm are missing, so do not trust the lift",
                err=True,
            )
    if not rows:
        click.echo("no list of an experiment was shown; run `serve --ab`", err=True)


@feedback.command()
@_log_argument
@option("--lift", "Smallest lift to detect, as a share of the rate.", click.FloatRange(-1), 0.1)
@option("--power", "Probability to detect it.", click.FloatRange(0.5, 0.999), 0.8)
@space_option(shown="the space that was shown first")
@format_option
def plan(log: Path, lift: float, power: float, space: str | None, output: Output) -> None:
    """Compute how many sessions an A/B experiment needs.

    The log gives the click-through rate of the present lists, and its variance between sessions.

    \b
    Example:  specter-graph feedback plan use.jsonl --lift 0.1
    """
    from specter_graph.evaluation.feedback.experiments import sessions_needed
    from specter_graph.evaluation.feedback.usage_events import read_usage_log, session_clicks

    rows = [
        {
            "page": page,
            "sessions": len(clicks.lists),
            "rate": clicks.rate,
            "needed_per_arm": sessions_needed(clicks, lift, power),
        }
        for page, clicks in session_clicks(read_usage_log(log), space).items()
        if clicks.is_comparable
    ]
    output.show_rows(rows)
    if not rows:
        click.echo(
            "a plan needs lists of one space in two sessions, and a click on one of them; run"
            " `serve --log-use` without --interleave",
            err=True,
        )


@feedback.command()
@_log_argument
@space_option(shown="the space that was shown most")
@format_option
def positions(log: Path, space: str | None, output: Output) -> None:
    """Test for position bias, and estimate propensities.

    The propensity of each position is printed. A query counts if papers that were swapped (`serve
    --swap-rate`) got more clicks at one of their positions. `higher` is the share of queries
    for which this was the higher position, with its 95 % interval and the p-value of a
    two-sided sign test. The propensities need clicks on swapped papers at each position.

    \b
    Example:  specter-graph feedback positions use.jsonl
    """
    from specter_graph.core.statistics import sign_test
    from specter_graph.evaluation.feedback.clicks import position_preferences, propensities
    from specter_graph.evaluation.feedback.usage_events import impressions, read_usage_log

    lists = impressions(read_usage_log(log), space)
    higher, lower = position_preferences(lists)
    share, p = sign_test(higher, lower) or (None, None)
    estimated: list[float] | None = None
    try:
        estimated = propensities(lists).round(3).tolist()
    except sg.InputError as error:
        if not higher + lower:
            raise
        click.echo(f"no propensities: {error.one_line}", err=True)
    output.show({
        "queries": higher + lower,
        "higher": share and share.value,
        "interval": share and [share.low, share.high],
        "p": p,
        "propensities": estimated,
    })  # fmt: skip


@feedback.command("train-recommender")
@_log_argument
@output_option()
@space_option()
@graph_command(None)
def train_recommender(
    graph: "sg.LiteratureGraph", log: Path, path: Path, space: str | None
) -> None:
    """Train a recommender on clicks on similar papers.

    The recommender is for `serve --recommender`. It is the ranker of the task `recomm` of
    SciDocs: ten features, one of them the cosine in the space. Clicks are weighted by 1 /
    propensity of their position, so lists must have been swapped (`serve --swap-rate`).

    \b
    Example:  specter-graph feedback train-recommender use.jsonl -o recommender.npz
    """
    from specter_graph.evaluation.feedback.usage_events import impressions, read_usage_log

    name = graph.spaces.get(space).name
    lists = impressions(read_usage_log(log), name)
    graph.evaluate.train_recommender(lists, name).save(path)
    click.echo(f"trained on {counted(len(lists), 'list')}: {path}")


def _print_preferences(wins_by_pair: "Mapping[tuple[str, str], Wins]") -> None:
    for (first, second), wins in wins_by_pair.items():
        click.echo(
            f"{first} won {counted(wins.a, 'session')}, {second} {wins.b:,};"
            f" {counted(wins.ties, 'tie')}"
        )
        if wins.test:
            share, p = wins.test
            low, high = (f"{100 * bound:.0f}" for bound in (share.low, share.high))
            click.echo(f"  {second}: {share.value:.0%} ({low} to {high} %), p {p:.3f}")
    if not wins_by_pair:
        click.echo("no list of two spaces was shown; run `serve --interleave`", err=True)


def _write(path: Path, records: Iterable[Mapping[str, object]], kind: str) -> None:
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    write_file(path, "".join(f"{line}\n" for line in lines))
    click.echo(f"{counted(len(lines), kind)} in {path}")
