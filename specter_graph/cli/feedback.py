"""`use`: what the log of `serve --log-use` is good for."""

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
    """Learn from what people were shown and opened, which `serve --log-use LOG` has noted.

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
    """Write who opened what, for `load readers`: views, which co-view training learns on.

    A reader is a session.

    \b
    Example:  specter-graph use readers use.jsonl -o views.jsonl
    """
    from specter_graph.evaluation.use_log import read_use, readings

    _write(output, readings(read_use(log)), "views")


@use.command()
@_LOG
@_OUTPUT
@click.option("--space", metavar="NAME", help="Lists of this one; by default the most shown.")
def clicks(log: Path, output: Path, space: str | None) -> None:
    """Write the lists of similar papers with their clicks, for `evaluate tasks --click-log`.

    Of one space: lists that stand side by side on a page compete for the same click.

    \b
    Example:  specter-graph use clicks use.jsonl -o clicks.jsonl
    """
    from specter_graph.evaluation.use_log import impressions, read_use

    lists = (
        {"query": each.query, "shown": each.shown, "clicked": sorted(each.clicked)}
        for each in impressions(read_use(log), space)
    )
    _write(output, lists, "lists")


@use.command()
@_LOG
@json_option
def compare(log: Path, as_json: bool) -> None:
    """Tell which of two spaces people preferred in the lists of `serve --interleave`.

    A list is won by the space of most of its clicked papers. With the share of the lists that the
    second won its 95 % interval, and p of a two-sided sign test.

    \b
    Example:  specter-graph use compare use.jsonl
    """
    from specter_graph.evaluation.use_log import preferences, read_use

    found = preferences(read_use(log))
    if as_json:
        told = [{"spaces": pair, **won.as_json()} for pair, won in found.items()]
        click.echo(json.dumps(told))
        return
    for (one, other), won in found.items():
        click.echo(f"{one} won {won.a:,} lists, {other} {won.b:,}; {won.ties:,} ties")
        if won.share is not None and won.interval and won.p is not None:
            low, high = (f"{100 * end:.0f}" for end in won.interval)
            click.echo(f"  {other}: {won.share:.0%} ({low} to {high} %), p {won.p:.3f}")
    if not found:
        click.echo("no list of two spaces was shown: serve --interleave", err=True)


def _write(output: Path, records: Iterable[Mapping[str, object]], what: str) -> None:
    from specter_graph.core.files import complete_file

    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    with complete_file(output) as unfinished:
        unfinished.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    click.echo(f"{len(lines):,} {what} in {output}")
