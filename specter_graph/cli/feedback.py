"""`use`: learning from the log of `serve --log-use`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from specter_graph.cli.options import json_option

_LOG = click.argument("log", type=click.Path(path_type=Path, dir_okay=False), metavar="LOG")
_OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="The JSON Lines to write.",
)


@click.group()
def use() -> None:
    """Learn from what people were shown and opened, as logged by `serve --log-use LOG`.

    \b
    Example:
      specter-graph use readers use.jsonl -o views.jsonl
      specter-graph load readers views.jsonl
      specter-graph use compare use.jsonl
    """


@use.command()
@_LOG
@_OUTPUT
def readers(log: Path, output: Path) -> None:
    """Write what each session opened, for `load readers`: views, which co-view training learns on.

    Each session is a reader.

    \b
    Example:  specter-graph use readers use.jsonl -o views.jsonl
    """
    from specter_graph.evaluation.feedback.usage_log import read_usage_log, views

    _write(output, views(read_usage_log(log)), "views")


@use.command()
@_LOG
@_OUTPUT
@click.option("--space", metavar="NAME", help="The space of the lists.  [default: the most shown]")
def clicks(log: Path, output: Path, space: str | None) -> None:
    """Write the lists of similar papers with their clicks, for `evaluate tasks --click-log`.

    Only lists of one space are written: lists side by side on a page compete for the same click.

    \b
    Example:  specter-graph use clicks use.jsonl -o clicks.jsonl
    """
    from specter_graph.evaluation.feedback.usage_log import impressions, read_usage_log

    lists = (
        {"query": each.query, "shown": each.shown, "clicked": sorted(each.clicked)}
        for each in impressions(read_usage_log(log), space)
    )
    _write(output, lists, "lists")


@use.command()
@_LOG
@json_option
def compare(log: Path, as_json: bool) -> None:
    """Compare two spaces by the clicks in the lists of `serve --interleave`.

    A space wins a list if more of the clicked papers are its own. Prints wins, ties, and the share
    that the second space won, with a 95 % interval and the p of a two-sided sign test.

    \b
    Example:  specter-graph use compare use.jsonl
    """
    from specter_graph.evaluation.feedback.usage_log import preferences, read_usage_log

    found = preferences(read_usage_log(log))
    if as_json:
        click.echo(json.dumps([{"spaces": pair, **won.as_json()} for pair, won in found.items()]))
        return
    for (one, other), won in found.items():
        click.echo(f"{one} won {won.a:,} lists, {other} {won.b:,}; {won.ties:,} ties")
        if won.test:
            share, p = won.test
            low, high = (f"{100 * bound:.0f}" for bound in (share.low, share.high))
            click.echo(f"  {other}: {share.value:.0%} ({low} to {high} %), p {p:.3f}")
    if not found:
        click.echo("no list of two spaces was shown; run `serve --interleave`", err=True)


def _write(output: Path, records: Iterable[Mapping[str, object]], what: str) -> None:
    from specter_graph.core.files import complete_file

    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    with complete_file(output) as unfinished:
        unfinished.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    click.echo(f"{len(lines):,} {what} in {output}")
