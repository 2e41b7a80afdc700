"""The command line: every command parses, calls one method of the public API, and prints.

Nothing here imports a heavy library at the top of a module: `--help` answers at once.
"""

import sys

import click

from specter_graph.cli import (
    algorithms,
    arxiv,
    baselines,
    corpus,
    demo,
    evaluate,
    exporting,
    feedback,
    integrations,
    loading,
    maintenance,
    matching,
    merging,
    models,
    query,
    scidocs,
    searching,
    server,
    serving,
    tasks,
    topics,
    training,
    vectors,
)
from specter_graph.core.errors import SpecterGraphError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="specter-graph")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Citation-informed document embeddings on a Neo4j literature graph.

    \b
    Try it on a generated corpus:   specter-graph demo
    Or on your own:                 specter-graph load jsonl papers.jsonl.gz
    """
    context.obj = {"debug": debug}


for command in (
    server.up,
    server.down,
    server.status,
    server.doctor,
    loading.load,
    corpus.stats,
    corpus.clear,
    exporting.export,
    merging.merge,
    merging.authors,
    maintenance.update,
    maintenance.delete,
    maintenance.backup,
    maintenance.restore,
    training.triplets,
    models.train,
    models.embed,
    models.sgc,
    baselines.baseline,
    matching.match,
    searching.similar,
    searching.search,
    searching.missing_references,
    vectors.vectors,
    query.query,
    algorithms.graph,
    topics.topics,
    integrations.mcp,
    serving.serve,
    serving.map_of,
    feedback.use,
    evaluate.evaluate,
    evaluate.report,
    demo.demo,
):
    cli.add_command(command)


for task in (tasks.tasks, arxiv.arxiv, arxiv.structure, scidocs.scidocs):
    evaluate.evaluate.add_command(task)


def main() -> None:
    """Run the command line; an error is one clear line and exit status 1."""
    debug = "--debug" in sys.argv
    try:
        cli(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except SpecterGraphError as error:
        if debug:
            raise
        click.echo(f"error: {error.message}", err=True)
        if error.hint:
            click.echo(f"  try: {error.hint}", err=True)
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        click.echo(f"error: {type(error).__name__}: {error}", err=True)
        click.echo("  try: specter-graph --debug ..., which shows where it happened", err=True)
        sys.exit(1)
