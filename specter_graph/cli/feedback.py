"""`feedback`: learning from the log of `serve --log-use`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import FILE, format_option, output_option, space_option
from specter_graph.cli.output import Output

if TYPE_CHECKING:
    from specter_graph.evaluation.feedback.interleaving import Wins

_log_argument = click.argument("log", type=FILE, metavar="LOG")


@click.group()
def feedback() -> None:
    """Learn from what people were shown and opened, as logged by `serve --log-use LOG`.

    \b
    Example:
      specter-graph feedback export-views use.jsonl -o views.jsonl
      specter-graph load readers views.jsonl
      specter-graph feedback compare use.jsonl
    """


@feedback.command("export-views")
@_log_argument
@output_option()
def export_views(log: Path, path: Path) -> None:
    """Write what each session opened, for `load readers`: views, for co-view training.

    Each session is a reader.

    \b
    Example:  specter-graph feedback export-views use.jsonl -o views.jsonl
    """
    from specter_graph.evaluation.feedback.usage_events import read_usage_log, views

    _write(path, views(read_usage_log(log)), "views")


@feedback.command("export-clicks")
@_log_argument
@output_option()
@space_option(shown="the space that was shown most")
def export_clicks(log: Path, path: Path, space: str | None) -> None:
    """Write the lists of similar papers with their clicks, for `evaluate tasks --click-log`.

    Only lists of one space are written: lists side by side on a page compete for the same click.

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
    _write(path, lists, "lists")


@feedback.command()
@_log_argument
@format_option
def compare(log: Path, output: Output) -> None:
    """Compare two spaces by the clicks in the lists of `serve --interleave`.

    A space wins a list if more of the clicked papers are its own. The result are wins, ties, and
    the share that the second space won, with a 95 % interval and the p of a two-sided sign test.

    \b
    Example:  specter-graph feedback compare use.jsonl
    """
    from specter_graph.evaluation.feedback.usage_events import preferences, read_usage_log

    wins_by_pair = preferences(read_usage_log(log))
    output.show(
        [{"spaces": pair, **wins.as_json()} for pair, wins in wins_by_pair.items()],
        lambda: _print_preferences(wins_by_pair),
    )


def _print_preferences(wins_by_pair: "Mapping[tuple[str, str], Wins]") -> None:
    for (first, second), wins in wins_by_pair.items():
        click.echo(f"{first} won {wins.a:,} lists, {second} {wins.b:,}; {wins.ties:,} ties")
        if wins.test:
            share, p = wins.test
            low, high = (f"{100 * bound:.0f}" for bound in (share.low, share.high))
            click.echo(f"  {second}: {share.value:.0%} ({low} to {high} %), p {p:.3f}")
    if not wins_by_pair:
        click.echo("no list of two spaces was shown; run `serve --interleave`", err=True)


def _write(path: Path, records: Iterable[Mapping[str, object]], kind: str) -> None:
    from specter_graph.core.atomic_files import complete_file

    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    with complete_file(path) as unfinished:
        unfinished.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    click.echo(f"{len(lines):,} {kind} in {path}")
