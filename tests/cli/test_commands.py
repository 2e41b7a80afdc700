"""What holds for every command: help, examples, docs, and a quick start."""

import resource
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from tests.docs.written import DOCS, written_commands

COMMANDS = sorted(
    {
        name if sub is None else f"{name} {sub}"
        for name, command in cli.commands.items()
        for sub in [None, *getattr(command, "commands", ())]
    }
)
HEAVY = {"torch", "transformers", "sentence_transformers", "sklearn", "neo4j", "pyarrow", "numpy"}


def parse(words: list[str]) -> None:
    """Let click check names, options and values; nothing is run."""
    command, (first, *rest) = cli.commands[words[0]], words
    if "--help" in words:
        return
    while isinstance(command, click.Group) and rest[:1] and rest[0] in command.commands:
        command, (first, *rest) = command.commands[rest[0]], rest
    command.make_context(first, list(rest))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_in_an_example_that_parses(name):
    text = CliRunner().invoke(cli, [*name.split(), "--help"]).output
    described = text.split("Options:")[0]
    assert "Example" in described
    examples = written_commands(described)
    assert examples
    for words in examples:
        parse(words)


def test_every_command_stands_in_the_docs():
    text = "\n".join(path.read_text() for path in DOCS)
    assert [name for name in COMMANDS if f"specter-graph {name}" not in text] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_command_in_the_docs_parses(path):
    for words in written_commands(path.read_text()):
        parse(words)


def test_a_wrong_option_is_not_taken_for_a_good_one():
    with pytest.raises(click.UsageError):
        parse(["similar", "x", "--spaces", "y"])


def test_help_loads_no_heavy_library():
    code = "import sys, specter_graph.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert HEAVY.isdisjoint(loaded.decode().split())


def test_help_takes_less_than_a_third_of_a_second():
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "specter_graph", "--help"], check=True, stdout=-3)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    assert min(seconds) < 0.3


def test_an_error_is_one_line_and_a_hint(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "specter_graph", "load", "jsonl", str(tmp_path / "missing.jsonl")],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: there is no file")
    assert "Traceback" not in ran.stderr
