"""Parse a command without running it."""

import click

from specter_graph.cli import cli


def parse(arguments: list[str]) -> None:
    """Let click check names, options and values without running the command."""
    command, (first, *rest) = cli.commands[arguments[0]], arguments
    if "--help" in arguments:
        return
    while isinstance(command, click.Group) and rest[:1] and rest[0] in command.commands:
        command, (first, *rest) = command.commands[rest[0]], rest
    command.make_context(first, list(rest))
