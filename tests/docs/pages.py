"""Read the documentation: commands with their output, and Python."""

import re
import shlex
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "bench"
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n|\n(?= {4}))+")


def fenced(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return [block for kind, block in _FENCED.findall(text) if kind == language]


def python(text: str) -> list[str]:
    """Return fenced blocks of Python, and indented blocks that begin with an import."""
    indented = map(textwrap.dedent, _INDENTED.findall(_FENCED.sub("", text)))
    starts = ("from ", "import ")
    return [*fenced(text, "python"), *(block for block in indented if block.startswith(starts))]


def with_output(text: str) -> list[tuple[list[str], str]]:
    """Return the words of each indented command, and the fenced output after it, if any."""
    result = re.findall(r"^    specter-graph (.+)\n(?:\n```\n((?:.*\n)*?)```)?", text, re.MULTILINE)
    return [(shlex.split(line, comments=True), output) for line, output in result]


def written_commands(text: str) -> list[list[str]]:
    """Return the words of each command on a separate line, without comments, pipes and ellipses."""
    lines = re.findall(r"^ +(?:Example: +)?specter-graph (\S.*)$", text, re.MULTILINE)
    words = [shlex.split(line, comments=True) for line in lines]
    return [each for each in words if each and "..." not in each and "|" not in each]
