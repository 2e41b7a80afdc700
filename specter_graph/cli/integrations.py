"""Commands that open the graph to others: mcp, shell."""

import click

from specter_graph.cli.cypher import limit_options
from specter_graph.cli.options import instance_option, open_graph

HISTORY = "shell_history"


@click.command()
@instance_option
def mcp(instance: str | None) -> None:
    """Serve the graph to a language model, by the Model Context Protocol over stdin and stdout.

    Its tools only read: search, similar, paper, path, missing_references, match. A client starts it
    itself; `specter-graph up` before saves it the start of a local server.

    \b
    Example:  specter-graph mcp
    """
    from specter_graph.integrations.mcp_server import build_server

    with open_graph(instance) as graph:
        build_server(graph).run("stdio")


@click.command()
@click.option("--write", is_flag=True, help="Let Cypher change the graph.")
@limit_options
@instance_option
def shell(write: bool, seconds: float | None, rows: int | None, instance: str | None) -> None:
    """Ask in Cypher at a prompt, with completion and history; `:help` there tells more.

    \b
    Example:  specter-graph shell
              specter-graph shell --write
    """
    from specter_graph.cli.prompt import Prompt
    from specter_graph.settings import Settings

    history = Settings().specter_graph_data / HISTORY
    with open_graph(instance) as graph:
        Prompt(graph, history, write=write, seconds=seconds, rows=rows).run()
