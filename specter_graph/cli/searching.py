"""Commands that find papers: similar and search."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import print_table
from specter_graph.errors import InputError

if TYPE_CHECKING:
    from specter_graph.graph.ask import Hit
    from specter_graph.graph.search import Filters, Found, Reason
    from specter_graph.literature import LiteratureGraph

Command = TypeVar("Command", bound=Callable[..., Any])

_space = click.option(
    "--space", default="specter", show_default=True, metavar="NAME", help="The embedding space."
)
_k = click.option(
    "-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many papers."
)


def filter_options(command: Command) -> Command:
    """Add the options that say which papers may be found; they come as `asked`."""
    for option in reversed(
        (
            click.option("--since", type=int, metavar="YEAR", help="Papers of this year or later."),
            click.option(
                "--until", type=int, metavar="YEAR", help="Papers of this year or earlier."
            ),
            click.option("--language", metavar="CODE", help="Papers in this language: en."),
            click.option("--field", metavar="NAME", help="Papers about this field, by id or name."),
            click.option("--venue", metavar="NAME", help="Papers of this venue, by id or name."),
        )
    ):
        command = option(command)
    return command


def _filters(**asked: Any) -> "Filters":  # noqa: ANN401, the fields of Filters
    from specter_graph.graph.search import Filters

    return Filters(**asked)


@click.command()
@click.argument("paper_id")
@_space
@_k
@filter_options
@json_option
@instance_option
def similar(
    paper_id: str,
    space: str,
    k: int,
    as_json: bool,
    instance: str | None,
    **asked: Any,  # noqa: ANN401
) -> None:
    """Find the papers nearest to a paper.

    \b
    Example:  specter-graph similar hep-ph/9901001
              specter-graph similar hep-ph/9901001 --space sgc -k 5 --json
              specter-graph similar hep-ph/9901001 --since 2000 --venue PhysRevD
    """
    filters = _filters(**asked)
    with open_graph(instance) as graph:
        hits = graph.similar(paper_id, space=space, k=k, filters=filters)
    if as_json:
        click.echo(json.dumps([asdict(hit) for hit in hits]))
    else:
        _show_hits(hits)


@click.command()
@click.argument("text", default="")
@click.option("--like", multiple=True, metavar="ID", help="A paper to find others like; again.")
@click.option("--unlike", multiple=True, metavar="ID", help="A paper to keep away from; again.")
@click.option(
    "--bib",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Find papers like those of a bibliography (BibTeX, RIS, CSL).",
)
@click.option("--uncited", is_flag=True, help="Leave out what the papers given cite already.")
@click.option(
    "--signal",
    type=click.Choice(["hybrid", "text", "vector"]),
    help="What to rank by.  [default: hybrid]",
)
@click.option(
    "--space",
    metavar="NAME",
    help="The embedding space.  [default: specter; in a graph without it, none]",
)
@_k
@filter_options
@json_option
@instance_option
def search(
    text: str,
    like: tuple[str, ...],
    unlike: tuple[str, ...],
    bib: Path | None,
    uncited: bool,
    signal: Any,  # noqa: ANN401, a Way
    space: str | None,
    k: int,
    as_json: bool,
    instance: str | None,
    **asked: Any,  # noqa: ANN401
) -> None:
    """Find papers by words, vectors and citations at once, and say why each was found.

    \b
    Example:  specter-graph search "neutrino oscillations in matter"
              specter-graph search "neutrino mass" --signal vector --space base --since 1998
              specter-graph search --like hep-ph/9901001 --unlike hep-ph/9810316 --uncited
    """
    filters = _filters(**asked)
    with open_graph(instance) as graph:
        if bib is not None:
            like = (*like, *_of_bibliography(graph, bib))
            if not (like or text):
                raise InputError(
                    f"no paper of {bib} is in the graph",
                    "load a corpus that has them, or add a text to look for",
                )
        found = graph.search(
            text,
            space=space,
            k=k,
            way=signal,
            like=like,
            unlike=unlike,
            filters=filters,
            uncited=uncited,
        )
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found]))
    else:
        _show_found(found)


def _of_bibliography(graph: "LiteratureGraph", file: Path) -> tuple[str, ...]:
    matched = graph.bibliography(file)
    for entry in matched.unmatched:
        click.echo(f"not in the graph: {entry.id}: {entry.title}", err=True)
    for entry in matched.untitled:
        click.echo(f"skipped, the graph has only its id: {entry.id}: {entry.title}", err=True)
    for reject in matched.rejected:
        named = reject.id or f"line {reject.line}"
        click.echo(f"skipped, it cannot be used: {named}: {reject.reason}", err=True)
    without = len(matched.unmatched) + len(matched.untitled) + len(matched.rejected)
    used = matched.entries - without
    click.echo(f"{file}: {used} of {matched.entries} papers are in the graph", err=True)
    return matched.ids


def _show_hits(hits: "list[Hit]") -> None:
    from specter_graph.cli.asking import table_of

    rows = [[hit.score, hit.distance, hit.year, hit.id, hit.title] for hit in hits]
    print_table(table_of(["score", "distance", "year", "id", "title"], rows))


def _show_found(found: "list[Found]") -> None:
    for number, each in enumerate(found, 1):
        click.secho(f"{number:3} {each.title}", bold=True)
        click.echo(f"    {each.id}  {each.year or '-'}  score {each.score:.3f}")
        if each.snippet:
            click.echo(f"    {_marked(each)}")
        click.echo("    " + "; ".join(map(_reason, each.reasons)))
    if not found:
        click.echo("no papers", err=True)


def _marked(found: "Found") -> str:
    """The snippet with the words that were looked for in bold, on a terminal."""
    import re

    if not found.words:
        return found.snippet
    pattern = r"\b(" + "|".join(map(re.escape, found.words)) + r")\b"
    return re.sub(pattern, lambda word: click.style(word[0], bold=True), found.snippet)


def _reason(reason: "Reason") -> str:
    told = f"{_SIGNALS[reason.signal]} {reason.rank}"
    if len(reason.path) == 3:
        third = "by" if reason.signal.endswith("cocited") else "citing"
        return told + f" (with {reason.path[0]}, {third} {reason.path[1]})"
    return told + (f" (by {reason.path[0]})" if reason.path else "")


_SIGNALS = {
    "text": "words",
    "vector": "vector",
    "cited": "cited",
    "cocited": "cited together",
    "coupled": "same references",
    "own_cocited": "cited together",
    "own_coupled": "same references",
    "citations": "citations",
}
