"""`evaluate tasks`: the tasks of SciDocs, made of the facts in the graph."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from specter_graph.cli.options import (
    instance_option,
    json_option,
    markdown_option,
    open_graph,
    scored_holdout_option,
    spaces_option,
    split_option,
)
from specter_graph.cli.terminal import print_results, progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.split import HeldOutSplit


@click.command()
@spaces_option
@split_option
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
@markdown_option
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
    from specter_graph.evaluation.metrics.results import systems_json
    from specter_graph.evaluation.report.table import task_table

    with open_graph(instance) as graph, progress_bar() as progress:
        systems = graph.evaluate_tasks(
            names,
            split=split,
            holdout=holdout,
            by=by,
            click_log=click_log,
            seed=seed,
            progress=progress,
        )
    print_results(
        task_table(systems), systems_json(systems), as_json=as_json, as_markdown=as_markdown
    )
