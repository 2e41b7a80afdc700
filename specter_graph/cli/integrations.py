"""The command mcp."""

import click

from specter_graph.cli.options import instance_option, open_graph


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
