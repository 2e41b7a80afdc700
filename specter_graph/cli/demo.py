"""`demo`: the whole work, on a corpus that the program writes or on one's own."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.corpus import ask_to_clear
from specter_graph.cli.options import open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.demo import Demo

OWN = "demo"
"""The instance that is the demo's own."""


@click.command()
@click.option(
    "--corpus",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="A jsonl corpus.  [default: 2,000 papers that the program writes]",
)
@click.option(
    "--instance",
    metavar="NAME",
    default=OWN,
    show_default=True,
    help="The local Neo4j to use: it is emptied first, any but `demo` after a question.",
)
@click.option(
    "--model",
    metavar="MODEL_DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the model goes.  [default: beside the instance's data]",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def demo(corpus: Path | None, instance: str, model: Path | None, yes: bool) -> None:
    """Load, mine, train, embed, smooth, evaluate and ask, in an instance of its own.

    \b
    Example:  specter-graph demo
              specter-graph demo --corpus papers.jsonl.gz --instance trial
    """
    from specter_graph.core.files import data_folder
    from specter_graph.demo import run_demo
    from specter_graph.graph.checks import is_empty
    from specter_graph.loaders import open_corpus
    from specter_graph.loaders.synthetic import synthetic_papers
    from specter_graph.settings import Settings

    papers = open_corpus("jsonl", corpus) if corpus else synthetic_papers()
    model = model or data_folder(Settings().specter_graph_data, "models") / instance
    model.parent.mkdir(parents=True, exist_ok=True)
    with open_graph(instance) as graph:
        if not (yes or instance == OWN or is_empty(graph.database)):
            ask_to_clear(graph)
        with progress_bar() as progress:
            outcome = run_demo(graph, papers, model, say=click.echo, progress=progress)
    _show(outcome, instance)
    _show_next(outcome, instance, model)


def _show(outcome: "Demo", instance: str) -> None:
    from specter_graph.cli.evaluate import show_report
    from specter_graph.cli.query import show_answer

    click.echo()
    show_report(outcome.report)
    for given, answer in outcome.answers:
        values = " ".join(f"-p {key}={value}" for key, value in given.items())
        click.echo()
        click.secho(answer.query.summary, bold=True)
        name = answer.query.name.removeprefix("library/")
        click.echo(f"  specter-graph query {name} {values} --instance {instance}\n")
        show_answer(answer)


def _show_next(outcome: "Demo", instance: str, model: Path) -> None:
    paper = next((str(given["id"]) for given, _ in outcome.answers if "id" in given), None)
    click.echo("\nWhat to try next:")
    click.echo(f"  specter-graph evaluate --instance {instance} --json")
    if paper:
        click.echo(f"  specter-graph similar {paper} --instance {instance}")
    click.echo(f"  specter-graph query --list --instance {instance}")
    click.echo(f'  specter-graph search "words of your own" --instance {instance}')
    click.echo("  specter-graph load jsonl papers.jsonl.gz --instance mine   # your own corpus")
    click.echo(f"  specter-graph embed --model {model} --instance mine")
