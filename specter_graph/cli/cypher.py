"""`specter-graph query -`: Cypher of the user's own, from stdin or a file."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from specter_graph.literature_graph import LiteratureGraph

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Own:
    """What is asked of a query beyond its parameters; None is what `graph.queries.cypher` says."""

    embed: str | None
    explain: bool
    seconds: float | None
    rows: int | None


def limit_options(command: Command) -> Command:
    """Add `--seconds` and `--rows`: where a query of one's own ends."""
    seconds = click.option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        help="Stop Cypher of your own after so long.  [default: 60]",
    )
    rows = click.option(
        "--rows",
        type=click.IntRange(min=1),
        help="Read so many rows of Cypher of your own.  [default: 1000]",
    )
    return seconds(rows(command))


def limits(seconds: float | None, rows: int | None) -> dict[str, Any]:
    """The limits that were given, as `run_cypher` takes them."""
    given = {"seconds": seconds, "rows": rows}
    return {key: value for key, value in given.items() if value is not None}


def is_own(name: str | None) -> bool:
    """Whether what stands in place of a library query's name is a way to Cypher of one's own."""
    return name is not None and (name == "-" or name.endswith(".cypher"))


def refuse_for_library(own: Own) -> None:
    """Raise InputError when a library query is asked what only Cypher of one's own can be."""
    given = {"--embed": own.embed, "--explain": own.explain} | {
        f"--{key}": value for key, value in limits(own.seconds, own.rows).items()
    }
    if wrong := [key for key, value in given.items() if value]:
        raise InputError(
            f"{wrong[0]} is for Cypher of your own", "a file NAME.cypher, or - for stdin"
        )


def run_own(
    graph: "LiteratureGraph",
    name: str,
    parameters: dict[str, str],
    space: str | None,
    own: Own,
    form: str | None,
) -> None:
    """Run or explain the query that `name` leads to and print it as a table, json or csv."""
    import json

    from specter_graph.cli import output_formats
    from specter_graph.graph.queries.cypher import explain, run_cypher, values_of

    text = _read(name)
    given = {"space": space or "specter"} | values_of(parameters, text)
    if own.embed is not None:
        given["vector"] = graph.embed_text(own.embed, given["space"]).tolist()
    if own.explain:
        plan = explain(graph.database, text, given)
        if form:
            click.echo(json.dumps(plan, default=str))
        else:
            output_formats.show_plan(plan)
        return
    found = run_cypher(graph.database, text, given, **limits(own.seconds, own.rows))
    if form is None:
        output_formats.show_found(found)
    else:
        click.echo(output_formats.FORMS[form](found.columns, found.rows))
        output_formats.say_if_cut(found)


def _read(name: str) -> str:
    text = sys.stdin.read() if name == "-" else _file(Path(name))
    if not text.strip():
        raise InputError("there is no query to run", "specter-graph query mine.cypher")
    return text


def _file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
