"""Options that several commands share, and the way from an option to an open database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.literature_graph import LiteratureGraph

Command = TypeVar("Command", bound=Callable[..., Any])


def instance_option(command: Command) -> Command:
    """Add `--instance NAME`: which local server a command works on."""
    return click.option(
        "--instance",
        metavar="NAME",
        help="The local Neo4j to use: each name has its own data.  [default: default]",
    )(command)


def json_option(command: Command) -> Command:
    """Add `--json`: results for programs on stdout, and nothing else there."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def holdout_option(command: Command) -> Command:
    """Add `--holdout SHARE`: whose citations are hidden from training."""
    return click.option(
        "--holdout",
        type=click.FloatRange(0, 0.5, max_open=True),
        default=0.1,
        show_default=True,
        help="Share of papers to hold out for test, and again for validation; 0 for production.",
    )(command)


def scored_holdout_option(command: Command) -> Command:
    """Add `--holdout SHARE` to commands that score: which papers are held out."""
    return click.option(
        "--holdout",
        type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
        metavar="SHARE",
        help="Share of papers held out for test, and again for validation."
        "  [default: the smallest that the spaces were made under, else 0.1]",
    )(command)


def spaces_option(command: Command) -> Command:
    """Add `--space NAME`, which may be repeated: the spaces to score."""
    return click.option(
        "--space",
        "names",
        metavar="NAME",
        multiple=True,
        help="A space to score; again for more. a,b,c is the mean of seeds.  [default: all]",
    )(command)


def split_option(command: Command) -> Command:
    """Add `--split NAME`: the part of the held-out papers that is scored."""
    return click.option(
        "--split",
        type=click.Choice(["test", "validation"]),
        default="test",
        show_default=True,
        help="The held-out papers to score on; make choices on validation, report on test.",
    )(command)


def markdown_option(command: Command) -> Command:
    """Add `--markdown`: the table for a document."""
    return click.option(
        "--markdown", "as_markdown", is_flag=True, help="Print the table in Markdown."
    )(command)


@contextmanager
def open_graph(
    instance: str | None, *, seconds: float | None = None
) -> "Iterator[LiteratureGraph]":
    """Open the graph that a command works on, showing how a local server starts."""
    from specter_graph.literature_graph import LiteratureGraph

    with ExitStack() as stack:
        with progress_bar() as progress:  # gone before the command shows its own
            opened = LiteratureGraph.open(instance=instance, seconds=seconds, progress=progress)
            graph = stack.enter_context(opened)
        yield graph
