"""The Cypher prompt of `specter-graph shell`."""

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.cypher import limits
from specter_graph.cli.output_formats import show_found
from specter_graph.core.errors import InputError, SpecterGraphError
from specter_graph.core.files import data_folder
from specter_graph.graph.queries.cypher import run_cypher, values_of
from specter_graph.integrations.extras import extra

if TYPE_CHECKING:
    from specter_graph.literature_graph import LiteratureGraph

with extra("shell"):
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.lexers import PygmentsLexer
    from pygments.lexers.graph import CypherLexer

    from specter_graph.cli.completion import CypherCompleter, Names

_ENDS = re.compile(
    r"""'(?:\\.|[^'\\])*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|`[^`]*(?:`|\Z)"""
    r"""|//[^\n]*|/\*.*?(?:\*/|\Z)|(?P<end>;)""",
    re.DOTALL,
)

HELP = """Cypher ends with a semicolon and may go over several lines; Tab completes, Ctrl-C drops
what is typed, Ctrl-D leaves.
  :param NAME VALUE      set $NAME, to JSON or else to the text; without NAME, list them
  :embed TEXT            set $vector, the text embedded in the space that $space names
  :run NAME KEY=VALUE    run a query of the library; {name} tells of them
  :help, :exit"""


class Leave(Exception):  # noqa: N818, no error
    """The user is done."""


class Prompt:
    """Reads Cypher and commands until the user leaves, and prints what comes of them.

    Reads only, unless `write`. `history` is the file that keeps what was typed.
    """

    def __init__(
        self,
        graph: "LiteratureGraph",
        history: Path,
        *,
        write: bool = False,
        seconds: float | None = None,
        rows: int | None = None,
    ) -> None:
        self.parameters: dict[str, Any] = {"space": "specter"}
        self._graph, self._write = graph, write
        self._limits = limits(seconds, rows)
        self._names = Names(graph.database)
        self._session = _session(history, CypherCompleter(self._names), write)
        self._commands: dict[str, Callable[[str], None]] = {
            ":help": self._help,
            ":exit": self._leave,
            ":param": self._param,
            ":embed": self._embed,
            ":run": self._run,
        }

    def run(self) -> None:
        """Read and answer until `:exit` or the end of the input."""
        click.echo("Cypher, ended by ; or :help", err=True)
        logging.getLogger("neo4j").addHandler(logging.NullHandler())  # it warns of what Ctrl-C ends
        while True:
            try:
                self._answer(self._session.prompt())
            except KeyboardInterrupt:
                continue
            except (EOFError, Leave):
                return
            except SpecterGraphError as error:
                click.echo(f"error: {error.message}", err=True)
                if error.hint:
                    click.echo(f"  try: {error.hint}", err=True)

    def _answer(self, typed: str) -> None:
        if typed.strip().startswith(":"):
            name, _, rest = typed.strip().rstrip(";").partition(" ")
            if name not in self._commands:
                raise InputError(f"there is no {name}", ":help")
            self._commands[name](rest.strip())
            return
        for statement in split(typed)[0]:
            found = run_cypher(
                self._graph.database, statement, self.parameters, write=self._write, **self._limits
            )
            show_found(found)
            if found.changes:
                self._names.refresh()

    def _help(self, _: str) -> None:
        click.echo(HELP.format(name="specter-graph query --list"))

    def _leave(self, _: str) -> None:
        raise Leave

    def _param(self, typed: str) -> None:
        name, _, value = typed.partition(" ")
        if value:
            self.parameters |= values_of({name: value.strip()})
        elif name:
            raise InputError(f"${name} is given no value", ":param NAME VALUE")
        else:
            for key, each in self.parameters.items():
                shown = f"{len(each)} numbers" if key == "vector" else repr(each)
                click.echo(f"${key} = {shown}")

    def _embed(self, text: str) -> None:
        if not text:
            raise InputError("there is no text to embed", ":embed neutrino mass")
        vector = self._graph.embed_text(text, self.parameters["space"])
        self.parameters["vector"] = vector.tolist()

    def _run(self, typed: str) -> None:
        from specter_graph.cli.query import show_answer

        name, *pairs = typed.split()
        given = dict(pair.partition("=")[::2] for pair in pairs)
        show_answer(self._graph.query(name, given))


def split(typed: str) -> tuple[list[str], str]:
    """Split Cypher at its semicolons, not those in texts and comments; the rest has none."""
    statements, start = [], 0
    for match in _ENDS.finditer(typed):
        if match["end"]:
            statements.append(typed[start : match.start()].strip())
            start = match.end()
    return [each for each in statements if each], typed[start:].strip()


def is_whole(typed: str) -> bool:
    """Whether Enter runs what is typed: a command, nothing, or Cypher ended by a semicolon."""
    return typed.lstrip().startswith(":") or not split(typed)[1]


def _session(history: Path, completer: CypherCompleter, write: bool) -> "PromptSession[str]":
    data_folder(history.parent)
    history.touch(mode=0o600)
    return PromptSession(
        "write> " if write else "cypher> ",
        lexer=PygmentsLexer(CypherLexer),
        completer=completer,
        complete_while_typing=False,
        history=FileHistory(history),
        multiline=Condition(lambda: not is_whole(get_app().current_buffer.text)),
        prompt_continuation=lambda width, _line, _soft: " " * width,
    )
