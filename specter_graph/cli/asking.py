"""Commands that ask the graph: similar, search, query."""

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from specter_graph.cypher import Statement
    from specter_graph.graph.ask import Answer, Hit

_WIDTH = 100  # of a table where no terminal says how wide it is

_TEXTS = {"title", "titles", "nearest"}  # columns that may be narrower than their cells

_space = click.option(
    "--space", default="specter", show_default=True, metavar="NAME", help="The embedding space."
)
_k = click.option(
    "-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many papers."
)


@click.command()
@click.argument("paper_id")
@_space
@_k
@json_option
@instance_option
def similar(paper_id: str, space: str, k: int, as_json: bool, instance: str | None) -> None:
    """Find the papers nearest to a paper.

    \b
    Example:  specter-graph similar hep-ph/9901001
              specter-graph similar hep-ph/9901001 --space sgc -k 5 --json
    """
    with open_graph(instance) as graph:
        hits = graph.similar(paper_id, space=space, k=k)
    _show_hits(hits, as_json)


@click.command()
@click.argument("text")
@_space
@_k
@json_option
@instance_option
def search(text: str, space: str, k: int, as_json: bool, instance: str | None) -> None:
    """Find the papers nearest to a free text, embedded by the model of the space.

    \b
    Example:  specter-graph search "neutrino oscillations in matter"
              specter-graph search "neutrino oscillations" --space base -k 5
    """
    with open_graph(instance) as graph:
        hits = graph.search(text, space=space, k=k)
    _show_hits(hits, as_json)


@click.command()
@click.argument("name", required=False)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the query; give it again for more.",
)
@click.option("--space", metavar="NAME", help="The embedding space.  [default: the query's own]")
@click.option("--list", "listed", is_flag=True, help="Tell of the queries, or of NAME alone.")
@json_option
@instance_option
def query(
    name: str | None,
    parameters: tuple[str, ...],
    space: str | None,
    listed: bool,
    as_json: bool,
    instance: str | None,
) -> None:
    """Run a query that mixes citation paths and vectors; without NAME, list them.

    \b
    Example:  specter-graph query --list
              specter-graph query missing_references --list
              specter-graph query missing_references -p id=hep-ph/9901001 -p k=5
    """
    from specter_graph.cypher import library
    from specter_graph.graph.ask import library_query

    if listed or name is None:
        _show_queries([library_query(name)] if name else library(), as_json)
        return
    given = dict(map(_key_and_value, parameters))
    with open_graph(instance) as graph:
        answer = graph.query(name, given, space=space)
    if as_json:
        click.echo(json.dumps(answer.rows))
    else:
        show_answer(answer)


def _key_and_value(parameter: str) -> tuple[str, str]:
    key, equals, value = parameter.partition("=")
    if not equals:
        raise InputError(f"{parameter!r} is no parameter", "-p KEY=VALUE")
    return key, value


def _show_hits(hits: list["Hit"], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([asdict(hit) for hit in hits]))
        return
    rows = [[hit.score, hit.distance, hit.year, hit.id, hit.title] for hit in hits]
    _print(_table(["score", "distance", "year", "id", "title"], rows))


def show_answer(answer: "Answer") -> None:
    """Print the rows of an answer as a table."""
    columns = [column.name for column in answer.query.columns]
    _print(_table(columns, [[row[column] for column in columns] for row in answer.rows]))
    if not answer.rows:
        click.echo("no rows", err=True)
    if answer.cut:
        click.echo(f"only the first {len(answer.rows)} rows", err=True)


def _show_queries(queries: list["Statement"], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([asdict(each) for each in queries]))
        return
    for each in queries:
        click.secho(each.name.removeprefix("library/"), bold=True)
        click.echo(f"  {each.summary}")
        if len(queries) == 1 and each.description:
            click.echo("\n" + "\n".join(f"  {line}" for line in each.description.splitlines()))
        for parameter in each.parameters:
            default = "" if parameter.default is None else f" = {parameter.default}"
            click.echo(f"    -p {parameter.name} {parameter.type}{default}: {parameter.text}")
        if len(queries) == 1:
            for column in each.columns:
                click.echo(f"    returns {column.name} {column.type}: {column.text}")


def _table(columns: list[str], rows: list[list[Any]]) -> "Table":
    """Make a table of rows; when it is too wide only texts give way, and lists stay level."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    cells = [[_cell(value) for value in row] for row in rows]
    for place, column in enumerate(columns):
        lines = [line for row in cells for line in row[place].splitlines()]
        needed = None if column in _TEXTS else max(map(len, [column, *lines]))
        table.add_column(column, no_wrap=column != "title", min_width=needed)
    for row in cells:
        table.add_row(*row)
    return table


def _print(table: "Table") -> None:
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)


def _cell(value: Any) -> str:  # noqa: ANN401
    """One value as a cell: numbers to three places, lists a line each, no markup from titles."""
    from rich.markup import escape

    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return "\n".join(map(_cell, value))
    return escape(str(value))
