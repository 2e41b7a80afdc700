"""Check that benchmark commands in the docs and in the scripts have valid names and options.

The benchmarks are not run, because they take minutes to hours.
"""

import importlib
import re
import shlex

import pytest
from click.testing import CliRunner

from tests.docs.pages import BENCH, DOCS

SCRIPTS = sorted(BENCH.glob("*.py"))
PROGRAMS = [path.stem for path in SCRIPTS if "def main(" in path.read_text()]
COMMAND = re.compile(r"python bench/(\w+)\.py((?:[^`\n;|)&]|\n {8})*)")


def bench_commands(text: str) -> list[tuple[str, str]]:
    """Return the script and the options of each command, without optional parts in brackets."""
    required = [
        (name, re.sub(r"\[.*?\]|#.*|\\\n", "", arguments))
        for name, arguments in COMMAND.findall(text)
    ]
    return [(name, " ".join(arguments.split())) for name, arguments in required]


COMMANDS = sorted({line for path in [*DOCS, *SCRIPTS] for line in bench_commands(path.read_text())})


@pytest.mark.parametrize(("name", "arguments"), COMMANDS)
def test_a_command_has_an_existing_script_and_valid_options(name, arguments, monkeypatch, tmp_path):
    assert BENCH / f"{name}.py" in SCRIPTS
    if arguments:  # a script that is only mentioned has no options
        monkeypatch.syspath_prepend(BENCH)
        monkeypatch.chdir(tmp_path)
        for corpus in re.findall(r"\S+\.gz", arguments):
            (tmp_path / corpus).touch()
        importlib.import_module(name).main.make_context(name, shlex.split(arguments))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_its_help(name, monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    result = CliRunner().invoke(importlib.import_module(name).main, ["--help"])
    assert (result.exit_code, result.output.startswith("Usage: ")) == (0, True)


def test_the_command_of_every_script_is_documented():
    assert {*PROGRAMS} - {name for name, _ in COMMANDS} == set()
