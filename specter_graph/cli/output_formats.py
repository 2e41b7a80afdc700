"""Rows of a user's own query, and its plan, as they are printed."""

import csv
import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.terminal import print_table

if TYPE_CHECKING:
    from specter_graph.graph.queries.cypher import Rows

_LONG = 8  # a list with more numbers is shown by how many they are


def as_json(columns: list[str], rows: list[list[Any]]) -> str:
    """Rows as a JSON list of objects."""
    return json.dumps([dict(zip(columns, row, strict=True)) for row in rows], ensure_ascii=False)


def as_csv(columns: list[str], rows: list[list[Any]]) -> str:
    """Rows as CSV with a header; lists and objects as JSON, null as nothing, formulas escaped."""
    from specter_graph.loaders.parsing.csv import escape_formula

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in [columns, *rows]:
        cells = (_json(cell) if isinstance(cell, list | dict) else cell for cell in row)
        writer.writerow([escape_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue().removesuffix("\n")


FORMS = {"json": as_json, "csv": as_csv}


def show_found(found: "Rows") -> None:
    """Print rows as a table, and on stderr what else is to be said of them."""
    if found.columns:
        _print_table(found.columns, found.rows)
    if found.changes:
        told = (f"{count} {name.replace('_', ' ')}" for name, count in found.changes.items())
        click.echo(", ".join(told), err=True)
    elif not found.rows:
        click.echo("no rows", err=True)
    say_if_cut(found)


def say_if_cut(found: "Rows") -> None:
    """Say on stderr that there are more rows."""
    if found.cut:
        click.echo(f"only the first {len(found.rows)} rows; --rows gives more", err=True)


def show_plan(plan: dict[str, Any]) -> None:
    """Print a plan, the operator that makes the rows first, what it reads from indented below."""
    for line in _plan_lines(plan, 0):
        click.echo(line)


def _plan_lines(operator: dict[str, Any], depth: int) -> Iterator[str]:
    told = operator.get("args", {})
    name = operator["operatorType"].partition("@")[0]
    estimate = f"  (about {told['EstimatedRows']:,.0f} rows)" if "EstimatedRows" in told else ""
    yield f"{'  ' * depth}{name}  {told.get('Details', '')}{estimate}".rstrip()
    for child in operator.get("children", ()):
        yield from _plan_lines(child, depth + 1)


def _print_table(columns: list[str], rows: list[list[Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for place, column in enumerate(columns):
        numbers = all(isinstance(row[place], int | float | None) for row in rows)
        table.add_column(
            Text(column), justify="right" if numbers else "left", no_wrap=numbers, overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    print_table(table)


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else _json(_short(value))


def _short(value: Any) -> Any:  # noqa: ANN401
    """Shorten the vectors in a value."""
    if isinstance(value, dict):
        return {key: _short(each) for key, each in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > _LONG and all(isinstance(each, float) for each in value):
        return f"{len(value)} numbers"
    return [_short(each) for each in value]


def _json(value: Any) -> str:  # noqa: ANN401
    return json.dumps(value, ensure_ascii=False)
