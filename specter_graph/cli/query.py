"""`query`: the library's queries, and the user's own."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.cypher import Own, is_own, limit_options, refuse_for_library, run_own
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.output_formats import FORMS
from specter_graph.cli.terminal import print_table
from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from specter_graph.cypher import Statement
    from specter_graph.graph.queries.library import Answer

_TEXTS = {"title", "other_title", "nearest", "context"}  # columns that may be narrower, and wrap
_LINED = {"titles": 36}  # columns of lists whose lines stay level and are cut
_MIN_WIDTH = 12
"""Characters of a column of texts; where a table is wider than the terminal, its end is cut."""


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
@click.option("--embed", metavar="TEXT", help="Give your own Cypher the vector of a text: $vector.")
@click.option("--explain", is_flag=True, help="Print the plan of your own Cypher; run nothing.")
@limit_options
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@instance_option
def query(
    name: str | None,
    parameters: tuple[str, ...],
    space: str | None,
    listed: bool,
    as_json: bool,
    as_csv: bool,
    instance: str | None,
    **own: Any,  # noqa: ANN401, the fields of Own
) -> None:
    """Run a query that mixes citation paths and vectors; without NAME, list them.

    A file in place of NAME, or - for stdin, is Cypher of your own, which may only read. Its
    parameters are JSON, or else text, and a number is text where the query compares it with an id,
    key or name; $space is there, and {{10 nearest to $vector in $space}} asks an index as in the
    library's queries.

    \b
    Example:  specter-graph query --list
              specter-graph query missing_references --list
              specter-graph query missing_references -p id=hep-ph/9901001 -p k=5
              specter-graph query mine.cypher --embed "neutrino mass" --space base --csv
    """
    from specter_graph.cypher import library
    from specter_graph.graph.queries.library import library_query

    if listed or name is None:
        _show_queries([library_query(name)] if name else library(), as_json)
        return
    given = dict(map(_key_and_value, parameters))
    if is_own(name):
        with open_graph(instance) as graph:
            form = "json" if as_json else "csv" if as_csv else None
            run_own(graph, name, given, space, Own(**own), form)
        return
    refuse_for_library(Own(**own))
    with open_graph(instance) as graph:
        answer = graph.query(name, given, space=space)
    if as_json:
        click.echo(json.dumps(answer.rows))
    elif as_csv:
        columns = [column.name for column in answer.query.columns]
        click.echo(FORMS["csv"](columns, [list(row.values()) for row in answer.rows]))
    else:
        show_answer(answer)


def _key_and_value(parameter: str) -> tuple[str, str]:
    key, equals, value = parameter.partition("=")
    if not equals:
        raise InputError(f"{parameter!r} is no parameter", "-p KEY=VALUE")
    return key, value


def show_answer(answer: "Answer") -> None:
    """Print the rows of an answer as a table."""
    columns = [column.name for column in answer.query.columns]
    print_table(table_of(columns, [[row[column] for column in columns] for row in answer.rows]))
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


def table_of(columns: list[str], rows: list[list[Any]]) -> "Table":
    """Make a table of rows; when it is too wide only texts give way, and lists stay level."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    cells = [[_cell(value) for value in row] for row in rows]
    for place, column in enumerate(columns):
        lines = [line for row in cells for line in row[place].splitlines()]
        widest = max(map(len, [column, *lines]))
        table.add_column(
            column,
            no_wrap=column not in _TEXTS,
            min_width=min(widest, _MIN_WIDTH) if column in _TEXTS | _LINED.keys() else widest,
            max_width=_LINED.get(column),
        )
    for row in cells:
        table.add_row(*row)
    return table


def _cell(value: Any) -> str:  # noqa: ANN401
    """One value as a cell: numbers to three places, lists a line each, no markup from titles."""
    from rich.markup import escape

    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return "\n".join(map(_cell, value))
    if isinstance(value, dict) and "id" in value:
        return _cell(value["id"])
    return escape(str(value))
