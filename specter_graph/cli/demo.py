"""`demo`: all steps on a generated corpus or on your own."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

import specter_graph as sg
from specter_graph.cli.evaluate import head_notes, show_report
from specter_graph.cli.maintenance import confirm_clear
from specter_graph.cli.options import FOLDER, PATH, open_graph, option, yes_option
from specter_graph.cli.output import Output, progress_bar
from specter_graph.core.atomic_files import data_folder

if TYPE_CHECKING:
    from specter_graph.demo import DemoResult

DEMO_INSTANCE = "demo"
"""The instance that the demo may empty without asking."""


@click.command()
@option("--corpus", "Corpus in the format jsonl.", PATH, shown="2,000 generated papers")
@option(
    "--model-dir", "Folder for the trained model.", FOLDER, shown="beside the data of the instance"
)
@option("--instance", "Local Neo4j instance to use.", "NAME", DEMO_INSTANCE)
@yes_option
def demo(corpus: Path | None, model_dir: Path | None, instance: str, yes: bool) -> None:
    """Run all steps on a corpus.

    The steps are load, train, embed, smooth, evaluate and query. It also prepares the pages of
    `specter-graph serve`: topics, map, report, and a venue whose reviewers are authors of the
    corpus.

    The demo empties its instance, by default `demo`; it asks before it empties another one.

    \b
    Example:  specter-graph demo
              specter-graph demo --corpus papers.jsonl.gz --instance trial
    """
    from specter_graph.demo import run_demo
    from specter_graph.loaders.synthetic import synthetic_papers

    papers = sg.open_corpus("jsonl", corpus) if corpus else synthetic_papers()
    model = model_dir or data_folder(sg.Settings().specter_graph_data, "models") / instance
    model.parent.mkdir(parents=True, exist_ok=True)
    with open_graph(instance, create=True) as graph:
        if not (yes or instance == DEMO_INSTANCE or graph.is_empty):
            confirm_clear(graph)
        with progress_bar() as progress:
            outcome = run_demo(graph, papers, model, say=click.echo, progress=progress)
        heads = head_notes(graph, outcome.report.spaces)
    _show(outcome, instance, heads)
    show_next(outcome, instance, model)


def _show(outcome: "DemoResult", instance: str, heads: list[str]) -> None:
    click.echo()
    show_report(Output("table"), outcome.report, heads, variants=False)
    for given, answer in outcome.answers:
        values = shlex.join(
            part for key, value in given.items() for part in ("-p", f"{key}={value}")
        )
        click.echo()
        click.secho(answer.query.summary, bold=True)
        name = answer.query.name.removeprefix("library/")
        click.echo(f"  specter-graph query run {name} {values} --instance {instance}\n")
        Output("table").show_rows(answer.rows, answer.columns)


def show_next(outcome: "DemoResult", instance: str, model: Path) -> None:
    """Print commands to try next, which can be pasted into a shell."""
    paper = next((str(given["id"]) for given, _ in outcome.answers if "id" in given), None)
    click.echo("\nWhat to try next:")
    click.echo(f"  specter-graph serve --instance {instance}   # web pages")
    click.echo(f"  specter-graph evaluate held-out --instance {instance}")
    if paper:
        click.echo(f"  specter-graph similar {shlex.quote(paper)} --instance {instance}")
    click.echo("  specter-graph query list")
    click.echo(f'  specter-graph search "words of your own" --instance {instance}')
    click.echo("  specter-graph load jsonl papers.jsonl.gz --instance mine   # your own corpus")
    click.echo(f"  specter-graph embed --model {shlex.quote(str(model))} --instance mine")
