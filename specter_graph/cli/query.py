"""`query`: the library's queries, and Cypher of your own."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    flag,
    format_option,
    graph_command,
    graph_options,
    limit_option,
    open_graph,
    option,
    space_option,
    timeout_option,
)
from specter_graph.cli.output import Output
from specter_graph.core.errors import InputError, counted
from specter_graph.cypher import Statement, library


def _parse_parameters(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    parameters = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise InputError(f"{value!r} has no value", "-p KEY=VALUE")
        if key in parameters:
            raise InputError(f"{key} is given more than once", "write a list as JSON")
        parameters[key] = text
    return parameters


_parameter = option(
    "-p --parameter parameters",
    "Parameter of the query.",
    "KEY=VALUE",
    multiple=True,
    callback=_parse_parameters,
)


def _show_answer(output: Output, answer: "sg.QueryResult") -> None:
    output.show_rows(answer.rows, answer.columns)
    _warn_truncated(answer.rows, answer.is_truncated)


def _warn_truncated(rows: list[Any], truncated: bool) -> None:
    """Say on stderr that there are more rows."""
    if truncated:
        click.echo(
            f"only the first {counted(len(rows), 'row is', 'rows are')} shown; see --limit",
            err=True,
        )


@click.group()
def query() -> None:
    """Run queries that combine citation paths and vectors.

    \b
    Example:  specter-graph query list
              specter-graph query show missing_references
              specter-graph query run missing_references -p id=hep-ph/9901001 -p k=5
    """


@query.command()
@click.argument("name")
@_parameter
@space_option()
@limit_option
@timeout_option
@graph_command(_show_answer)
def run(
    graph: "sg.LiteratureGraph",
    name: str,
    parameters: dict[str, Any],
    space: str | None,
    **limits: Any,
) -> object:
    """Run a query of the library.

    \b
    Example:  specter-graph query run missing_references -p id=hep-ph/9901001 -p k=5
              specter-graph query run citation_path -p from=hep-ph/9901001 -p to=hep-ph/9810316
    """
    if space:
        parameters["space"] = space
    return graph.query(name, parameters, **limits)


@query.command("list")
@format_option
def list_(output: Output) -> None:
    """List the queries of the library with their parameters.

    \b
    Example:  specter-graph query list
    """
    queries = library()
    output.show(queries, lambda _: [*map(_print_head, queries)])


@query.command()
@click.argument("name")
@format_option
def show(name: str, output: Output) -> None:
    """Show one query: its purpose, its parameters and its columns.

    \b
    Example:  specter-graph query show missing_references
    """
    from specter_graph.graph.queries.library_queries import library_query

    output.show(library_query(name), _print_query)


@query.command()
@click.argument("query_text", metavar="QUERY")
@_parameter
@space_option()
@option("--embed", "Embed this text as the parameter $vector.", "TEXT")
@flag("--explain", "Print the plan of the query; run nothing.")
@limit_option
@timeout_option
@graph_options
def cypher(
    query_text: str,
    parameters: dict[str, Any],
    space: str | None,
    embed: str | None,
    explain: bool,
    output: Output,
    instance: str | None,
    **limits: Any,
) -> None:
    """Run your own Cypher query, which may only read.

    QUERY is the text of the query, a file, or - for stdin. Values of parameters are JSON, or else
    text. A number is text where the query compares it with an id, key or name. $space is the value
    of --space. {{10 nearest to $vector in $space}} searches a vector index.

    \b
    Example:  specter-graph query cypher "MATCH (p:Paper) RETURN p.year, count(*)"
              specter-graph query cypher mine.cypher --embed "neutrino mass" --space base
              specter-graph query cypher mine.cypher -p id=hep-ph/9901001 --format csv
    """
    from specter_graph.graph.queries.cypher import values_of

    text = _read(query_text)
    given = values_of(parameters, text)
    with open_graph(instance) as graph:
        if "$space" in text and "space" not in given:
            given["space"] = graph.spaces.get(space).name
        if embed is not None:
            given["vector"] = graph.spaces.embed_text(embed, given.get("space", space)).tolist()
        if explain:
            plan = graph.explain(text, given)
            output.show(plan, lambda _: click.echo("\n".join(_plan_lines(plan, 0))))
            return
        rows = graph.cypher(text, given, **limits)
    output.show_rows(rows.rows, rows.columns)
    for warning in rows.warnings:
        click.echo(f"warning: {warning}", err=True)
    _warn_truncated(rows.rows, rows.is_truncated)


def _read(name: str) -> str:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and len(name.split()) > 1 and not name.endswith(".cypher"):
            return name
        raise InputError(f"{name} cannot be read: {error}") from error
    if not text.strip():
        raise InputError(f"{name} has no query", "specter-graph query cypher mine.cypher")
    return text


def _print_query(query: Statement) -> None:
    _print_head(query)
    for column in query.columns:
        click.echo(f"    returns {column.name} {column.type}: {column.text}")
    if query.description:
        click.echo("\n" + "\n".join(f"  {line}" for line in query.description.splitlines()))


def _print_head(query: Statement) -> None:
    click.secho(query.name.removeprefix("library/"), bold=True)
    click.echo(f"  {query.summary}")
    for parameter in query.parameters:
        default = "" if parameter.default is None else f" = {parameter.default}"
        click.echo(f"    -p {parameter.name} {parameter.type}{default}: {parameter.text}")


def _plan_lines(operator: dict[str, Any], depth: int) -> Iterator[str]:
    """Lines of a plan, the operator that makes the rows first, with its inputs indented below."""
    details = operator.get("args", {})
    name = operator["operatorType"].partition("@")[0]
    rows = f"  (about {details['EstimatedRows']:,.0f} rows)" if "EstimatedRows" in details else ""
    yield f"{'  ' * depth}{name}  {details.get('Details', '')}{rows}".rstrip()
    for child in operator.get("children", ()):
        yield from _plan_lines(child, depth + 1)
