"""`evaluate tasks`: the tasks of SciDocs, asked of the graph's own facts."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from specter_graph.cli.options import (
    instance_option,
    json_option,
    open_graph,
    scored_holdout_option,
)
from specter_graph.cli.terminal import print_grid, progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.split import HeldOutSplit


@click.command()
@click.option(
    "--space",
    "names",
    metavar="NAME",
    multiple=True,
    help="A space to score, or a,b,c for several seeds of one system; give it again for more."
    "  [default: all]",
)
@click.option(
    "--split",
    type=click.Choice(["test", "validation"]),
    default="test",
    show_default=True,
    help="What to score on; make choices on validation, report on test.",
)
@click.option(
    "--by",
    type=click.Choice(["hash", "time"]),
    default="hash",
    show_default=True,
    help="How labelled papers are split: by a hash of the id, or the newest for test.",
)
@click.option(
    "--click-log",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Lists that were shown, and what was clicked, for the task recomm."
    "  [default: made of reading histories]",
)
@scored_holdout_option
@click.option("--seed", default=0, show_default=True, help="Draws candidates.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the table in Markdown.")
@json_option
@instance_option
def tasks(
    names: tuple[str, ...],
    split: "HeldOutSplit",
    by: Literal["hash", "time"],
    click_log: Path | None,
    holdout: float | None,
    seed: int,
    as_markdown: bool,
    as_json: bool,
    instance: str | None,
) -> None:
    """Score spaces on SciDocs' tasks, made of the graph: labels, readings, citations, clicks.

    \b
    Example:  specter-graph evaluate tasks
              specter-graph evaluate tasks --space base --space specter --by time --markdown
    """
    from specter_graph.evaluation import outcome_table

    with open_graph(instance) as graph, progress_bar() as progress:
        systems = graph.evaluate_suite(
            names,
            split=split,
            holdout=holdout,
            by=by,
            click_log=click_log,
            seed=seed,
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(outcome_table.as_json(systems)))
    else:
        print_grid(outcome_table.grid(systems), as_markdown)
