"""The command line: commands parse their options, call the public API, and print.

Nothing here imports a heavy library at the top of a module: `--help` answers at once. `sg` is the
public API; its names are imported when a command uses them, so annotations with them are quoted.
"""

import os
import sys

import click

from specter_graph.cli import (
    baselines,
    demo,
    evaluate,
    feedback,
    graph_algorithms,
    loading,
    maintenance,
    query,
    reading_lists,
    searching,
    server,
    serving,
    spaces,
    training,
    watching,
)
from specter_graph.cli import match as matching
from specter_graph.cli.output import terminal_safe
from specter_graph.core.errors import SpecterGraphError

_SECTIONS = {
    "Start": (demo.demo, server.server),
    "Load and clean": (
        loading.load, loading.update, loading.enrich, maintenance.merge, maintenance.merge_authors,
        maintenance.delete, maintenance.clear, maintenance.stats, loading.export,
    ),
    "Train and embed": (
        training.triplets, training.train, training.embed, spaces.embed_files, training.sgc,
        baselines.baseline, spaces.spaces,
    ),
    "Search and read": (
        searching.search, searching.similar, searching.missing_references, query.query,
        reading_lists.lists, reading_lists.recommend, reading_lists.screen, watching.watch,
    ),
    "Analyze and evaluate": (
        graph_algorithms.topics, graph_algorithms.algorithms, evaluate.evaluate, evaluate.report,
    ),
    "Assign reviewers": (matching.match,),
    "Serve": (serving.serve, serving.keys, serving.mcp, feedback.feedback),
}  # fmt: skip


class _SectionedGroup(click.Group):
    """The command, whose help lists its subcommands by section."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section, with the descriptions of all sections in one column."""
        names = max(map(len, self.commands))
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(names), command.get_short_help_str(formatter.width - names - 6))
                        for command in commands
                        if (name := command.name)
                    ]
                )


@click.group(
    cls=_SectionedGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="specter-graph")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
def cli() -> None:
    """Citation-informed document embeddings on a Neo4j literature graph.

    \b
    Try it on the demo corpus:  specter-graph demo
    Load your own:              specter-graph load jsonl papers.jsonl.gz
    Complete commands in bash:  eval "$(_SPECTER_GRAPH_COMPLETE=bash_source specter-graph)"
    """


for _commands in _SECTIONS.values():
    for _command in _commands:
        cli.add_command(_command)


def _use_utf8() -> None:
    """Start again in Python's UTF-8 mode if the encoding is ASCII, which few titles and names have.

    In the locale C, that is Python's default, unless PYTHONUTF8 is 0.
    """
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606


def main() -> None:
    """Run the command line; an error is one clear line and exit status 1."""
    _use_utf8()
    debug = "--debug" in sys.argv
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:  # click raises it for Ctrl-C, too
        click.echo("stopped", err=True)
        sys.exit(130)
    except Exception as error:
        if debug:
            raise
        message = f"{type(error).__name__}: {error}"
        hint: str | None = "specter-graph --debug ..., which shows where it happened"
        if isinstance(error, SpecterGraphError):
            message, hint = error.message, error.hint
        elif isinstance(error, OSError) and error.filename:
            message, hint = f"{error.filename}: {error.strerror}", "check the path and its owner"
        click.echo(terminal_safe(f"error: {message}"), err=True)
        if hint:
            click.echo(terminal_safe(f"  try: {hint}"), err=True)
        sys.exit(1)
